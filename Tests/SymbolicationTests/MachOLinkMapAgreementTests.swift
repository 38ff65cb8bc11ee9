import Addresses
import ByteReading
import Foundation
import ImageModel
import LinkMapFormat
import OrderFileFormat
import OrderFileMatching
import Symbolication
import TestSupport
import Testing

/// Links a program with ld64.lld and compares the functions of its map with what LLVM's tools find in the
/// image.
@Suite(.needs(.appleSDK)) struct MachOLinkMapAgreementTests {
  struct Link: CustomTestStringConvertible, Sendable {
    var platform = AppleSDK.Platform.iOS
    /// Additional options for C and C++. `-flto…` needs a clang of the linker's release.
    var compilerFlags: [String] = []
    var linkerFlags: [String] = []
    var testDescription: String {
      ([platform.architecture] + compilerFlags + linkerFlags).joined(separator: " ")
    }
    var isLTO: Bool { !compilerFlags.isEmpty }

    static let native = [
      Link(), Link(linkerFlags: ["--icf=all"]), Link(linkerFlags: ["-dead_strip"]),
      Link(platform: .macOSx8664),
      Link(platform: .macOSx8664, linkerFlags: ["--icf=all", "-dead_strip"]),
    ]
    static let all =
      native + [
        Link(compilerFlags: ["-flto=thin"]),
        Link(platform: .macOSx8664, compilerFlags: ["-flto"], linkerFlags: ["-dead_strip"]),
      ]
  }

  static let sources = [
    "main.cc": """
    extern "C" int left(int), right(int), entry(void), second(void);
    struct Global { int v; Global(); int f(int) const; } global;
    Global::Global() : v(left(3)) {}
    template <class T> __attribute__((noinline)) T shared(T x) { return x + 5; }
    int Global::f(int x) const { return shared(x) + shared((long)x); }
    __attribute__((noinline)) static int local(int x) { return right(x) + global.f(x); }
    int main(int n, char **) { return local(n) + entry() + second(); }
    """,
    "left.c": """
    int puts(const char *);
    #define APART __attribute__((noinline))
    APART static int helper(int x) { return puts("left") + x; }
    APART int same1(int x) { return x * 7 + 3; }
    APART int same2(int x) { return x * 7 + 3; }
    APART int unused(int x) { return x * 9 + 3; }
    APART __attribute__((section("__TEXT,__startup"))) int startup(int x) { return puts("s") + x; }
    int left(int x) { return helper(x) + same1(x) + same2(x) + startup(x); }
    """,
    "right.c": """
    int puts(const char *);
    __attribute__((noinline)) static int helper(int x) { return puts("right") - x; }
    int right(int x) { return helper(x) + 1; }
    """,
    "thing.m": """
    #import <objc/NSObject.h>
    @interface Thing : NSObject
    @end
    @implementation Thing
    + (void)load { }
    - (int)take:(int)x with:(int)y { return x * y; }
    @end
    @implementation Thing (More)
    - (int)more { return [self take:1 with:2]; }
    @end
    """,
    "assembly.s": """
    .text
    .globl _entry, _alternate, _second
    _entry: .long 0
    .alt_entry _alternate
    _alternate: .long 0
    .set _second_alias, _second
    _second: .long 0, 0
    label: .long 0
    .subsections_via_symbols
    """,
  ]

  /// The sources and their objects.
  private static let compiled = AppleSDK.Platform.compiled { platform, workshop in
    let sdk = try AppleSDK()
    for (name, text) in sources { try workshop.write(text.utf8, name) }
    for name in sources.keys.sorted() {
      try sdk.compile(name, to: "\(name).o", for: platform, flags: ["-g"], in: workshop)
    }
  }

  /// Builds `app` and `app.map`. The C files are members of an archive.
  private static func build(_ link: Link) throws -> Workshop {
    let sdk = try AppleSDK()
    let workshop = try #require(compiled[link.platform]).copy()
    for name in sources.keys.sorted()
    where link.isLTO && (name.hasSuffix(".c") || name.hasSuffix(".cc")) {
      let arguments = ["-target", link.platform.rawValue, "-O1", "-c", name, "-o", "\(name).o"]
      let result = try workshop.run("clang-19", arguments + link.compilerFlags)
      try #require(result.status == 0, "\(result.output)")
    }
    let archive = try workshop.run("llvm-ar-19", ["rcsD", "libparts.a", "left.c.o", "right.c.o"])
    try #require(archive.status == 0, "\(archive.output)")
    try sdk.link(
      ["main.cc.o", "assembly.s.o", "thing.m.o", "libparts.a"], to: "app", for: link.platform,
      flags: link.linkerFlags + ["-map", "app.map", "-alias", "_left", "_left_alias"],
      in: workshop)
    return workshop
  }

  private static func layout(in workshop: Workshop) throws -> (Layout, LinkMap) {
    let path = workshop.folder.appendingPathComponent("app.map").path
    let map = try LinkMap(parsing: FileBytes(path: path))
    var diagnostics: [Diagnostic] = []
    let layout = Layout(map, diagnostics: &diagnostics)
    #expect(diagnostics.isEmpty)
    return (layout, map)
  }

  @Test(arguments: Link.all) func namesAndAddressesAreThoseOfTheSymbolTable(_ link: Link) throws {
    let workshop = try Self.build(link)
    let (layout, map) = try Self.layout(in: workshop)
    #expect(Architecture(map)?.description == link.platform.architecture)
    let found = layout.functions.map { "\($0.address) \(layout.name(of: $0))" }

    let code = layout.sections.filter(\.isExecutable)
    #expect(
      code.map(\.name.description).filter { !$0.contains("stub") }
        == ["__TEXT,__text", "__TEXT,__startup"])
    // The listed kinds of symbols are not used, because `t` means only `__text`.
    let lines = try workshop.run("llvm-nm-19", ["--defined-only", "--format=posix", "app"]).output
    let symbols = try lines.split(separator: "\n").compactMap { line -> String? in
      let fields = line.split(separator: " ")
      let value = try #require(UInt64(fields[fields.count - 2], radix: 16))
      let address = StatedAddress(rawValue: value)
      guard code.contains(where: { $0.range.contains(address) }) else { return nil }
      return "\(address) \(fields.dropLast(3).joined(separator: " "))"
    }
    #expect(Set(found).symmetricDifference(symbols) == [])
    #expect(found.count == symbols.count && found.count >= 10)

    // The image itself, read by the reader of Mach-O files, has the same functions and sections.
    let path = workshop.folder.appendingPathComponent("app").path
    let (image, _) = try Image.reading(path: path)
    #expect(
      image.layout.functions.map { "\($0.address) \(image.layout.name(of: $0))" }.sorted()
        == found.sorted())
    let sections = image.layout.sections.map { "\($0.name) \($0.range) \($0.isExecutable)" }
    let ofMap = layout.sections.map { "\($0.name) \($0.range) \($0.isExecutable)" }
    #expect(Set(ofMap).subtracting(sections) == [])
  }

  /// The debug map of the image names the object file and the size of each function.
  @Test(arguments: Link.native) func sizesAndObjectFilesAreThoseOfTheDebugMap(_ link: Link) throws {
    let workshop = try Self.build(link)
    let (layout, _) = try Self.layout(in: workshop)
    let sdk = try AppleSDK()
    let debugMap = try workshop.run(sdk.dsymutil, ["--dump-debug-map", "app"]).output
    let entry = /sym: '?(.*?)'?, objAddr.*binAddr: 0x([0-9A-F]+), size: 0x([0-9A-F]+)/
    var file: Substring = ""
    var expected: [String: (file: Substring, size: UInt64)] = [:]
    for line in debugMap.split(separator: "\n") {
      if line.contains("filename:") {
        file = line.split(separator: "/").last?.dropLast() ?? ""
      } else if let found = line.firstMatch(of: entry) {
        let address = StatedAddress(rawValue: try #require(UInt64(found.2, radix: 16)))
        expected["\(address) \(found.1)"] = (file, try #require(UInt64(found.3, radix: 16)))
      }
    }
    var compared = 0
    for function in layout.functions {
      guard let judge = expected["\(function.address) \(layout.name(of: function))"] else {
        continue
      }
      compared += 1
      let file = function.objectFile.map { layout.names.name($0).description }
      #expect(file == String(judge.file), "\(layout.name(of: function))")
      // The debug map has no size for functions outside of __text.
      #expect(judge.size == 0 || function.knownBytes == judge.size, "\(layout.name(of: function))")
    }
    #expect(compared >= 12)
    let helpers = layout.functions.filter { layout.name(of: $0) == "_helper" }
    #expect(
      helpers.map { $0.objectFile.map { layout.names.name($0).description } }
        == ["libparts.a(left.c.o)", "libparts.a(right.c.o)"])
  }

  @Test(arguments: Link.native) func aliasesAndFoldedFunctionsHaveTheSizeOfTheirBody(
    _ link: Link
  ) throws {
    let (layout, _) = try Self.layout(in: try Self.build(link))
    func functions(_ name: SymbolName) -> [PlacedSymbol] {
      layout.functions.filter { layout.name(of: $0) == name }
    }
    for (name, alias) in [("_left", "_left_alias"), ("_second", "_second_alias")] {
      let body = try #require(functions(SymbolName(name)).first)
      let other = try #require(functions(SymbolName(alias)).first)
      #expect(body.address == other.address && body.size == other.size && body.size != nil)
    }
    if link.linkerFlags.contains("--icf=all") {
      let same = functions("_same1") + functions("_same2")
      #expect(same.count == 2 && same[0].address == same[1].address)
      #expect(same.allSatisfy { $0.size == same[0].size && $0.size != nil })
    }
    // No functions overlap, and between them are only the linker's own functions and labels.
    for (function, next) in zip(layout.functions, layout.functions.dropFirst())
    where next.address != function.address && next.section == function.section {
      #expect(function.address.rawValue + function.knownBytes <= next.address.rawValue)
    }
  }

  @Test func whatTheLinkerStrippedIsDiscarded() throws {
    let workshop = try Self.build(Link(linkerFlags: ["-dead_strip"]))
    let (layout, _) = try Self.layout(in: workshop)
    let symbols = try workshop.run("llvm-nm-19", ["app"]).output
    #expect(!symbols.contains("_unused"))
    let order = try OrderFileDialect.ld64.read(FileBytes(Array("_unused\n_main\n_q\n".utf8)))
    #expect(
      OrderFileCheck(order, layout: layout).missing.map(\.description) == [
        "unable to order discarded symbol: _unused", "no such symbol: _q",
      ])
    // Only the image shows the imported functions. The image and the map together show the functions of both.
    let path = workshop.folder.appendingPathComponent("app").path
    let (image, _) = try Image.reading(path: path)
    let both = image.layout.addingOrigins(of: layout)
    let imports = try OrderFileDialect.ld64.read(FileBytes(Array("_puts\n_unused\n".utf8)))
    #expect(
      OrderFileCheck(imports, layout: both).missing.map(\.description) == [
        "unable to order shared symbol: _puts", "unable to order discarded symbol: _unused",
      ])
  }
}
