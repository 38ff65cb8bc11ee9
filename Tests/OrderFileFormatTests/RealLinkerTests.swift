import ByteReading
import Foundation
import OrderFileFormat
import TestSupport
import Testing

/// A linker on this machine, and how it is told the order.
struct Linker: CustomTestStringConvertible, Sendable {
  var tool: String
  /// The linker's name in a compiler driver's option `-fuse-ld`.
  var driverName: String
  var dialect: OrderFileDialect
  /// The linker's option, without the file.
  var option: String
  var testDescription: String { tool }

  static let installed = [
    Linker(tool: "ld.lld", driverName: "lld", dialect: .lld, option: "--symbol-ordering-file="),
    Linker(tool: "ld.lld-19", driverName: "lld", dialect: .lld, option: "--symbol-ordering-file="),
    Linker(tool: "ld.gold", driverName: "gold", dialect: .gold, option: "--section-ordering-file="),
    Linker(tool: "ld.bfd", driverName: "bfd", dialect: .gnuLD, option: "-T"),
  ].filter { Requirement.tool($0.tool).keepsArguments }

  static func installed(_ dialect: OrderFileDialect) -> [Linker] {
    installed.filter { $0.dialect == dialect }
  }
}

let compilers = ["clang", "gcc"].filter { Requirement.tool($0).keepsArguments }

/// Entries for functions that may lie in any of the sections in which compilers put functions.
func candidates(_ names: [String]) -> [OrderFileEntry] {
  names.flatMap { name in
    FunctionSection.candidates(of: bytes(name)).map {
      OrderFileEntry(symbol: bytes(name), section: $0)
    }
  }
}

/// Links small programs with real linkers, and checks with `nm -n` that the functions have the requested order.
@Suite(.needs("clang", "ld.lld", "nm"))
struct RealLinkerTests {
  static let program = """
    #include <stdio.h>
    #define F(n) __attribute__((noinline)) void n(void) { puts(#n); }
    F(f1) F(f2) F(f3) F(f4)
    __attribute__((noinline)) static void quiet(void) { puts("quiet"); }
    __attribute__((noinline, cold)) void rare(void) { puts("rare"); }
    __attribute__((noinline)) void dead(void) { puts("dead"); }
    int main(void) { f1(); f2(); f3(); f4(); quiet(); rare(); return 0; }
    """

  /// Links with `order`, written in the linker's dialect. Returns those names in `of` that `nm` lists, in its order.
  private func link(
    _ workshop: Workshop, _ linker: Linker, compiler: String, order: [UInt8],
    objects: [String] = ["main.o"], options: [String] = []
  ) throws -> ToolResult {
    try workshop.write(order, "app.order")
    let path = try #require(toolPath(linker.tool))
    return try workshop.run(
      compiler,
      objects + ["-o", "app", "-Wl,\(linker.option)app.order"]
        + workshop.use(linker: path, as: linker.driverName) + options)
  }

  private func compile(
    _ workshop: Workshop, _ compiler: String, _ source: String = program,
    as name: String = "main.c",
    options: [String] = []
  ) throws {
    try workshop.write(source.utf8, name)
    let object = name.split(separator: ".")[0] + ".o"
    let result = try workshop.run(
      compiler, ["-O2", "-ffunction-sections", "-c", name, "-o", String(object)] + options)
    try #require(result.status == 0, "\(result.output)")
  }

  @Test(arguments: compilers, Linker.installed)
  func theOrderIsTheOneAskedFor(compiler: String, linker: Linker) throws {
    let workshop = try Workshop()
    try compile(workshop, compiler)
    for names in [
      ["f3", "main", "quiet", "f1", "rare"], ["rare", "f4", "f3", "f2", "f1", "quiet", "main"],
    ] {
      let written = linker.dialect.write(candidates(names), header: ["orderfile", "two"])
      let result = try link(
        workshop, linker, compiler: compiler, order: written.bytes, options: ["-Wl,--gc-sections"])
      #expect(result.status == 0 && result.output.isEmpty, "\(result.output)")
      let functions = try workshop.functions(in: "app")
      let text = functions.drop { $0 == "_init" }
      #expect(Array(text.prefix(names.count)) == names, "\(functions)")
      let run = try workshop.run("app", [])
      #expect(run.status == 0)
      #expect(run.output == "f1\nf2\nf3\nf4\nquiet\nrare\n")
    }
  }

  /// Sections and symbols with names that the linkers' syntaxes stumble over; `aXb` matches `a*b` as a
  /// glob and must stay where it was.
  @Test(.needs("clang"), arguments: Linker.installed)
  func oddNamesAreOrdered(linker: Linker) throws {
    let odd = [
      "a*b", "$s4main3FooV", "a b", "a[b", "-[Foo bar:]", "a{b};(c)", "a#b", "grüße", "a?b",
      "a[!c]b",
      "a/*b*/", "a'b", "a=b,c:d", "hidden.llvm.9137", "#a",
    ].filter { linker.dialect.namesSections || $0 != "#a" }
    let workshop = try Workshop()
    var assembly = ".section .note.GNU-stack,\"\",@progbits\n"
    for name in ["aXb", "adb"] + odd.sorted() {
      assembly += """
        .section ".text.\(name)","ax",@progbits
        .globl "\(name)"
        "\(name)": ret

        """
    }
    try compile(workshop, "clang")
    try compile(workshop, "clang", assembly, as: "odd.s")
    let written = linker.dialect.write(odd.map(entry))
    #expect(written.unwritable.isEmpty)
    let result = try link(
      workshop, linker, compiler: "clang", order: written.bytes, objects: ["main.o", "odd.o"])
    #expect(result.status == 0 && result.output.isEmpty, "\(result.output)")
    let functions = try workshop.functions(in: "app").drop { $0 == "_init" }
    #expect(Array(functions.prefix(odd.count)) == odd, "\(functions)")
    #expect(functions.contains("aXb"))
  }

