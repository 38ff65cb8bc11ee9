import Addresses
import ByteReading
import ImageModel
import ModelSamples
import OrderFileFormat
import OrderFileMatching
import TestSupport
import Testing

/// A function of a layout in a test; `input` is its input section.
struct Placed {
  var name: String
  var address: UInt64
  var input: String?
  var section: UInt32

  init(_ name: String, _ address: UInt64, _ input: String? = nil, section: UInt32 = 0) {
    self.name = name
    self.address = address
    self.input = input
    self.section = section
  }
}

/// A layout with the sections `.text` at 0x1000 and `.late` at 0x100000, of 0x10000 bytes each. Functions have 16
/// bytes.
func layout(
  _ functions: [Placed], absent: [(name: String, reason: AbsentSymbol.Reason)] = []
) -> Layout {
  sampleLayout(
    functions.map {
      SampleFunction(
        name: "\($0.name)", address: $0.address, section: $0.section,
        inputSection: $0.input.map { "\($0)" })
    },
    sections: [
      SampleSection(name: ".text", address: 0x1000, size: 0x10000),
      SampleSection(name: ".late", address: 0x100000, size: 0x10000),
    ], absent: absent.map { ("\($0.name)", $0.reason) })
}

@Suite struct OrderFileCheckTests {
  /// Checks an order file given as text and describes the result in one line each.
  private func check(
    _ order: String, _ functions: [Placed], as dialect: OrderFileDialect = .lld,
    absent: [(name: String, reason: AbsentSymbol.Reason)] = []
  ) throws -> OrderFileCheck {
    let file = try dialect.read(FileBytes(Array(order.utf8)))
    let check = OrderFileCheck(file, layout: layout(functions, absent: absent))
    #expect(check.entries == check.present + check.missing.count)
    #expect(check.inOrder <= check.present)
    return check
  }

  static let abc = [Placed("a", 0x1000), Placed("b", 0x1010), Placed("c", 0x1020)]

  @Test func aFollowedOrderIsABlockAtTheStart() throws {
    let result = try check(
      "c\nb\n", [Placed("c", 0x1000), Placed("b", 0x1010), Placed("a", 0x1020)])
    #expect([result.entries, result.present, result.inOrder] == [2, 2, 2])
    #expect(result.firstDeviation == nil && result.missing.isEmpty)
    let block = try #require(result.block)
    #expect(block.bodiesAhead == 0 && block.unlistedBodies == 0 && block.section == 0)
    #expect(block.range == AddressRange(start: StatedAddress(rawValue: 0x1000), size: 0x20))
  }

  @Test func aColdPartThatIsNotWhereTheOrderSaysIsNamed() throws {
    let functions = [Placed("a", 0x1000), Placed("a.cold", 0x1010), Placed("b", 0x1020)]
    let result = try check("a\nb\na.cold\nb.cold\n", functions)
    #expect([result.entries, result.present, result.inOrder] == [4, 3, 2])
    let deviation = try #require(result.firstDeviation)
    #expect(deviation.name == "b" && deviation.expectedPredecessor == "a")
    #expect(result.missing.map(\.description) == ["no such symbol: b.cold"])
  }

  @Test func theFirstDeviationNamesItsExpectedPredecessorAndItsAddress() throws {
    let result = try check("a\nc\nb\n", Self.abc)
    #expect([result.entries, result.present, result.inOrder] == [3, 3, 2])
    let deviation = try #require(result.firstDeviation)
    #expect(deviation.entry == 1 && deviation.name == "c")
    #expect(deviation.expectedPredecessor == "a")
    #expect(deviation.address == StatedAddress(rawValue: 0x1020))
    #expect(try check("c\na\nb\n", Self.abc).firstDeviation?.expectedPredecessor == nil)
    #expect(try check("c\na\nb\n", Self.abc).firstDeviation?.entry == 0)
  }

  @Test func aBlockInTheMiddleIsComplianceToo() throws {
    let result = try check("b\nc\n", [Placed("z", 0x1030)] + Self.abc)
    #expect(result.inOrder == 2)
    #expect(result.block?.bodiesAhead == 1)
    #expect(result.block?.bodiesAhead ?? 0 > 0)
  }

  @Test func unlistedBodiesBetweenTheListedAreCounted() throws {
    let result = try check("a\nc\n", Self.abc + [Placed("b2", 0x1010), Placed("d", 0x1030)])
    #expect(result.inOrder == 2)
    #expect(result.block?.unlistedBodies == 1)
  }

