import Addresses
import Demangling
import ImageModel
import ModelSamples
import Symbolication
import TestSupport
import Testing

/// A hash as ThinLTO appends it to the names of local functions.
private let hash = "0e5be163810b03ec1e6a68c783e08170"

@Suite struct SymbolMapTests {
  /// A resolution as a line of text: `exact f f?` where `?` says ambiguous.
  static func outcome(_ name: String, in symbols: [String]) -> String {
    var map = SymbolMap(elfLayout(symbols))
    func line(_ kind: String, _ found: [Int]) -> String {
      kind + " " + map.layout.names(found).joined(separator: " ")
        + (map.isAmbiguous(found, for: SymbolName(name)) ? " ?" : "")
    }
    switch map.resolve(SymbolName(name)) {
    case .exact(let found): return line("exact", found)
    case .canonical(let found, let match): return line("\(match)", found)
    case .missing(let reason): return "missing: \(reason)"
    }
  }

  @Test(.needs(.time)) func thousandsOfNamesOfOneFormTakeLinearTime() {
    func input(_ size: Int) -> (map: SymbolMap, names: [SymbolName]) {
      let layout = elfLayout((0..<size).map { "f.llvm.\($0)" })
      return (SymbolMap(layout), (0..<size).map { SymbolName("f.llvm.1\(size + $0)") })
    }
    func resolve(_ input: (map: SymbolMap, names: [SymbolName])) {
      var map = input.map
      for name in input.names
      where map.resolve(name).functions.count != min(1024, input.names.count) {
        Issue.record("expected as many as are compared at most")
      }
    }
    #expect(costGrowth(from: 2000, by: 4, of: input, resolve) < 10)
  }

