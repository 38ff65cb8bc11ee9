import Addresses
import ImageModel
import TestSupport
import Testing

/// Tests labels in hand-written assembly, which linkers list among the functions.
@Suite(.needs(.appleSDK, "llvm-objdump-19", "llvm-strip-19")) struct MachOLabelTests {
  /// A function in five pieces that are separated by labels, then a function without a global name.
  static let assembly = """
    .globl _kernel, _next, _main
    .p2align 2
    _kernel:
      cbz x0, skipped
      mov x2, #4
    inner:
      subs x2, x2, #1
      b.ne inner
      b done
    skipped:
      tbnz x1, #3, far
      nop
    done:
      ret
    far:
      mov x0, #1
      ret
    _own:
      subs x0, x0, #1
      b.ne _own
      ret
    _next:
      ret
    _main:
      mov x0, #0
      ret

    """

  private static func build(_ platform: AppleSDK.Platform = .iOS) throws -> MachOBuild {
    try MachOBuild(platform, sources: [(name: "kernel.s", text: assembly)])
  }

  private static func starts(_ build: MachOBuild, _ name: String) throws -> [UInt64] {
    try build.run("llvm-objdump-19", ["--macho", "--function-starts=addrs", build.path(name)])
      .split(separator: "\n").compactMap { UInt64($0, radix: 16) }
  }

  @Test func labelsBelongToTheFunctionWithAndWithoutNames() throws {
    let build = try Self.build()
    let whole = try build.read().image
    #expect(
      MachOImageTests.sizes(whole) == ["_kernel: 40", "_own: 12", "_next: 4", "_main: 8"])
    try build.run("llvm-strip-19", ["-x", build.path("image"), "-o", build.path("stripped")])
    let stripped = try build.read("stripped").image
    #expect(MachOImageTests.sizes(stripped) == ["_kernel: 40", "_next: 4", "_main: 8"])

    // The linker lists all labels.
    let kernel = try #require(whole.layout.functions.first?.address.rawValue)
    let listed = Set(try Self.starts(build, "stripped"))
    #expect([8, 20, 28, 32].allSatisfy { listed.contains(kernel + $0) }, "\(listed)")
    for offset in stride(from: UInt64(0), to: 40, by: 4) {
      let inside = StatedAddress(rawValue: kernel + offset)
      #expect(stripped.layout.functions(containing: inside) == 0..<1)
    }
    // A start with a loop back to itself is no label. The function that has lost its name is still a function.
    let own = StatedAddress(rawValue: kernel + 40)
    #expect(stripped.layout.functions(containing: own).isEmpty)
  }

  /// x86-64 instructions can't be read backwards.
  @Test func anIntelImageKeepsItsSymbols() throws {
    let assembly = """
      .globl _main
      _main:
        movl $4, %ecx
      inner:
        subl $1, %ecx
        jne inner
        ret

      """
    let build = try MachOBuild(.macOSx8664, sources: [(name: "kernel.s", text: assembly)])
    let names = try build.read().image.layout.functions.count
    #expect(names == 2)
  }
}
