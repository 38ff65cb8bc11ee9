import ByteReading
import ImageModel
import Symbolication
import TestSupport
import Testing

/// Tests which symbols of assembly without `.type` get breakpoints.
@Suite(.needs("clang", "ld.lld")) struct UntypedFunctionsTests {
  /// The names of symbols with a breakpoint, and of symbols that may be data.
  private func symbols(
    of assembly: String, _ c: String, for target: String, linking flags: [String]
  ) throws -> (planted: Set<String>, uncertain: [String]) {
    let folder = try TemporaryFolder()
    let sources = [
      try folder.write(Array(assembly.utf8), "code.s"), try folder.write(Array(c.utf8), "main.c"),
    ]
    let path = folder.path("image")
    try #require(Tool("clang")).run(
      ["-target", target, "-O1", "-nostdlib", "-ffreestanding", "-fuse-ld=lld", "-o", path]
        + flags + sources)
    let bytes = try FileBytes(path: path)
    let places = try BreakpointPlaces(of: bytes, at: path)
    let layout = try Image.reading(path: path).image.layout
    let planted = Set(places.functions)
    let names = layout.functions.filter { planted.contains($0.address) }
      .map { "\(layout.name(of: $0))" }
    #expect(places.uncertainCount >= places.uncertain.count)
    return (Set(names), places.uncertain.map(\.description))
  }

  private static let c = """
    long called(long), jumped(void);
    int pointed(void);
    extern const long table[];
    int (*volatile pointer)(void) = pointed;
    __attribute__((noinline)) long tail(long n) { return n ? jumped() : 0; }
    int run(int n) { return called(n) + tail(n) + pointer() + table[n]; }
    """

  private static let x8664 = """
    .text
    .globl _start, called, jumped, pointed, table, never
    _start: call run
    called: call inner
    again: dec %rdi
      jnz again
      ret
    table: .quad 1, 2, 3, 4
    inner: ret
    jumped: ret
    pointed: mov $3, %eax
      ret
    never: .fill 40, 1, 0x90
      ret
    """

  @Test(arguments: [["-pie"], ["-no-pie"], ["-static"], ["-pie", "-g"]])
  func whatIsCalledOrJumpedToIsAFunction(flags: [String]) throws {
    let found = try symbols(
      of: Self.x8664, Self.c, for: "x86_64-linux-gnu", linking: flags)
    #expect(found.planted == ["_start", "called", "inner", "jumped", "run", "tail"])
    #expect(found.uncertain == ["table", "pointed", "never"])
  }

  @Test func whatALinkageTableCallsIsAFunction() throws {
    let found = try symbols(
      of: Self.x8664, Self.c, for: "x86_64-linux-gnu", linking: ["-shared", "-fPIC"])
    #expect(found.planted == ["_start", "called", "inner", "jumped", "run", "tail"])
    #expect(found.uncertain == ["table", "pointed", "never"])
  }

  @Test func onAArch64TheMappingSymbolsTell() throws {
    let found = try symbols(
      of: """
        .text
        .globl called, jumped, pointed, table, never
        called: str x30, [sp, #-16]!
          bl inner
        again: subs x0, x0, #1
          b.ne again
          ldr x30, [sp], #16
          ret
        table: .quad 1, 2, 3, 4
        inner: ret
        jumped: ret
        pointed: mov w0, #3
          ret
        never: ret
        """, Self.c, for: "aarch64-linux-gnu", linking: ["-shared", "-fPIC"])
    #expect(
      found.planted == ["called", "inner", "jumped", "never", "pointed", "run", "tail"])
    #expect(found.uncertain == ["table"])
  }
}