  @Test(
    arguments: [
      ("f", ["f"], "exact f"),
      ("f", ["f", "f.cold", "f.isra.0", "f.1"], "exact f"),
      ("hid", ["hid.llvm.969", "hid", "hid.llvm.8.cold"], "exact hid.llvm.969 hid ?"),
      ("hid.llvm.969", ["hid.llvm.969", "hid"], "exact hid.llvm.969"),
      ("hid", ["a", "hid", "b", "hid"], "exact hid hid ?"),
      ("f", ["f", "=f", "=g"], "exact f f"),
      // Names with and without the suffix of a promoted function, and with another number in it.
      ("hid", ["hid.llvm.969"], "variant hid.llvm.969"),
      ("hid.llvm.4", ["hid.llvm.969", "x"], "renumbered hid.llvm.969"),
      ("hid.llvm.4", ["hid"], "base hid"),
      ("hid.10", ["hid", "hid.1"], "renumbered hid.1"),
      (
        "hid.lto_priv.7", ["hid.lto_priv.0", "hid.lto_priv.1"],
        "renumbered hid.lto_priv.0 hid.lto_priv.1 ?"
      ),
      ("f@@V2", ["f"], "base f"), ("f", ["f@@V2"], "variant f@@V2"),
      // Clones. The preferred match is a clone of the same kind, then the function itself, then another clone, then a
      // piece of the function.
      ("f.isra.0", ["f", "f.isra.3", "f.part.0"], "renumbered f.isra.3"),
      ("f.isra.0", ["f.constprop.0", "f", "f.part.0"], "base f"),
      ("f.isra.0", ["f.part.0", "f.constprop.0"], "variant f.constprop.0"),
      ("f", ["f.part.0", "x"], "partial f.part.0"), ("f.part.0", ["f"], "partial f"),
      ("f.part.0", ["f", "f.part.1"], "renumbered f.part.1"),
      ("cpr", ["cpr.constprop.0", "=cpr.constprop.1"], "variant cpr.constprop.0 cpr.constprop.1"),
      // Cold parts.
      ("f.cold", ["f", "f.cold.1"], "renumbered f.cold.1"),
      ("f.cold", ["f.isra.0.cold"], "variant f.isra.0.cold"),
      ("f.cold", ["f"], "unsplit f"), ("f.cold.1", ["f.cold", "f"], "renumbered f.cold"),
      ("f.cold", ["g"], "missing: only in the recorded build: the cold part of a function"),
      ("f", ["f.cold"], "missing: renamed, inlined, merged or removed in the release build"),
      // Control-flow integrity: an entry in a jump table, and the function's code.
      ("f", ["f", "f.cfi", "g.cfi"], "exact f f.cfi"), ("f.cfi", ["f", "f.cfi"], "exact f.cfi"),
      ("f", ["f.cfi"], "renumbered f.cfi"), ("f.cfi", ["f"], "renumbered f"),
      ("f", ["f", "f.cfi_jt"], "exact f"), ("f.cfi_jt", ["f"], "renumbered f"),
      ("f", ["f", "f.cfi", "f", "f.cfi"], "exact f f.cfi f f.cfi ?"),
      (
        "f", ["f.\(hash)", "f.\(hash).cfi"], "variant f.\(hash) f.\(hash).cfi"
      ),
      (
        "f", ["f", "f.\(hash)", "f.\(hash).cfi"], "exact f f.\(hash) f.\(hash).cfi ?"
      ),
      ("f.llvm.1.cfi", ["f.llvm.2", "f.llvm.2.cfi"], "renumbered f.llvm.2 f.llvm.2.cfi"),
      // Swift's merged bodies.
      ("$s1a1fyyF", ["$s1a1fyyF", "$s1a1fyyFTm"], "exact $s1a1fyyF $s1a1fyyFTm"),
      ("$s1a1fyyF", ["$s1a1fyyFTm"], "mergedBody $s1a1fyyFTm"),
      ("$s1a1fyyFTm", ["$s1a1fyyFTm", "$s1a1fyyF"], "exact $s1a1fyyFTm"),
      ("$s1a1fyyFTm", ["$s1a1fyyF"], "original $s1a1fyyF"),
      (
        "$s1a1fyyFTm", ["$s1a1gyyF"],
        "missing: only in the recorded build: a merged function, whose original functions have entries of their own"
      ),
      ("f", ["f", "fTm"], "exact f"),
      (
        "$s1a1fSiyYaFTQ0_", ["$s1a1fSiyYaF", "$s1a1fSiyYaFTQ1_", "$s1a1fSiyYaFTY0_"],
        "missing: renamed, inlined, merged or removed in the release build"
      ),
      // Rust.
      (
        "_ZN1a1f17h0123456789abcdefE", ["_ZN1a1f17hffffffffffffffffE"],
        "renumbered _ZN1a1f17hffffffffffffffffE"
      ),
      (
        "_ZN1a1f17h0123456789abcdefE", ["_ZN1a1f17hffffffffffffffffE.llvm.3"],
        "variant _ZN1a1f17hffffffffffffffffE.llvm.3"
      ),
      (
        "_ZN1a1f17h0123456789abcdefE", ["_ZN1a1g17h0123456789abcdefE"],
        "missing: renamed, inlined, merged or removed in the release build"
      ),
      ("_RNvCs1_1a1f", ["_RNvCs22_1a1f", "_RNvCs22_1a1g"], "renumbered _RNvCs22_1a1f"),
      // Functions with such names are never found in the release build.
      (
        "OUTLINED_FUNCTION_3", ["OUTLINED_FUNCTION_3"],
        "missing: outlined by the compiler, under a number that is new in each build and object file: -mno-outline (Swift: -Xllvm -enable-machine-outliner=never) leaves the code in its functions"
      ),
      (
        "sancov.module_ctor_trace_pc_guard.2", ["main"],
        "missing: a constructor of -fsanitize-coverage, only in instrumented builds"
      ),
      (
        "__cxx_global_var_init.3", ["__cxx_global_var_init", "__cxx_global_var_init.4"],
        "missing: renamed, inlined, merged or removed in the release build"
      ),
      ("", ["f"], "missing: renamed, inlined, merged or removed in the release build"),
      ("f", [], "missing: renamed, inlined, merged or removed in the release build"),
    ] as [(String, [String], String)])
  func resolvesARecordedName(name: String, release: [String], expected: String) {
    #expect(Self.outcome(name, in: release) == expected)
  }

  @Test func aLinkerFindsExactNamesOnly() {
    let map = SymbolMap(elfLayout(["f.llvm.1", "g", "$s1a1fyyF", "$s1a1fyyFTm"]))
    #expect(map.resolveAsLinker("f") == .missing(.noSuchSymbol))
    #expect(map.resolveAsLinker("g") == .exact([1]))
    #expect(map.resolveAsLinker("$s1a1fyyF") == .exact([2]))
  }