  /// An example is `_init` in an order file: no linker moves it out of `.init`.
  @Test func functionsOfOtherSectionsAreNoDeviation() throws {
    let functions =
      Self.abc + [Placed("x", 0x100000, section: 1), Placed("y", 0x100010, section: 1)]
    let followed = try check("x\na\ny\nb\nc\n", functions)
    #expect(followed.inOrder == 5 && followed.firstDeviation == nil)
    // `x` precedes `b` in the file, but is in another section.
    let strayed = try check("x\nb\ny\na\nc\n", functions)
    #expect(strayed.inOrder == 4)
    #expect(strayed.firstDeviation?.name == "b")
    #expect(strayed.firstDeviation?.expectedPredecessor == nil)
  }

  @Test func theBlockIsInTheSectionThatHasMostOfTheOrder() throws {
    let functions =
      Self.abc + [Placed("x", 0x100000, section: 1), Placed("y", 0x100010, section: 1)]
    #expect(try check("c\nx\ny\n", functions).block?.section == 1)
    #expect(try check("c\nx\n", functions).block?.section == 0)
  }

  /// The cases are those for which lld warns about an entry of its symbol ordering file.
  @Test(
    arguments: [
      ("a\nq\n", [], ["no such symbol: q"]),
      ("a\nb\na\n", [], ["duplicate ordered symbol: a"]),
      ("q\na\nq\n", [], ["no such symbol: q", "duplicate ordered symbol: q"]),
      ("a\nq\n", [("q", .discarded)], ["unable to order discarded symbol: q"]),
      ("a\nq\n", [("r", .absolute), ("q", .shared)], ["unable to order shared symbol: q"]),
      ("a\nq\n", [("q", .absolute), ("q", .shared)], ["unable to order absolute symbol: q"]),
      ("a\nq\n", [("q", .undefined)], ["unable to order undefined symbol: q"]),
      ("a\nb\n", [("a", .discarded)], []),
      ("_a\na # b\n", [], ["no such symbol: _a", "no such symbol: a # b"]),
      ("", [], []),
    ] as [(String, [(name: String, reason: AbsentSymbol.Reason)], [String])])
  func whatIsMissingIsNamedInTheLinkersWords(
    order: String, absent: [(name: String, reason: AbsentSymbol.Reason)], expected: [String]
  ) throws {
    #expect(try check(order, Self.abc, absent: absent).missing.map(\.description) == expected)
  }

