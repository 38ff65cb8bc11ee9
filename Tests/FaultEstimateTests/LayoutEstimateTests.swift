import Addresses
import FaultEstimate
import ImageModel
import ModelSamples
import TestSupport
import Testing

@Suite struct LayoutEstimateTests {
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

  static func estimates(
    _ startup: [SymbolName], of layouts: [Layout] = [before, after]
  ) -> [LayoutEstimate] {
    [MatchedFunction](named: startup, in: layouts).estimates(of: layouts)
  }

  static func function(
    _ name: SymbolName, _ parts: [[Part]], bytes: UInt64? = nil
  ) -> MatchedFunction {
    MatchedFunction(
      name: name, matches: parts.map { MatchedFunction.Match($0) }, recordedBytes: bytes)
  }

  @Test func eachLayoutCountsTheFunctionsThatItHas() {
    let estimates = Self.estimates(["_init", "main", "parse", "gone", "new", "nowhere", "nowhere"])
    #expect(estimates.map(\.faults.total.pages) == [4, 3])
    #expect(estimates.map(\.faults.total.startupBytes) == [327, 317])
    for estimate in estimates {
      #expect(estimate.faults.sections.map(\.name) == [".init", ".text"])
    }
    // Each layout lacks two functions: one of 100 bytes, and one of unknown size.
    #expect(estimates.map(\.functions) == [6, 6])
    #expect(estimates.map(\.present) == [4, 4])
    #expect(estimates.map(\.atMost) == [7, 6])
    #expect(estimates[0].faults.curve.pagesAfterStep == [1, 2, 3, 4, 4, 4, 4])
    #expect(estimates[1].faults.curve.pagesAfterStep == [1, 2, 2, 2, 3, 3, 3])
  }

  @Test func aLayoutAloneIsEstimatedAsBesideAnother() {
    let startup: [SymbolName] = ["_init", "main", "parse", "cold"]
    let both = Self.estimates(startup)
    for (place, layout) in [Self.before, Self.after].enumerated() {
      let alone = Self.estimates(startup, of: [layout])[0]
      #expect(alone.faults.touches == both[place].faults.touches)
      #expect(alone.faults.curve == both[place].faults.curve)
      #expect(alone.atMost == both[place].atMost && alone.present == 4)
    }
  }

  @Test func eachLayoutCountsTheBlocksThatItKnows() {
    // In the layout before, `big` has 3 pages, and its first and last page are used. In the layout after, `big` has
    // another size.
    func layout(_ size: UInt64) -> Layout {
      sampleLayout([
        SampleFunction(name: "big", address: 0x2000, size: size),
        SampleFunction(name: "main", address: 0x9000, size: 100),
      ])
    }
    let main = Self.function("main", [[Part(1)], [Part(1)]])
    let blocks = [FunctionBlock(offset: 0, size: 32), FunctionBlock(offset: 0x2000, size: 16)]
    let startup = blocks.map { Self.function("big", [[Part(0, blocks: [$0])], [Part(0)]]) }
    let estimates = [startup[0], main, startup[1]].estimates(of: [layout(0x3000), layout(0x2f00)])
    #expect(estimates[0].faults.curve.pagesAfterStep == [1, 2, 3])
    #expect(estimates[1].faults.curve.pagesAfterStep == [3, 4, 4])
    #expect(estimates.map(\.faults.total.startupBytes) == [148, 0x2f00 + 100])
    #expect(estimates[0].faults.total.startupFunctions == 2)
    #expect(estimates.map(\.inParts) == [1, 0])
  }

