import ByteReading
import ImageModel
import ModelSamples
import OrderFileFormat
import OrderFileMatching
import TestSupport
import Testing

/// Tests which entries of an order file a build has, and what the names of the others are now.
@Suite struct EntryStatesTests {
  private func states(
    _ order: String, _ layouts: [Layout], as dialect: OrderFileDialect = .lld
  ) throws -> [String] {
    let file = try dialect.read(FileBytes(Array(order.utf8)))
    return EntryStates(of: file, in: layouts.map { ($0, nil) }).entries.map { entry in
      switch entry.state {
      case .present(let bodies): bodies == 1 ? "\(entry.name)" : "\(entry.name) x\(bodies)"
      case .untold: "untold \(entry.name)"
      case .data: "data \(entry.name)"
      case .stale(let reason): "\(reason): \(entry.name)"
      }
    }
  }

  static let program = layout(
    [Placed("a", 0x1000), Placed("t", 0x1010), Placed("t", 0x1020), Placed("alias", 0x1000)],
    absent: [("b", .shared), ("n", .absolute), ("table", .data)])
  static let library = layout(
    [Placed("b", 0x1000), Placed("table", 0x1010)], absent: [("a", .undefined), ("u", .undefined)])

  @Test func anEntryIsOfOneStateAndInTheOrderOfTheFile() throws {
    let order = "a\nt\nb\nn\ntable\nq\na\nalias\nu\n"
    #expect(
      try states(order, [Self.program]) == [
        "a", "t x2", "unable to order shared symbol: b", "unable to order absolute symbol: n",
        "data table", "no such symbol: q", "duplicate ordered symbol: a", "alias",
        "no such symbol: u",
      ])
    let both = [
      "a", "t x2", "b", "unable to order absolute symbol: n", "table", "no such symbol: q",
      "duplicate ordered symbol: a", "alias", "unable to order undefined symbol: u",
    ]
    #expect(try states(order, [Self.program, Self.library]) == both)
    #expect(try states(order, [Self.library, Self.program]) == both)
  }

  @Test func whatASectionHoldsIsUntoldUnlessALayoutHasInputSections() throws {
    let image = layout([Placed("a", 0x1000), Placed("own", 0x1010)])
    let map = layout([Placed("a", 0x1000, ".text.a"), Placed("own", 0x1010, "startup_code")])
    let order = ".text.a\nstartup_code\nnone\n"
    #expect(try states(order, [image], as: .gold) == ["a", "untold startup_code", "untold none"])
    #expect(
      try states(order, [map], as: .gold) == ["a", "startup_code", "no such section: none"])
    #expect(
      try states(order, [image, map], as: .gold) == ["a", "startup_code", "untold none"])
  }

  /// An entry that is stale here is missing in the check of a link, which `diff` and `check` report.
  @Test func staleMeansTheSameAsInTheCheckOfALink() throws {
    var random = SeededRandom(seed: 7)
    let names = ["a", "t", "b", "n", "table", "q", "alias", "u", "t.cold"]
    for dialect in [OrderFileDialect.lld, .gold, .ld64, .ld64LLD, .ldPrime] {
      for _ in 0..<50 {
        let prefix = dialect.namesSections ? ".text." : ""
        let lines = (0..<12).map { _ in
          prefix + names[Int.random(in: 0..<names.count, using: &random)]
        }
        let file = try dialect.read(FileBytes(Array(lines.joined(separator: "\n").utf8)))
        let check = OrderFileCheck(file, layout: Self.program)
        let states = EntryStates(of: file, in: [(Self.program, nil)]).entries
        let stale = states.compactMap { entry in
          if case .stale(let reason) = entry.state { "\(reason): \(entry.name)" } else { nil }
        }
        #expect(stale == check.missing.map(\.description))
        #expect(states.count { $0.state == .data } == check.dataEntries)
        #expect(states.count - check.dataEntries == check.entries)
      }
    }
  }

  @Test func ofApplesLinkersOneOfSeveralBodiesIsAmbiguousToo() throws {
    let layout = machOLayout(["a.o|_t", "b.o|_t", "a.o|_a"])
    for dialect in [OrderFileDialect.ld64, .ld64LLD, .ldPrime] {
      #expect(try states("_t\n_a\n", [layout], as: dialect) == ["_t x2", "_a"])
    }
    #expect(try states("b.o:_t\n_a\n", [layout], as: .ld64) == ["_t", "_a"])
  }

  /// The old name, other names in the order file, the functions of the build, and the resulting present names.
  static let renamed: [(String, [String], [String], [String])] = [
    ("f.llvm.1", [], ["f.llvm.2"], ["f.llvm.2"]),
    ("f.llvm.1", [], ["f"], ["f"]),
    ("f", [], ["f.constprop.0"], ["f.constprop.0"]),
    ("f.isra.0", [], ["f.constprop.1", "f"], ["f"]),
    ("f.llvm.1", ["f.llvm.2"], ["f.llvm.2"], []),
    ("f.llvm.1", ["f.llvm.2"], ["f.llvm.2", "f.llvm.3"], ["f.llvm.3"]),
    ("f.llvm.1", [], ["f.llvm.2", "f.llvm.3"], ["f.llvm.2", "f.llvm.3"]),
    // A part of a function is not the function itself.
    ("f.cold", [], ["f"], []), ("f.part.0", [], ["f"], []),
    ("f.cold", [], ["f.cold.1"], ["f.cold.1"]),
    (
      "_ZN3app4load17h0123456789abcdefE", [], ["_ZN3app4load17h00112233445566aaE"],
      ["_ZN3app4load17h00112233445566aaE"]
    ),
    ("g", [], ["f"], []),
    ("OUTLINED_FUNCTION_1", [], ["OUTLINED_FUNCTION_2"], []),
    // The Swift source file was renamed.
    (swift("A"), [], [swift("B")], [swift("B")]),
    (swift("A"), [swift("B")], [swift("B"), swift("C")], [swift("C")]),
    (swift("A"), [], [swift("B"), swift("C")], [swift("B"), swift("C")]),
    (swift("A", "fyyF"), [], [swift("B", "gyyF")], []),
    // The only closure of a Swift function has another number.
    ("$s3app4loadyyFyycfU0_", [], ["$s3app4loadyyFyycfU_"], ["$s3app4loadyyFyycfU_"]),
    (
      "$s3app4loadyyFyycfU0_", ["$s3app4loadyyFyycfU_"],
      ["$s3app4loadyyFyycfU_", "$s3app4loadyyFyycfU1_"], []
    ),
  ]

  private static func swift(_ digit: Character, _ rest: String = "yyF") -> String {
    "$s3app4load33_\(String(repeating: digit, count: 32))LL\(rest)"
  }

  @Test(arguments: renamed)
  func whatIsRenamedIsFound(
    old: String, listed: [String], functions: [String], expected: [String]
  ) {
    let layout = layout(
      functions.enumerated().map { Placed($1, 0x1000 + UInt64($0) * 16) })
    var search = RenamedSymbols(in: [layout], listed: listed.map { SymbolName($0) })
    #expect(search.presentNames(of: SymbolName(old)).map(\.description) == expected)
  }

  @Test func aNameIsFoundForOneEntryOnly() {
    let layout = layout([Placed("f.llvm.3", 0x1000), Placed("f.llvm.3", 0x2000)])
    var search = RenamedSymbols(in: [layout, layout], listed: [])
    #expect(search.presentNames(of: "f.llvm.1") == ["f.llvm.3"])
    #expect(search.presentNames(of: "f.llvm.2").isEmpty)
  }
}
