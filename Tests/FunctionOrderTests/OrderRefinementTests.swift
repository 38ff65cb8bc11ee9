import FunctionOrder
import ImageModel
import ModelSamples
import TestSupport
import Testing

@Suite struct OrderRefinementTests {
  /// The order after `move`, by names: `(name)` is a function that no entry of the order file placed before, `?` an
  /// entry that places nothing.
  private func check(
    _ order: [String], uses: [String], _ move: OrderRefinement.Move, _ expected: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let layout = OrderedPartsTests.five
    let entries = order.map { name in
      layout.indexes([SymbolName(name)]).map { Part($0) }
    }
    let refinement = OrderRefinement(
      entries: entries, uses: OrderedPartsTests.launch(uses, in: layout), layout: layout)
    let names = refinement.applying(move).map { element in
      switch element {
      case .entry(let index): order[index]
      case .part(let part): "(\(layout.name(of: layout.functions[part.function])))"
      }
    }
    #expect(names == expected, sourceLocation: sourceLocation)
  }

  @Test func whatIsMissingGoesBehindWhatRanBeforeIt() {
    check(
      ["main", "parse"], uses: ["main", "log", "setup", "parse", "open"], .addMissing,
      ["main", "(log)", "(setup)", "parse", "(open64)"])
  }

  @Test func whatRanBeforeAllEntriesGoesAhead() {
    check(["main"], uses: ["setup", "main"], .addMissing, ["(setup)", "main"])
    check([], uses: ["setup", "main"], .addMissing, ["(setup)", "(main)"])
  }

  @Test func anAliasIsNotMissing() {
    check(["open64", "main"], uses: ["open", "main"], .addMissing, ["open64", "main"])
  }

  @Test func anOrderInAnotherSequenceKeepsIt() {
    check(
      ["parse", "main"], uses: ["main", "log", "parse"], .addMissing, ["parse", "main", "(log)"])
  }

  @Test func unusedEntriesGoBehindAndUnknownOnesStay() {
    check(
      ["log", "main", "gone", "parse"], uses: ["main", "parse"], .unusedLast,
      ["main", "gone", "parse", "log"])
  }

  @Test func largeFunctionsGoBehindTheOtherUsedOnes() {
    check(
      ["main", "log", "setup", "parse"], uses: ["main", "parse", "setup"],
      .largeLast(bytes: 0x2000),
      ["setup", "parse", "main", "log"])
  }

  @Test(arguments: 0..<20) func noMoveLosesOrDoublesAnEntry(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let layout = OrderedPartsTests.layout(
      (0..<100).map {
        ("f\($0)", 0x1000 + UInt64($0) * 0x100, UInt64.random(in: 1...0x100, using: &random))
      })
    let entries = (0..<50).map { _ in
      Bool.random(using: &random) ? [Part(.random(in: 0..<100, using: &random))] : []
    }
    let uses = (0..<60).map { _ in Part(.random(in: 0..<100, using: &random)) }
    let refinement = OrderRefinement(entries: entries, uses: uses, layout: layout)
    for move in [OrderRefinement.Move.addMissing, .unusedLast, .largeLast(bytes: 128)] {
      let order = refinement.applying(move)
      #expect(Set(order).count == order.count)
      #expect(entries.indices.allSatisfy { order.contains(.entry($0)) })
      if move == .addMissing {
        let placed = Set(
          entries.flatMap { $0 }
            + order.compactMap {
              if case .part(let part) = $0 { part } else { nil }
            })
        #expect(Set(uses).isSubset(of: placed))
      } else {
        #expect(order.count == entries.count)
      }
    }
  }
}
