import Budget
import Foundation
import ImageModel
import OrderFileFormat
import Ordering
import TestSupport
import Testing

/// Order files are compared with images that clang and lld made.
@Suite(.needs("clang", "ld.lld")) struct OrderFileVerificationTests {
  static let program = """
    #define F(n) __attribute__((noinline, used)) void n(void) { __asm__(""); }
    F(f1) F(f2) F(f3)
    __attribute__((noinline)) void dead(void) { __asm__(""); }
    __attribute__((noinline, used)) static void own(void) { __asm__(""); }
    __asm__(".globl fixed\\nfixed = 42");
    volatile int table[3] = {1, 2, 3};
    int puts(const char *);
    void renamed(void) __asm__("renamed.llvm.2");
    __attribute__((weak)) void nowhere(void);
    int main(void) { f1(); f2(); f3(); own(); if (nowhere) nowhere(); renamed(); return puts("") < table[0]; }
    """
  static let other = """
    __attribute__((noinline, used)) static void own(void) { __asm__(""); }
    void renamed(void) __asm__("renamed.llvm.2");
    void renamed(void) { own(); }
    """

  /// Returns a folder with `app`, linked with `order`, and the output of the linker.
  private func link(_ order: String, with linker: String = "ld.lld") throws -> (Workshop, String) {
    let workshop = try Workshop()
    try workshop.write(Self.program.utf8, "main.c")
    try workshop.write(Self.other.utf8, "other.c")
    try workshop.write(order.utf8, "app.order")
    let option = linker == "ld.gold" ? "section" : "symbol"
    let result = try workshop.run(
      "clang",
      [
        "-O1", "-ffunction-sections", "main.c", "other.c", "-o", "app", "-Wl,--gc-sections",
        "-Wl,--\(option)-ordering-file=app.order",
      ]
        + workshop.use(
          linker: try #require(toolPath(linker)), as: linker == "ld.gold" ? "gold" : "lld"))
    try #require(result.status == 0, "\(result.output)")
    return (workshop, result.output)
  }

  private func verification(
    _ workshop: Workshop, images: [String] = ["app"],
    _ change: (inout OrderFileVerification.Options) -> Void = { _ in }
  ) throws -> OrderFileVerification {
    func path(_ name: String) -> String { workshop.folder.appendingPathComponent(name).path }
    var options = OrderFileVerification.Options(order: path("app.order"), images: images.map(path))
    change(&options)
    return try OrderFileVerification(options)
  }

  private func lines(_ document: VerifyDocument) -> [String] {
    document.problems.map { "\($0.line) \($0.kind.rawValue): \($0.reason): \($0.name)" }
  }

  static let order = """
    # what a launch uses
    f3
    q
    f1
    dead
    puts

    f3
    fixed
    nowhere
    renamed.llvm.1
    own
    main
    table

    """

  /// Exactly those entries are stale about which the linker warns.
  @Test(arguments: ["ld.lld", "ld.lld-19"].filter { toolPath($0) != nil })
  func whatIsStaleIsWhatTheLinkerWarnsOf(linker: String) throws {
    let (workshop, output) = try link(Self.order, with: linker)
    let found = try verification(workshop)
    #expect(
      lines(found.document) == [
        "3 missing: no such symbol: q", "5 missing: no such symbol: dead",
        "6 unorderable: unable to order shared symbol: puts",
        "8 duplicate: duplicate ordered symbol: f3",
        "9 unorderable: unable to order absolute symbol: fixed",
        "10 unorderable: unable to order undefined symbol: nowhere",
        "11 renamed: no such symbol: renamed.llvm.1",
        "12 ambiguous: 2 functions have this name: own",
      ])
    #expect(found.document.entries == 12 && found.document.dataEntries == 1)
    let marks = [": no such", ": duplicate", ": unable"]
    var warnings: [String] = []
    for line in output.split(separator: "\n") {
      for mark in marks {
        guard let place = line.firstRange(of: mark) else { continue }
        warnings.append(String(line[place.lowerBound..<line.endIndex].dropFirst(2)))
      }
    }
    // A discarded function leaves no trace in the image.
    let said = Set(
      warnings.map { $0.replacing("unable to order discarded symbol:", with: "no such symbol:") })
    let stale = found.document.problems.filter { $0.kind != .ambiguous }
    #expect(said == Set(stale.map { "\($0.reason): \($0.name)" }), "\(output)")
  }

  /// gold does not warn about entries of its order file, and the entries name sections.
  @Test(.needs("ld.gold")) func entriesOfGoldAreVerifiedToo() throws {
    let order = ".text.f3\n.text.q\n.text.renamed.llvm.1\n.text.f3\n.text.*\n.text\n"
    let (workshop, output) = try link(order, with: "ld.gold")
    #expect(!output.contains("order"))
    let found = try verification(workshop) { $0.outputPath = "-" }
    #expect(
      lines(found.document) == [
        "1 duplicate: duplicate ordered symbol: f3", "2 missing: no such symbol: q",
        "3 renamed: no such symbol: renamed.llvm.1",
      ])
    #expect(
      found.updated.map { String(decoding: $0, as: UTF8.self) }
        == order.replacing("llvm.1", with: "llvm.2"))
  }

  @Test func anUpdateChangesNothingButRenamedEntries() throws {
    let (workshop, _) = try link(Self.order)
    let found = try verification(workshop) { $0.outputPath = "new.order" }
    let expected = Self.order.replacing("renamed.llvm.1", with: "renamed.llvm.2")
    #expect(found.updated.map { String(decoding: $0, as: UTF8.self) } == expected)
    #expect(found.document.update == .init(outputPath: "new.order", lines: 1))
    try workshop.write(expected.utf8, "app.order")
    let again = try verification(workshop) { $0.outputPath = "new.order" }
    #expect(again.updated == nil && again.document.update?.lines == 0)
    #expect(again.document.stale == found.document.stale - 1)
  }

  /// A program and its library are linked with the same order file.
  @Test func anEntryOfAnyImageIsPresent() throws {
    let workshop = try Workshop()
    try workshop.write("int f(void) { return 1; }".utf8, "lib.c")
    try workshop.write("int f(void); int main(void) { return f(); }".utf8, "main.c")
    try workshop.write("main\nf\nq\n".utf8, "app.order")
    let lld = try workshop.use(linker: try #require(toolPath("ld.lld")), as: "lld")
    let build = try workshop.run(
      "clang", ["-shared", "-fPIC", "-ffunction-sections", "lib.c", "-o", "lib.so"] + lld)
    #expect(build.status == 0, "\(build.output)")
    let link = try workshop.run(
      "clang",
      ["-ffunction-sections", "main.c", "./lib.so", "-o", "app", "-Wl,-Map=app.map,--no-demangle"]
        + lld)
    #expect(link.status == 0, "\(link.output)")
    #expect(
      lines(try verification(workshop).document) == [
        "2 unorderable: unable to order shared symbol: f", "3 missing: no such symbol: q",
      ])
    for images in [["app", "lib.so"], ["lib.so", "app"], ["app.map", "lib.so"]] {
      #expect(
        lines(try verification(workshop, images: images).document) == [
          "3 missing: no such symbol: q"
        ])
    }
    let withMap = try verification(workshop) {
      $0.linkMap = workshop.folder.appendingPathComponent("app.map").path
    }
    #expect(withMap.document.stale == 2)
  }

  /// An entry of data is looked up like an entry of a function, also if the compiler has renamed the data.
  @Test func entriesOfDataAreVerifiedToo() throws {
    let (workshop, _) = try link("f1\n# data\ntable\ngone\ntable.llvm.7\n")
    let found = try verification(workshop)
    #expect(found.document.entries == 4 && found.document.dataEntries == 1)
    #expect(
      lines(found.document) == [
        "4 missing: no such symbol: gone", "5 missing: no such symbol: table.llvm.7",
      ])
  }

  @Test func theGateComparesCountsExactly() throws {
    let (workshop, _) = try link("f1\nf2\nq1\nq2\n")
    let found = try verification(workshop)
    for (share, passes) in [("50%", true), ("49.9999%", false), ("0%", false), ("100%", true)] {
      let limits = try CommandLimits(parsing: ["verify.stale<=\(share)"], of: .verify)
      let failures = try limits.failures(
        of: .verify(VerifyFigures(found.document)), path: "app.order")
      #expect(failures.isEmpty == passes, "\(share)")
      #expect(failures.allSatisfy { $0.severity == .checkFailed })
      #expect(failures.allSatisfy { $0.message.hasSuffix("found 50%") }, "\(failures)")
    }
  }

  @Test func anOrderFileOfAnotherProgramIsAMismatch() throws {
    let (workshop, _) = try link("q1\nq2\n")
    #expect { try verification(workshop) } throws: {
      ($0 as? Diagnostic)?.severity == .mismatch
    }
  }
}
