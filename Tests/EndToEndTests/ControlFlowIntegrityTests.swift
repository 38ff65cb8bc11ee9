import TestSupport
import Testing

/// With `-fsanitize=cfi-icall`, functions that may be called by a pointer have two symbols.
@Suite(.needs(.recording)) struct ControlFlowIntegrityTests {
  private static let program = """
    static volatile int v;
    typedef int (*Operation)(int);
    #define OP(name, sign) __attribute__((noinline)) name(int x) { v = v sign x; return v; }
    static int OP(hidden, +)
    int OP(add, +)
    int OP(divide, /)
    __attribute__((noinline)) int plain(int x) { v ^= x; return v; }
    static Operation table[] = {add, hidden, divide};
    int main(int count, char **arguments) {
      return (table[count](count) + table[count + 1](count) + plain(count)) & 0;
    }
    """
  private static let checked = ["-fsanitize=cfi-icall", "-fvisibility=hidden"]
  private static let entriesOfTheirOwn = ["-fno-sanitize-cfi-canonical-jump-tables"]

  @Test(arguments: [
    ([], ["-flto"] + checked, ["divide.cfi", "hidden.cfi", "main", "plain"]),
    ([], ["-flto=thin"] + checked, ["divide.cfi", "hidden.HASH.cfi", "main", "plain"]),
    ([], ["-flto"] + checked + entriesOfTheirOwn, ["divide", "hidden", "main", "plain"]),
    (["-flto"] + checked, [], ["divide", "hidden", "main", "plain"]),
    (["-flto=thin"] + checked, [], ["divide", "hidden", "main", "plain"]),
    (["-flto"] + checked + entriesOfTheirOwn, [], ["divide", "hidden", "main", "plain"]),
  ])
  func theCodeOfAFunctionIsOrdered(
    recorded: [String], released: [String], bodies: [String]
  ) throws {
    let workshop = try Workshop()
    try workshop.write(Self.program.utf8, "app.c")
    for (name, flags) in [("recorded", recorded), ("released", released)] {
      try workshop.must(
        "clang",
        flags + [
          "-O1", "-ffunction-sections", "-fuse-ld=lld", "-Wl,--build-id", "app.c", "-o", name,
        ])
    }
    try workshop.mustOrderfile("record", "--breakpoints", "-o", "t", "--", "./recorded")
    let gen = try workshop.mustOrderfile(
      "gen", "t", "--image", "released", "--list-missing", "-o", "order")
    #expect(!gen.errors.contains("cfi:"), "\(gen.errors)")
    let hash = /\.[0-9a-f]{32}/
    let order = workshop.text("order").replacing(hash, with: ".HASH").split(separator: "\n")
    for body in bodies { #expect(order.contains { $0 == body }, "\(order)") }
  }
}