  @Test(.needs("clang"), arguments: Linker.installed)
  func ofTwoEqualLinesTheDialectSaysWhichCounts(linker: Linker) throws {
    let order: String =
      switch linker.dialect.name {
      case "lld": "f3\nf1\nf3\n"
      case "gold": ".text.f3\n.text.f1\n.text.f3\n.text.*\n.text\n"
      default: "SECTIONS { .o : { *(.text.f3) *(.text.f1) *(.text.f3) } } INSERT BEFORE .text;"
      }
    let workshop = try Workshop()
    try compile(workshop, "clang")
    let result = try link(workshop, linker, compiler: "clang", order: bytes(order))
    #expect(result.status == 0, "\(result.output)")
    let functions = try workshop.functions(in: "app").filter { $0 == "f1" || $0 == "f3" }
    #expect(functions == (linker.dialect.lastDuplicateWins ? ["f1", "f3"] : ["f3", "f1"]))
  }

  /// lld warns about each symbol that it does not find, and so shows how it reads a line.
  @Test(.needs("clang"), arguments: Linker.installed(.lld))
  func lldReadsTheSameNames(linker: Linker) throws {
    let order =
      "\u{feff}first\n  x1 \t\n# x2\n\t# x3\nx4 # x5\n\r\n\nx6\r\n/* x7 */\nx8\rx9\nx10#\n\u{b}x11\n"
      + "foo.o:x12\nx13"
    let workshop = try Workshop()
    try compile(workshop, "clang")
    let result = try link(workshop, linker, compiler: "clang", order: bytes(order))
    let warning = "no such symbol: "
    let unknown = result.output.components(separatedBy: "\n").compactMap { line in
      line.firstRange(of: warning).map { bytes(String(line[$0.upperBound...])) }
    }
    #expect(unknown.count == 10)
    // lld warns in the order of a hash table.
    #expect(Set(unknown) == Set(try read(order, .lld).entries.map(\.symbol)))
  }

  static let exceptions = """
    #include <cstdio>
    #include <stdexcept>
    extern "C" char __executable_start, etext;
    __attribute__((noinline, cold)) void fail() { throw std::runtime_error("caught"); }
    __attribute__((noinline)) void unused() { puts("unused"); }
    struct Static { Static() { puts("constructed"); } } object;
    int main() {
      try { fail(); } catch (std::exception &error) { puts(error.what()); }
      char *here = (char *)(void *)&main;
      puts(&__executable_start < here && here < &etext ? "between" : "outside");
    }
    """

  @Test(
    .needs("clang"), arguments: Linker.installed(.gnuLD),
    [["-fPIE", "-pie"], ["-fno-pie", "-no-pie"], ["-fno-pie", "-static"]])
  func aGNULDScriptLeavesTheRestOfTheLinkAlone(linker: Linker, options: [String]) throws {
    let workshop = try Workshop()
    try compile(
      workshop, "clang", Self.exceptions, as: "main.cc", options: Array(options.prefix(1)))
    let order = linker.dialect.write(candidates(["main", "_Z6unusedv", "_Z4failv", "nowhere"]))
    let result = try link(
      workshop, linker, compiler: "clang", order: order.bytes,
      options: options.suffix(1) + ["-lstdc++", "-Wl,--gc-sections"])
    #expect(result.status == 0 && result.output.isEmpty, "\(result.output)")
    #expect(try workshop.run("app", []).output == "constructed\ncaught\nbetween\n")
    let functions = try workshop.functions(in: "app")
    #expect(!functions.contains("_Z6unusedv"), "a dead function came back")
    let main = try #require(functions.firstIndex(of: "main"))
    #expect(functions[main + 1] == "_Z4failv")
  }

  /// Object files and members of archives, as GNU ld spells them.
  @Test(.needs("clang"), arguments: Linker.installed(.gnuLD))
  func aGNULDObjectFileIsTheOnlyOneThatMoves(linker: Linker) throws {
    let workshop = try Workshop()
    try compile(workshop, "clang")
    for name in ["a", "b"] {
      try compile(
        workshop, "clang",
        "static __attribute__((used)) void twin(void) {} void \(name)_last(void) {}",
        as: "\(name).c")
    }
    let order = linker.dialect.write([
      entry("f2"),
      OrderFileEntry(symbol: bytes("twin"), objectFile: bytes("b.o"), section: bytes(".text.twin")),
      entry("f1"),
    ])
    let result = try link(
      workshop, linker, compiler: "clang", order: order.bytes, objects: ["main.o", "a.o", "b.o"])
    #expect(result.status == 0 && result.output.isEmpty, "\(result.output)")
    let functions = try workshop.functions(in: "app").filter { !$0.hasPrefix("_") }
    #expect(Array(functions.prefix(3)) == ["f2", "twin", "f1"])
    #expect(functions.count { $0 == "twin" } == 2)
  }
}
