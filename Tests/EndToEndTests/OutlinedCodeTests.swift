import TestSupport
import Testing

/// Code that LLVM's machine outliner shares between functions (`OUTLINED_FUNCTION_0`), in images of clang.
@Suite(.needs(.appleSDK, "llvm-nm-19")) struct OutlinedCodeTests {
  private static let source = """
    int use(int, int, int, int);
    #define F(name) int name(int a, int b) { return use(a, b, a * 7 + b, 99) + use(b, a, a * 9, 98) * 3; }
    F(one) F(two) F(three) F(four) F(five)
    __attribute__((noinline)) int use(int a, int b, int c, int d) { return a ^ b ^ c ^ d; }
    int main(int n, char **v) { return one(n, n) + two(n, n) + three(n, n) + four(n, n) + five(n, n); }
    """

  private static let reason =
    "outlined by the compiler, under a number that is new in each build and object file: -mno-outline "
    + "(Swift: -Xllvm -enable-machine-outliner=never) leaves the code in its functions"

  /// The recorded build itself, a build in which a function has another name, and a build with the option that the
  /// reason names.
  @Test(arguments: [
    ("arm", [], "unable to write: \(reason)"), ("again", ["-Dfive=six"], reason),
    ("again", ["-mno-outline"], reason),
  ])
  func outlinedCodeThatRanIsNamedWithItsReason(
    release: String, flags: [String], expected: String
  ) throws {
    let workshop = try Workshop()
    let sdk = try AppleSDK()
    try workshop.write(Self.source.utf8, "main.c")
    for (name, flags) in [("arm", []), (release, flags)] {
      try sdk.compile("main.c", to: "main.o", for: .macOS, flags: ["-Oz"] + flags, in: workshop)
      try sdk.link(["main.o"], to: name, for: .macOS, in: workshop)
    }
    let names = try workshop.must("llvm-nm-19", [release]).text
    #expect(names.contains("OUTLINED_FUNCTION_0") == !flags.contains("-mno-outline"))
    try MachOCommandTests.writeTrace(
      ofImageAt: workshop.path("arm"), uuid: MachOCommandTests.uuid("arm", in: workshop),
      functions: ["_main", "_OUTLINED_FUNCTION_0", "_use"], in: workshop)
    let gen = try workshop.mustOrderfile(
      "gen", "app.oftrace", "--image", release, "--list-missing", "-o", "app.order")
    let said = gen.text + gen.errors
    #expect(
      said.contains("left out: 1 function\n  _OUTLINED_FUNCTION_0: \(expected)\n"), "\(said)")
    let order = workshop.text("app.order")
    #expect(order.hasSuffix("\n_main\n_use\n"), "\(order)")
  }
}
