import Addresses
import ByteReading
import ImageModel
import OrderFileFormat
import Symbolication
import TestSupport
import Testing

private let linkers = ["ld.lld", "ld.lld-19"].compactMap(toolPath)

/// Links with lld: what the check finds missing is what the linker warned of.
@Suite(.enabled(if: !linkers.isEmpty && toolPath("clang") != nil && toolPath("nm") != nil))
struct OrderFileCheckLinkTests {
  static let program = """
    #define F(n) __attribute__((noinline, used)) void n(void) { __asm__(""); }
    F(f1) F(f2) F(f3)
    __attribute__((noinline)) void dead(void) { __asm__(""); }
    __asm__(".globl fixed\\nfixed = 42");
    int main(void) { f1(); f2(); f3(); return 0; }
    """
  static let order = "f3\nq\nf1\ndead\nputs\nf3\nfixed\nmain\n"

  @Test(arguments: linkers, [true, false])
  func theLinkersWarningsAreTheMissingEntries(linker: String, isOrdered: Bool) throws {
    let workshop = try Workshop()
    try workshop.write(Self.program.utf8, "main.c")
    try workshop.write(Self.order.utf8, "app.order")
    let flags = ["-Wl,--symbol-ordering-file=app.order"]
    let result = try workshop.run(
      "clang",
      ["-O1", "-ffunction-sections", "main.c", "-o", "app", "-Wl,--gc-sections"]
        + (isOrdered ? flags : []) + workshop.use(linker: linker, as: "lld"))
    try #require(result.status == 0, "\(result.output)")

    let file = try OrderFileDialect.lld.read(FileBytes(Array(Self.order.utf8)))
    let check = OrderFileCheck(
      file, layout: try layout(of: "app", in: workshop),
      known: ["dead": .discarded, "fixed": .absolute, "puts": .shared])
    #expect(check.entries == 8)
    #expect(check.present == 3)
    #expect(
      check.missing.map(\.description) == [
        "no such symbol: q", "unable to order discarded symbol: dead",
        "unable to order shared symbol: puts",
        "duplicate ordered symbol: f3", "unable to order absolute symbol: fixed",
      ])
    guard isOrdered else {
      #expect(check.inOrder < 3 && check.firstDeviation != nil)
      return
    }
    #expect(check.inOrder == 3 && check.block?.isAtStart == true)
    #expect(check.block?.unlistedBodies == 0)
    // Once for each object file that has the symbol.
    let marks = [": no such", ": duplicate", ": unable"]
    let warnings = result.output.split(separator: "\n").compactMap { line in
      marks.compactMap { line.firstRange(of: $0) }.first.map { line[$0.lowerBound...].dropFirst(2) }
    }
    #expect(
      Set(warnings.map { String($0) }) == Set(check.missing.map(\.description)), "\(result.output)")
  }

  /// The functions that `nm` shows, in one section.
  private func layout(of image: String, in workshop: Workshop) throws -> Layout {
    let lines = try workshop.run("nm", ["-n", image]).output.split(separator: "\n")
    let functions = lines.compactMap { line -> Placed? in
      let fields = line.split(separator: " ")
      guard fields.count == 3, "tT".contains(fields[1]), let address = UInt64(fields[0], radix: 16)
      else { return nil }
      return Placed(String(fields[2]), address)
    }
    return SymbolicationTests.layout(functions.filter { $0.name != "_init" && $0.name != "_fini" })
  }
}
