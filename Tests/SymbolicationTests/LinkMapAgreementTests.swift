import ByteReading
import Foundation
import ImageModel
import LinkMapFormat
import Symbolication
import TestSupport
import Testing

/// Links a small program with each linker of this machine, and compares the functions of its map with
/// the symbol table of its image.
@Suite struct LinkMapAgreementTests {
  struct Link: CustomTestStringConvertible, Sendable {
    var compiler: String
    var linker: String
    var demangles: Bool
    var hasFunctionSections: Bool

    var listsLocals: Bool { !linker.contains("bfd") && !linker.contains("gold") }
    var testDescription: String {
      let file = { ($0 as String).split(separator: "/").last.map(String.init) ?? $0 }
      return "\(file(compiler)), \(file(linker)), "
        + (demangles ? "demangled" : "mangled") + (hasFunctionSections ? ", function sections" : "")
    }
  }

  static let links: [Link] = {
    func kept(_ tools: [String]) -> [String] {
      tools.filter { Requirement.tool($0).keepsArguments }.map { toolPath($0) ?? $0 }
    }
    let compilers = kept(["g++", "clang++"])
    let linkers = kept(["ld.bfd", "ld.gold", "mold", "ld.lld", "ld.lld-19"])
    return compilers.flatMap { compiler in
      linkers.flatMap { linker in
        [(true, true), (false, true), (false, false)].map {
          Link(compiler: compiler, linker: linker, demangles: $0, hasFunctionSections: $1)
        }
      }
    }
  }()

  @Test(.needs("llvm-nm"), arguments: links)
  func functionsOfTheMapStandInTheSymbolTable(_ link: Link) throws {
    let objects = try #require(Self.objects["\(link.compiler) \(link.hasFunctionSections)"])
    let workshop = try objects.copy()
    let folder = workshop.folder
    try build(link, in: folder)

    let bytes = try FileBytes(path: folder.appendingPathComponent("app.map").path)
    var diagnostics: [Diagnostic] = []
    let layout = Layout(try LinkMap(parsing: bytes), diagnostics: &diagnostics)
    let map = Set(
      layout.functions.map {
        "\(String($0.address.rawValue, radix: 16)) \(escaped(layout.names[$0.name]))"
      })
    let nm = try Self.output(
      try #require(toolPath("llvm-nm")), ["--defined-only", "--format=posix", "app"], in: folder)
    let symbols = nm.split(separator: "\n").compactMap(NMSymbol.init)
    let inText = Set(symbols.map { "\($0.address) \($0.name)" })
    #expect(map.subtracting(inText) == [], "in the map, not in the symbol table")
    #expect(!map.isEmpty)

    // The converse: each symbol whose name the map can show must be in the map.
    let expected = symbols.filter { symbol in
      guard symbol.isCode, symbol.isOurs else { return false }
      if link.hasFunctionSections { return !symbol.isAliasOfSection || !link.demangles }
      return link.listsLocals || symbol.isGlobal
    }
    let wanted = Set(expected.map { "\($0.address) \($0.name)" })
    #expect(wanted.subtracting(map) == [], "in the symbol table, not in the map")
    #expect(wanted.count >= 10)
    #expect(link.demangles == diagnostics.contains { $0.message.contains("demangled") })
  }

  /// One line of `llvm-nm --format=posix`: name, kind, address and size.
  struct NMSymbol {
    var name: String
    var kind: Character
    var address: String

    init?(_ line: Substring) {
      let fields = line.split(separator: " ")
      guard fields.count >= 3, let kind = fields[1].first else { return nil }
      name = String(fields[0])
      self.kind = kind
      address = String(fields[2].drop { $0 == "0" })
    }

    var isCode: Bool { "tTwWi".contains(kind) }
    var isGlobal: Bool { "TW".contains(kind) }
    /// Whether the symbol is from the test's sources and not from the C runtime: only names in these sources contain
    /// "Probe".
    var isOurs: Bool { name.contains("Probe") }
    /// Whether the symbol is another name for the function whose name the section has. A demangled map does not show
    /// this name.
    var isAliasOfSection: Bool {
      name.hasPrefix("_ZN9ProbeBaseC1") || name.hasPrefix("_ZN9ProbeBaseD1")
    }
  }

  /// The objects of each compiler, with function sections and without.
  private static let objects: [String: PreparedFolder<Workshop>] = {
    let sources = fixturesFolder.appendingPathComponent("linkmap/agreement")
    let kinds = Set(links.map { [$0.compiler, $0.hasFunctionSections ? "true" : "false"] })
    return Dictionary(
      uniqueKeysWithValues: kinds.map { kind in
        let made = PreparedFolder<Workshop> { workshop in
          for (source, language) in [("main.cc", "c++"), ("part.c", "c"), ("other.c", "c")] {
            let path = sources.appendingPathComponent(source).path
            _ = try output(
              kind[0],
              ["-O2", "-c", "-x", language, path, "-o", "\(source).o"]
                + (kind[1] == "true" ? ["-ffunction-sections"] : []), in: workshop.folder)
          }
        }
        return (kind.joined(separator: " "), made)
      })
  }()

  private func build(_ link: Link, in folder: URL) throws {
    var flags = ["-Wl,-Map=app.map", link.demangles ? "-Wl,--demangle" : "-Wl,--no-demangle"]
    if link.compiler.contains("clang") {
      flags.append("--ld-path=\(link.linker)")
    } else {
      // GCC looks for a linker called `ld` in the folder that -B names.
      try FileManager.default.createSymbolicLink(
        at: folder.appendingPathComponent("ld"),
        withDestinationURL: URL(fileURLWithPath: link.linker))
      flags += ["-B", folder.path]
    }
    _ = try Self.output(
      link.compiler, ["main.cc.o", "part.c.o", "other.c.o", "-o", "app"] + flags, in: folder)
    try #require(try readsAsMap(of: link, in: folder))
  }

  /// Whether the linker that was asked for wrote the map, and not the compiler's own.
  private func readsAsMap(of link: Link, in folder: URL) throws -> Bool {
    let bytes = try FileBytes(path: folder.appendingPathComponent("app.map").path)
    let names: [LinkMapGrammar: String] = [
      .gnu: "ld.bfd", .gold: "ld.gold", .mold: "mold", .lld: "ld.lld",
    ]
    return link.linker.contains(names[try LinkMap(parsing: bytes).grammar] ?? "none")
  }

  /// Runs a tool and returns its standard output.
  private static func output(
    _ path: String, _ arguments: [String], in folder: URL
  ) throws -> String {
    let run = try RunningProcess(path, arguments, in: folder).end()
    try #require(run.status == 0, "\(path) \(arguments.joined(separator: " ")): \(run.errors)")
    return run.text
  }
}