  /// A function whose name differs in the trace of an older build still runs.
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
      let estimates = Self.estimates(startup.map(\.name), of: [layout, old])
      let truth = estimates[0].faults.total.pages
      #expect(estimates[0].atMost == truth, "seed 41")
      #expect(estimates[1].faults.total.pages <= truth, "seed 41")
      #expect(truth <= estimates[1].atMost, "seed 41")
      #expect(estimates[1].present == 80 - renamed.count, "seed 41")
    }
  }

  @Test func whatIsMissingTouchesNoMoreThanTheCode() {
    let layout = sampleLayout(
      [SampleFunction(name: "main", address: 0x1000, size: 10)],
      sections: [SampleSection(name: ".text", address: 0x1000, size: 0x1800)])
    let estimates = Self.estimates(["main", "a", "b", "c", "d"], of: [layout, layout])
    #expect(estimates.map(\.faults.total.pages) == [1, 1])
    #expect(estimates.map(\.atMost) == [2, 2])
  }

  @Test func theRecordedSizeOfAMissingFunctionCounts() {
    func most(_ size: UInt64?, unplaced: Int = 0) -> Int {
      [Self.function("x", [[], []], bytes: size)]
        .estimates(of: [Self.before, Self.after], unplaced: unplaced)[1].atMost
    }
    #expect(most(nil) == 1)
    #expect(most(0) == 1)
    #expect(most(2) == 2)
    #expect(most(4097) == 2)
    #expect(most(4098) == 3)
    #expect(most(nil, unplaced: 2) == 3)
    #expect(most(.max, unplaced: 1) == 257)  // The upper bound is all pages of code.
  }

  @Test func theSizeInAnotherLayoutCountsIfNoneWasRecorded() {
    let large = sampleLayout([SampleFunction(name: "x", address: 0x1000, size: 4098)])
    let estimates = [Self.function("x", [[], [Part(0)]])].estimates(of: [Self.before, large])
    #expect(estimates.map(\.atMost) == [3, 2])
    #expect(estimates.map(\.present) == [0, 1])
  }

  @Test func whatOnlyTheRecordedBuildHasIsNotMissed() {
    var merged = Self.function("fTm", [[], []], bytes: 9000)
    merged.isOnlyRecorded = true
    let main = Self.function("main", [[Part(1)], [Part(1)]])
    let estimates = [main, merged].estimates(of: [Self.before, Self.after])
    #expect(estimates.map(\.atMost) == [1, 1])
    #expect(estimates.map(\.functions) == [1, 1])
    #expect(estimates.map(\.present) == [1, 1])
  }

  @Test func aRepeatedNameCountsAtItsFirstStep() {
    let estimate = Self.estimates(["main", "parse", "main", "gone", "gone"])[0]
    #expect(estimate.faults.curve.pagesAfterStep == [1, 2, 2, 3, 3])
    #expect(estimate.faults.total.startupFunctions == 3)
  }

  /// Each object file of the layout before had a function with that name. The layout after has one such function.
  @Test func ofNamesakesALayoutHasAsManyAsItHasPlacesFor() {
    let names = (0..<3).map { SampleFunction(name: "helper", address: 0x1000 * (1 + $0), size: 16) }
    let layouts = [sampleLayout(names), sampleLayout([names[0]])]
    let placed = (0..<3).map { Self.function("helper", [[Part($0)], [Part(0)]]) }
    var all = Self.function("helper", [(0..<3).map { Part($0) }, [Part(0)]])
    all.bodies = 3
    for startup in [placed, [all]] {
      let estimates = startup.estimates(of: layouts)
      #expect(estimates.map(\.functions) == [3, 3])
      #expect(estimates.map(\.present) == [3, 1])
      #expect(estimates[1].faults.total.pages == 1)
      #expect(estimates.map(\.atMost) == [3, 4])
    }
  }

  @Test func aNameOfSeveralFunctionsCountsWithAll() {
    let layout = sampleLayout([
      SampleFunction(name: "usage", address: 0x1000, size: 10),
      SampleFunction(name: "usage", address: 0x5000, size: 10),
      SampleFunction(name: "main", address: 0x9000, size: 10),
      SampleFunction(name: "main", address: 0x9000, size: 10),
    ])
    let estimate = Self.estimates(["main", "usage"], of: [layout])[0]
    #expect(estimate.faults.total.pages == 3)
    #expect(estimate.ambiguousNames == 1 && !estimate.hasOthers)
  }

  @Test func withoutStartupFunctionsNothingIsTouched() {
    for estimate in Self.estimates([]) {
      #expect(estimate.faults.total == TouchedPages() && estimate.faults.sections.isEmpty)
      #expect(estimate.atMost == 0 && estimate.functions == 0)
    }
  }
}