  @Test func everyReasonIsOneSentenceInLowerCase() {
    let texts = MissingReason.allCases.map(\.description)
    #expect(Set(texts).count == texts.count)
    for text in texts {
      #expect(text.first?.isLowercase == true && !text.hasSuffix("."), "\(text)")
    }
  }

  /// Random names, many of which are equal, or equal except for a suffix.
  static func randomSymbols(count: Int, using random: inout SeededRandom) -> [String] {
    let suffixes = [
      "", "", "", ".llvm.1", ".llvm.2", ".cold", ".cold.1", ".part.0", ".isra.0", ".isra.1", ".7",
    ]
    return (0..<count).map { _ in
      let base = "f\(Int.random(in: 0..<max(1, count / 3), using: &random))"
      let isAlias = Int.random(in: 0..<8, using: &random) == 0
      return (isAlias ? "=" : "") + base + (suffixes.randomElement(using: &random) ?? "")
    }
  }

  @Test(arguments: [0, 1, 2, 7, 8, 9, 100, 1000])
  func agreesWithADictionary(count: Int) throws {
    let seed = UInt64(count) + 3
    var random = SeededRandom(seed: seed)
    let layout = elfLayout(Self.randomSymbols(count: count, using: &random))
    var exact: [SymbolName: [Int]] = [:]
    var canonical: [[UInt8]: [Int]] = [:]
    for (index, function) in layout.functions.enumerated() {
      let name = layout.name(of: function)
      exact[name, default: []].append(index)
      canonical[CanonicalName(name).base, default: []].append(index)
    }
    var map = SymbolMap(layout)
    let queries = Self.randomSymbols(count: count + 50, using: &random)
    for query in queries where !query.hasPrefix("=") {
      let name = SymbolName(query)
      let resolution = map.resolve(name)
      if var expected = exact[name] {
        expected += (canonical[name.bytes] ?? []).filter {
          CanonicalName(layout.name(of: layout.functions[$0])).cuts == .promotion
        }
        expected = expected.sorted()
        #expect(map.resolveAsLinker(name).functions == exact[name], "seed \(seed)")
        let isAmbiguous = Set(expected.map { layout.functions[$0].address }).count > 1
        #expect(resolution == .exact(expected), "seed \(seed)")
        #expect(map.isAmbiguous(expected, for: name) == isAmbiguous, "seed \(seed)")
        continue
      }
      // Compares names only: finds all names that may correspond to the recorded name, and then the best of them.
      let ranked = (canonical[CanonicalName(name).base] ?? []).compactMap { index in
        Self.rank(of: layout.name(of: layout.functions[index]), for: name).map { ($0, index) }
      }
      let best = ranked.map(\.0).min()
      let expected = ranked.filter { $0.0 == best }.map(\.1)
      #expect(resolution.functions == expected, "seed \(seed): \(query)")
    }
  }

  /// How well one name corresponds to another with the same base; `nil` if it does not.
  static func rank(of release: SymbolName, for recorded: SymbolName) -> Int? {
    let (recorded, release) = (CanonicalName(recorded), CanonicalName(release))
    if recorded == release { return 0 }
    if recorded.part == release.part { return release.cuts == [] ? 1 : 2 }
    return release.part == .cold ? nil : recorded.part == .cold ? 4 : 3
  }

  @Test func functionsOfOneNameInAsManyObjectFilesAreFoundWithoutSquares() {
    let growth = costGrowth(
      from: 1000, by: 4, of: { count in machOLayout((0..<count).map { "a\($0).o|_t" }) },
      { layout in
        var map = SymbolMap(layout)
        for index in layout.functions.indices {
          let found = map.resolve("_t", from: SymbolName("lib.a(a\(index).o)"))
          #expect(found.functions == [index])
        }
      })
    #expect(growth < 10, "\(growth) times for 4 times as many")
  }

  @Test func tenThousandFunctionsOfOneNameAreAllFoundQuickly() {
    let map = SymbolMap(elfLayout([String](repeating: "init", count: 10_000)))
    #expect(map.resolveAsLinker("init").functions == Array(0..<10_000))
  }
}
