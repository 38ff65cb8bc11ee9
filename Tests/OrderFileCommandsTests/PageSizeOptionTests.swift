import ImageModel
import OrderFileCommands
import Testing

@Suite struct PageSizeOptionTests {
  @Test(arguments: [("4k", 4096), ("16k", 16_384), ("64k", 65_536)])
  func sizesAreAsNamed(argument: String, bytes: UInt64) {
    for architecture in [nil, Architecture.x8664, .arm64] {
      #expect(PageSizeOption(rawValue: argument)?.pageSize(for: architecture).bytes == bytes)
    }
  }

  @Test func automaticIsThisMachinesOnlyForItsOwnArchitecture() {
    #if arch(x86_64)
      let (own, other) = (Architecture.x8664, Architecture.arm64)
    #else
      let (own, other) = (Architecture.arm64, Architecture.x8664)
    #endif
    let machine = PageSizeOption.automatic.pageSize(for: nil)
    #expect(PageSizeOption.automatic.pageSize(for: own) == machine)
    #expect(PageSizeOption.automatic.pageSize(for: other) == .fourKibibytes)
    #expect(PageSizeOption(rawValue: "auto") == .automatic)
    #expect(PageSizeOption(rawValue: "5k") == nil)
  }

  @Test(
    arguments: [
      (.arm64, 16_384), (.arm64e, 16_384), (nil, 16_384), (.x8664, 4096),
      (Architecture("x86_64h"), 4096),
    ] as [(Architecture?, UInt64)])
  func automaticForMachOIsWhatApplesSystemsUse(architecture: Architecture?, bytes: UInt64) {
    let option = PageSizeOption.automatic
    #expect(option.pageSize(for: architecture, format: .machO).bytes == bytes)
    #expect(
      PageSizeOption.sixtyFourKibibytes.pageSize(for: architecture, format: .machO).bytes == 65_536)
  }
}