  /// The linker orders data by the same file.
  @Test func entriesOfDataAreCountedApart() throws {
    let order = "table\na\nb\ntable\nq\n"
    let absent = [(name: "table", reason: AbsentSymbol.Reason.data), ("a", .data)]
    let result = try check(order, Self.abc, absent: absent)
    #expect([result.entries, result.present, result.inOrder, result.dataEntries] == [4, 2, 2, 1])
    #expect(
      result.missing.map(\.description) == ["duplicate ordered symbol: table", "no such symbol: q"])
    let file = try OrderFileDialect.lld.read(FileBytes(Array(order.utf8)))
    let kept = file.entriesOfSymbols(in: layout(Self.abc, absent: absent))
    #expect(kept.dropped == 1)
    #expect(
      kept.entries.map { String(decoding: $0.symbol, as: UTF8.self) } == [
        "table", "a", "b", "table",
      ])
  }

  @Test func missingEntriesStandInTheFilesOrder() throws {
    let result = try check("q\na\nb\na\nr\n", Self.abc)
    #expect(result.missing.map(\.entry) == [0, 3, 4])
    #expect([result.entries, result.present, result.inOrder] == [5, 2, 2])
  }

  @Test func aNameOfSeveralLocalsMovesAllOfThem() throws {
    let twins = [Placed("twin", 0x1000), Placed("twin", 0x1010), Placed("a", 0x1020)]
    #expect(try check("twin\na\n", twins).inOrder == 2)
    let apart = [Placed("twin", 0x1000), Placed("a", 0x1010), Placed("twin", 0x1020)]
    let result = try check("twin\na\n", apart)
    #expect([result.present, result.inOrder] == [2, 1])
    // Without the second twin, the longest rising sequence remains: so the second twin is the one at a wrong place.
    #expect(result.firstDeviation?.address == StatedAddress(rawValue: 0x1020))
  }

  @Test func aBodyGoesWhereItsFirstNameIsListed() throws {
    let folded = Self.abc + [Placed("alias", 0x1000)]
    let result = try check("alias\nb\nc\na\n", folded)
    #expect([result.present, result.inOrder] == [4, 4])
    #expect(result.firstDeviation == nil)
  }

  @Test func theDuplicateThatCountsIsTheDialects() throws {
    let sections = Self.abc.map { Placed($0.name, $0.address, ".text.\($0.name)") }
    let gold = try check(
      ".text.c\n.text.a\n.text.b\n.text.c\n.text.*\n.text\n", sections, as: .gold)
    #expect([gold.entries, gold.present, gold.inOrder] == [4, 3, 3])
    #expect(gold.missing.map(\.entry) == [0])
    #expect(try check("c\na\nb\nc\n", Self.abc).missing.map(\.entry) == [3])
  }

  @Test func functionsOfOneInputSectionCanNotBeOrdered() throws {
    let functions = [
      Placed("a", 0x1000, ".text"), Placed("b", 0x1010, ".text"), Placed("c", 0x1020, ".text.c"),
      Placed("main", 0x1030, ".text.startup"), Placed("start", 0x1040, ".text.startup"),
      Placed("alone", 0x1050, ".text.hot"),
    ]
    let result = try check("c\na\nmain\nalone\n", functions)
    #expect(
      result.missing.map(\.description) == [
        "unable to order symbol without its own section: a",
        "unable to order symbol without its own section: main",
      ])
    #expect(result.present == 2)
  }

  @Test func candidateSectionsOfOneFunctionAreOneEntry() throws {
    let functions = [
      Placed("main", 0x1000, ".text.startup.main"), Placed("f", 0x1010, ".text.f"),
      Placed("g", 0x1020, ".text.g"), Placed("old", 0x1030, ".text"), Placed("o", 0x1040, ".text"),
    ]
    let names = ["main", "f", "nowhere", "old"]
    let entries = names.flatMap { name in
      FunctionSection.candidates(of: Array(name.utf8)).map {
        OrderFileEntry(symbol: Array(name.utf8), section: $0)
      }
    }
    for dialect in [OrderFileDialect.gold, .gnuLD] {
      let file = try dialect.read(FileBytes(dialect.write(entries).bytes))
      let result = OrderFileCheck(file, layout: layout(functions))
      #expect([result.entries, result.present, result.inOrder] == [4, 2, 2])
      #expect(
        result.missing.map(\.description) == [
          "no such symbol: nowhere", "unable to order symbol without its own section: old",
        ])
      // Without a link map the input sections are unknown, so only names are compared.
      let plain = OrderFileCheck(
        file, layout: layout(functions.map { Placed($0.name, $0.address) }))
      #expect([plain.entries, plain.present, plain.inOrder] == [4, 3, 3])
    }
  }

  @Test func aFunctionInASectionThatIsNotListedIsMissing() throws {
    let functions = [Placed("f", 0x1000, ".text.unlikely.f"), Placed("g", 0x1010, "mine")]
    let result = try check(".text.f\nmine\nyours\n", functions, as: .gold)
    #expect(
      result.missing.map(\.description) == [
        "unable to order symbol in another section: f", "no such section: yours",
      ])
    #expect(result.present == 1)
  }

  @Test(arguments: [31, 32] as [UInt64])
  func aLayoutInTheOrdersOwnOrderIsWhollyInOrder(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let names = (0..<1000).map { "f\($0)" }.shuffled(using: &random)
    let order = names.joined(separator: "\n")
    let placed = names.enumerated().map { Placed($1, 0x1000 + UInt64($0) * 16) }
    let followed = try check(order, placed.shuffled(using: &random))
    #expect(followed.inOrder == 1000 && followed.firstDeviation == nil)

    let reversed = try check(names.reversed().joined(separator: "\n"), placed)
    #expect(reversed.inOrder == 1)
    #expect(reversed.firstDeviation?.entry == 0)
  }

  /// If one of a thousand functions is at another place, one function counts as out of order, not all functions between
  /// the two places.
  @Test func oneStrayFunctionCostsOne() throws {
    let names = (0..<1000).map { "f\($0)" }
    let placed = names.enumerated().map { Placed($1, 0x1000 + UInt64($0) * 16) }
    let result = try check((names[1...] + [names[0]]).joined(separator: "\n"), placed)
    #expect(result.inOrder == 999)
    #expect(result.firstDeviation?.name == "f0")
    #expect(result.firstDeviation?.expectedPredecessor == "f999")
  }
}
