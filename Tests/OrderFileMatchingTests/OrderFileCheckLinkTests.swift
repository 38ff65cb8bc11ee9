import ByteReading
import ImageModel
import LinkMapFormat
import OrderFileFormat
import OrderFileMatching
import Symbolication
import TestSupport
import Testing

private let linkers = ["ld.lld", "ld.lld-19"].filter { Requirement.tool($0).keepsArguments }
  .map { toolPath($0) ?? $0 }

/// Links with lld: the entries that the check finds missing are those of which the linker warned.
@Suite(.needs("ld.lld", "clang", "nm"))
struct OrderFileCheckLinkTests {
  static let program = """
    #define F(n) __attribute__((noinline, used)) void n(void) { __asm__(""); }
    F(f1) F(f2) F(f3)
    __attribute__((noinline)) void dead(void) { __asm__(""); }
    __asm__(".globl fixed\\nfixed = 42");
    int puts(const char *);
    __attribute__((weak)) void nowhere(void);
    int main(void) { f1(); f2(); f3(); if (nowhere) nowhere(); return puts("") < 0; }
    """
  static let order = "f3\nq\nf1\ndead\nputs\nf3\nfixed\nnowhere\nmain\n"

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
    let (image, _) = try Image.reading(path: workshop.folder.appendingPathComponent("app").path)
    let check = OrderFileCheck(file, layout: image.layout)
    #expect(check.entries == 9)
    #expect(check.present == 3)
    #expect(
      check.missing.map(\.description) == [
        "no such symbol: q", "no such symbol: dead", "unable to order shared symbol: puts",
        "duplicate ordered symbol: f3", "unable to order absolute symbol: fixed",
        "unable to order undefined symbol: nowhere",
      ])
    guard isOrdered else {
      #expect(check.inOrder < 3 && check.firstDeviation != nil)
      return
    }
    #expect(check.inOrder == 3 && check.block?.bodiesAhead == 0)
    #expect(check.block?.unlistedBodies == 0)
    // The linker warns once for each object file that contains the symbol.
    let marks = [": no such", ": duplicate", ": unable"]
    let warnings = result.output.split(separator: "\n").compactMap { line in
      marks.compactMap { line.firstRange(of: $0) }.first.map { line[$0.lowerBound...].dropFirst(2) }
    }
    // Discarded functions leave no trace in the image.
    let expected = warnings.map {
      String($0).replacing("unable to order discarded symbol:", with: "no such symbol:")
    }
    #expect(Set(expected) == Set(check.missing.map(\.description)), "\(result.output)")
  }

  /// Images, and the link maps of all linkers, distinguish data from functions.
  @Test(arguments: ["ld.lld", "ld.bfd", "ld.gold", "mold"].filter { toolPath($0) != nil })
  func dataIsNoMissingFunction(linker: String) throws {
    let workshop = try Workshop()
    let program = """
      int table[4] = {1, 2, 3}, zero[8];
      const int constant[4] = {4, 5};
      _Thread_local int own = 6;
      __asm__(".data\\n.globl label\\nlabel: .long 1\\n.text");
      int main(int count, char **words) {
        return table[count] + zero[count] + constant[count] + own + (words == 0);
      }
      """
    try workshop.write(program.utf8, "main.c")
    let result = try workshop.run(
      "clang",
      ["-O1", "-ffunction-sections", "-fdata-sections", "main.c", "-o", "app", "-Wl,-Map=app.map"]
        + workshop.use(
          linker: try #require(toolPath(linker)), as: linker.replacing("ld.", with: "")))
    try #require(result.status == 0, "\(result.output)")
    let order = try OrderFileDialect.lld.read(
      FileBytes(Array("constant\nmain\nown\nzero\ntable\nq\n".utf8)))
    let path = workshop.folder.appendingPathComponent("app").path
    let image = try Image.reading(path: path).image
    var diagnostics: [Diagnostic] = []
    let map = Layout(
      try LinkMap(parsing: FileBytes(path: path + ".map")), diagnostics: &diagnostics)
    for layout in [image.layout, map, image.layout.addingOrigins(of: map)] {
      let check = OrderFileCheck(order, layout: layout)
      #expect([check.entries, check.present, check.dataEntries] == [2, 1, 4])
      #expect(check.missing.map(\.description) == ["no such symbol: q"])
    }
    // mold makes the symbol local, like the labels that linkers add.
    let label = try OrderFileDialect.lld.read(FileBytes(Array("label\n".utf8)))
    #expect(OrderFileCheck(label, layout: image.layout).dataEntries == (linker == "mold" ? 0 : 1))
  }

  /// GNU ld and gold list what they discarded in their maps.
  @Test(arguments: ["ld.bfd", "ld.gold"].filter { toolPath($0) != nil })
  func whatALinkMapSaysWasDiscardedIsDiscarded(linker: String) throws {
    let workshop = try Workshop()
    try workshop.write(Self.program.utf8, "main.c")
    let result = try workshop.run(
      "clang",
      [
        "-O1", "-ffunction-sections", "main.c", "-o", "app", "-Wl,--gc-sections,-Map=app.map",
        "-Wl,--print-gc-sections",
      ] + workshop.use(linker: try #require(toolPath(linker)), as: "other"))
    try #require(result.status == 0, "\(result.output)")
    #expect(result.output.contains("'.text.dead'"), "\(result.output)")

    let path = workshop.folder.appendingPathComponent("app.map").path
    var diagnostics: [Diagnostic] = []
    let layout = Layout(
      try LinkMap(parsing: FileBytes(path: path)), diagnostics: &diagnostics)
    for (dialect, order) in [
      (OrderFileDialect.lld, "f2\ndead\nq\n"), (.gold, ".text.f2\n.text.dead\n.text.q\n"),
    ] {
      let check = OrderFileCheck(
        try dialect.read(FileBytes(Array(order.utf8))), layout: layout)
      #expect(
        check.missing.map(\.description) == [
          "unable to order discarded symbol: dead", "no such symbol: q",
        ])
    }
  }
}
