import Addresses
import FaultEstimate
import ImageModel
import ModelSamples
import TestSupport
import Testing

@Suite struct LayoutComparisonTests {
  static let sections = [
    SampleSection(name: ".init", address: 0x1000, size: 0x1000),
    SampleSection(name: ".text", address: 0x2000, size: 0x10_0000),
  ]
  static let before = sampleLayout(
    [
      SampleFunction(name: "_init", address: 0x1000, size: 27, section: 0),
      SampleFunction(name: "main", address: 0x3000, size: 100, section: 1),
      SampleFunction(name: "parse", address: 0x9000, size: 100, section: 1),
      SampleFunction(name: "gone", address: 0x2_0000, size: 100, section: 1),
      SampleFunction(name: "cold", address: 0x3_0000, size: 100, section: 1),
    ], sections: sections)
  static let after = sampleLayout(
    [
      SampleFunction(name: "_init", address: 0x1000, size: 27, section: 0),
      SampleFunction(name: "main", address: 0x2000, size: 100, section: 1),
      SampleFunction(name: "parse", address: 0x2070, size: 90, section: 1),
      SampleFunction(name: "new", address: 0x2_0000, size: 100, section: 1),
      SampleFunction(name: "cold", address: 0x3_0000, size: 100, section: 1),
    ], sections: sections)

