import CommandSupport
import ImageModel
import Testing

@Suite struct PageSizeChoiceTests {
  @Test(arguments: [("4k", 4096), ("16k", 16_384), ("64k", 65_536)])
  func sizesAreAsNamed(argument: String, bytes: UInt64) {
    for architecture in [nil, Architecture.x8664, .arm64] {
      #expect(PageSizeChoice(rawValue: argument)?.pageSize(for: architecture).bytes == bytes)
    }
  }

  @Test func automaticIsThisMachinesOnlyForItsOwnArchitecture() {
    #if arch(x86_64)
      let (own, other) = (Architecture.x8664, Architecture.arm64)
    #else
      let (own, other) = (Architecture.arm64, Architecture.x8664)
    #endif
    let machine = PageSizeChoice.automatic.pageSize(for: nil)
    #expect(PageSizeChoice.automatic.pageSize(for: own) == machine)
    #expect(PageSizeChoice.automatic.pageSize(for: other) == .fourKibibytes)
    #expect(PageSizeChoice(rawValue: "auto") == .automatic)
    #expect(PageSizeChoice(rawValue: "5k") == nil)
  }

  @Test(
    arguments: [
      (.arm64, 16_384), (.arm64e, 16_384), (nil, 16_384), (.x8664, 4096),
      (Architecture("x86_64h"), 4096),
    ] as [(Architecture?, UInt64)])
  func automaticForMachOIsWhatApplesSystemsUse(architecture: Architecture?, bytes: UInt64) {
    let option = PageSizeChoice.automatic
    #expect(option.pageSize(for: architecture, format: .machO).bytes == bytes)
    #expect(
      PageSizeChoice.sixtyFourKibibytes.pageSize(for: architecture, format: .machO).bytes == 65_536)
  }
}