  @Test func eachLayoutCountsTheFunctionsThatItHas() {
    let comparison = LayoutComparison(
      before: Self.before, after: Self.after,
      startup: ["_init", "main", "parse", "gone", "new", "nowhere", "nowhere"],
      pageSize: .fourKibibytes)
    #expect(comparison.total.before.pages == 4)
    #expect(comparison.total.before.startupBytes == 327)
    #expect(comparison.total.after.pages == 3)
    #expect(comparison.total.after.startupBytes == 317)
    #expect(comparison.sections.map(\.name) == [".init", ".text"])
    #expect(comparison.sections.map { $0.before.pages - $0.after.pages } == [0, 1])
    #expect(
      comparison.missing.map { "\($0.name): \($0.absence)" } == [
        "gone: not in the layout after", "new: not in the layout before",
        "nowhere: in neither layout",
      ])
    #expect(comparison.differing == 2)
    #expect(
      comparison.diagnostics.map(\.message) == [
        "2 startup functions are in only one of the two layouts; each layout counts its own"
      ])
    // Two are missing of each: of 100 bytes, and of unknown size.
    #expect(comparison.presence == Presence(all: 6, before: 4, after: 4))
    #expect(comparison.atMost == (before: 7, after: 6))
    #expect(comparison.before.curve.pagesAfterStep == [1, 2, 3, 4, 4, 4, 4])
    #expect(comparison.after.curve.pagesAfterStep == [1, 2, 2, 2, 3, 3, 3])
  }

  @Test func eachLayoutCountsTheBlocksThatItKnows() {
    // `big` has 3 pages before, of which the first and the last are used, and is another one after.
    func layout(_ size: UInt64) -> Layout {
      sampleLayout([
        SampleFunction(name: "big", address: 0x2000, size: size),
        SampleFunction(name: "main", address: 0x9000, size: 100),
      ])
    }
    let main = StartupFunction(name: "main", before: [Part(1)], after: [Part(1)])
    let blocks = [FunctionBlock(offset: 0, size: 32), FunctionBlock(offset: 0x2000, size: 16)]
    let startup = blocks.map {
      StartupFunction(name: "big", before: [Part(0, blocks: [$0])], after: [Part(0)])
    }
    let comparison = LayoutComparison(
      before: layout(0x3000), after: layout(0x2f00), startup: [startup[0], main, startup[1]],
      pageSize: .fourKibibytes)
    #expect(comparison.before.curve.pagesAfterStep == [1, 2, 3])
    #expect(comparison.after.curve.pagesAfterStep == [3, 4, 4])
    #expect(comparison.total.before.startupBytes == 148)
    #expect(comparison.total.after.startupBytes == 0x2f00 + 100)
    #expect(comparison.total.before.startupFunctions == 2)
    #expect(comparison.inParts == (1, 0))
  }

  /// What a trace of an older build names otherwise still runs.
  @Test(.needs(.time)) func theTruthLiesWithinTheBandOfALayoutThatLacksNames() {
    var random = SeededRandom(seed: 41)
    for _ in 0..<50 {
      var address: UInt64 = 0x1000
      var functions: [SampleFunction] = []
      for index in 0..<400 {
        let size = UInt64.random(in: 1...(index % 20 == 0 ? 9000 : 400), using: &random)
        functions.append(SampleFunction(name: "f\(index)", address: address, size: size))
        address += (size + 15) / 16 * 16
      }
      let section = [SampleSection(name: ".text", address: 0x1000, size: address - 0x1000)]
      let layout = sampleLayout(functions, sections: section)
      let startup = functions.shuffled(using: &random).prefix(80)
      let renamed = Set(startup.prefix(Int.random(in: 0...40, using: &random)).map(\.name))
      let old = sampleLayout(
        functions.map { function in
          var function = function
          if renamed.contains(function.name) { function.name = "new \(function.name)" }
          return function
        }, sections: section)
      let comparison = LayoutComparison(
        before: layout, after: old, startup: startup.map(\.name), pageSize: .fourKibibytes)
      let truth = comparison.total.before.pages
      #expect(comparison.atMost.before == truth, "seed 41")
      #expect(comparison.total.after.pages <= truth, "seed 41")
      #expect(truth <= comparison.atMost.after, "seed 41")
      #expect(comparison.presence.after == 80 - renamed.count, "seed 41")
    }
  }

  @Test func whatIsMissingTouchesNoMoreThanTheCode() {
    let layout = sampleLayout(
      [SampleFunction(name: "main", address: 0x1000, size: 10)],
      sections: [SampleSection(name: ".text", address: 0x1000, size: 0x1800)])
    let comparison = LayoutComparison(
      before: layout, after: layout, startup: ["main", "a", "b", "c", "d"],
      pageSize: .fourKibibytes)
    #expect(comparison.total.after.pages == 1)
    #expect(comparison.atMost == (before: 2, after: 2))
  }

  @Test func theRecordedSizeOfAMissingFunctionCounts() {
    func most(_ size: UInt64?, unplaced: Int = 0) -> Int {
      LayoutComparison(
        before: Self.before, after: Self.after,
        startup: [StartupFunction(name: "x", before: [], after: [], recordedBytes: size)],
        pageSize: .fourKibibytes, unplaced: unplaced
      ).atMost.after
    }
    #expect(most(nil) == 1)
    #expect(most(0) == 1)
    #expect(most(2) == 2)
    #expect(most(4097) == 2)
    #expect(most(4098) == 3)
    #expect(most(nil, unplaced: 2) == 3)
    #expect(most(.max, unplaced: 1) == 257)  // all pages of code
  }

  @Test func whatOnlyTheRecordedBuildHasIsNotMissed() {
    var merged = StartupFunction(name: "fTm", before: [], after: [], recordedBytes: 9000)
    merged.isOnlyRecorded = true
    let main = StartupFunction(name: "main", before: [Part(1)], after: [Part(1)])
    let comparison = LayoutComparison(
      before: Self.before, after: Self.after, startup: [main, merged], pageSize: .fourKibibytes)
    #expect(comparison.atMost == (before: 1, after: 1))
    #expect(comparison.presence == Presence(all: 1, before: 1, after: 1))
    #expect(comparison.missing.map(\.name) == ["fTm"])
  }

  @Test func aRepeatedNameCountsAtItsFirstStep() {
    let comparison = LayoutComparison(
      before: Self.before, after: Self.after, startup: ["main", "parse", "main", "gone", "gone"],
      pageSize: .fourKibibytes)
    #expect(comparison.before.curve.pagesAfterStep == [1, 2, 2, 3, 3])
    #expect(comparison.total.before.startupFunctions == 3)
    #expect(comparison.missing.map(\.name) == ["gone"])
  }

  /// Each object file had a function of that name; the layout after has it once.
  @Test func ofNamesakesALayoutHasAsManyAsItHasPlacesFor() {
    let names = (0..<3).map { SampleFunction(name: "helper", address: 0x1000 * (1 + $0), size: 16) }
    let comparison = { (before: [StartupFunction]) in
      LayoutComparison(
        before: sampleLayout(names), after: sampleLayout([names[0]]), startup: before,
        pageSize: .fourKibibytes)
    }
    let placed = comparison(
      (0..<3).map { StartupFunction(name: "helper", before: [Part($0)], after: [Part(0)]) })
    var all = StartupFunction(name: "helper", before: (0..<3).map { Part($0) }, after: [Part(0)])
    all.bodies = 3
    for comparison in [placed, comparison([all])] {
      #expect(comparison.presence == Presence(all: 3, before: 3, after: 1))
      #expect(comparison.total.after.pages == 1)
      #expect(comparison.atMost == (before: 3, after: 4))
    }
  }

  @Test func aSectionOfOneLayoutAloneHasARow() {
    let moved = sampleLayout(
      [SampleFunction(name: "main", address: 0x1000, size: 10)],
      sections: [SampleSection(name: ".text.hot", address: 0x1000, size: 100)])
    let comparison = LayoutComparison(
      before: Self.before, after: moved, startup: ["main"], pageSize: .fourKibibytes)
    #expect(comparison.sections.map(\.name) == [".text", ".text.hot"])
    #expect(comparison.sections.map { $0.before.pages - $0.after.pages } == [1, -1])
    #expect(comparison.total.before.pages == comparison.total.after.pages)
  }

  @Test func sectionsOfOneNameShareARow() {
    let layout = sampleLayout(
      [
        SampleFunction(name: "a", address: 0x1000, size: 10, section: 0),
        SampleFunction(name: "b", address: 0x2000, size: 10, section: 1),
      ],
      sections: [
        SampleSection(name: ".text", address: 0x1000, size: 0x1000),
        SampleSection(name: ".text", address: 0x2000, size: 0x1000),
      ])
    let comparison = LayoutComparison(
      before: layout, after: layout, startup: ["a", "b"], pageSize: .fourKibibytes)
    #expect(comparison.sections.map(\.before.pages) == [2])
  }

  @Test func aNameOfSeveralFunctionsCountsWithAllAndIsNamedInADiagnostic() {
    let layout = sampleLayout([
      SampleFunction(name: "usage", address: 0x1000, size: 10),
      SampleFunction(name: "usage", address: 0x5000, size: 10),
      SampleFunction(name: "main", address: 0x9000, size: 10),
      SampleFunction(name: "main", address: 0x9000, size: 10),
    ])
    let comparison = LayoutComparison(
      before: layout, after: layout, startup: ["main", "usage"], pageSize: .fourKibibytes)
    #expect(comparison.total.before.pages == 3)
    #expect(
      comparison.diagnostics.map(\.message) == [
        "1 name belongs to several functions of the layout before; all of them are counted",
        "1 name belongs to several functions of the layout after; all of them are counted",
      ])
  }

  @Test func anEmptyStartupSetComparesToNothing() {
    let comparison = LayoutComparison(
      before: Self.before, after: Self.after, startup: [SymbolName](), pageSize: .fourKibibytes)
    #expect(comparison.total.before == TouchedPages())
    #expect(comparison.sections.isEmpty && comparison.missing.isEmpty)
    #expect(comparison.diagnostics.isEmpty)
  }

  @Test func rowsSumUpToTheTotalOnRandomLayouts() {
    var random = SeededRandom(seed: 31)
    for _ in 0..<50 {
      let before = PageFaultModelTests.randomLayout(&random)
      let after = PageFaultModelTests.randomLayout(&random)
      let names = before.functions.map { before.name(of: $0) }.shuffled(using: &random)
      let startup = Array(names.prefix(50)) + ["nowhere", SymbolName(bytes: [0xff, 0x0a])]
      let comparison = LayoutComparison(
        before: before, after: after, startup: startup, pageSize: .fourKibibytes)
      for side in [\LayoutComparison.Row.before, \.after] {
        let sum = comparison.sections.map { $0[keyPath: side] }.reduce(TouchedPages(), +)
        #expect(sum == comparison.total[keyPath: side], "seed 31")
      }
      let found = Set(startup).count - comparison.missing.count
      #expect(found >= 0)
      for (layout, absence) in [
        (before, LayoutComparison.Absence.before), (after, LayoutComparison.Absence.after),
      ] {
        let present = Set(layout.functions.map { layout.name(of: $0) })
        let absent = comparison.missing.filter { $0.absence == absence || $0.absence == .both }
        #expect(Set(absent.map(\.name)) == Set(startup).subtracting(present), "seed 31")
      }
    }
  }
}
