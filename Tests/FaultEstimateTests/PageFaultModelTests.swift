import Addresses
import FaultEstimate
import ImageModel
import ModelSamples
import TestSupport
import Testing

@Suite struct PageFaultModelTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// Address and size of each startup function.
    var functions: [(UInt64, UInt64)]
    var startupFunctions: Int
    var startupBytes: UInt64
    var pages: Int
    var floorPages: Int
    var windows64k: Int
  }

  static let cases: [Case] = [
    Case(
      testDescription: "nothing", functions: [],
      startupFunctions: 0, startupBytes: 0, pages: 0, floorPages: 0, windows64k: 0),
    Case(
      testDescription: "all in one page", functions: [(0x1000, 16), (0x1800, 16), (0x1ff0, 16)],
      startupFunctions: 3, startupBytes: 48, pages: 1, floorPages: 1, windows64k: 1),
    Case(
      testDescription: "one per page", functions: [(0x1000, 16), (0x2800, 16), (0x1_0000, 16)],
      startupFunctions: 3, startupBytes: 48, pages: 3, floorPages: 1, windows64k: 2),
    Case(
      testDescription: "straddling two pages", functions: [(0x1ff8, 16)],
      startupFunctions: 1, startupBytes: 16, pages: 2, floorPages: 1, windows64k: 1),
    Case(
      testDescription: "a page and a byte", functions: [(0x1000, 4097)],
      startupFunctions: 1, startupBytes: 4097, pages: 2, floorPages: 2, windows64k: 1),
    Case(
      testDescription: "exactly one page", functions: [(0x1000, 4096)],
      startupFunctions: 1, startupBytes: 4096, pages: 1, floorPages: 1, windows64k: 1),
    Case(
      testDescription: "size 0 touches the page of its entry", functions: [(0x3000, 0)],
      startupFunctions: 1, startupBytes: 0, pages: 1, floorPages: 1, windows64k: 1),
    Case(
      testDescription: "aliases are one body", functions: [(0x1ff8, 16), (0x1ff8, 16)],
      startupFunctions: 1, startupBytes: 16, pages: 2, floorPages: 1, windows64k: 1),
    Case(
      testDescription: "an alias of another size widens the body",
      functions: [(0x1ff8, 4), (0x1ff8, 16)],
      startupFunctions: 1, startupBytes: 16, pages: 2, floorPages: 1, windows64k: 1),
    Case(
      testDescription: "overlapping bytes count once", functions: [(0x1000, 100), (0x1032, 100)],
      startupFunctions: 2, startupBytes: 150, pages: 1, floorPages: 1, windows64k: 1),
    Case(
      testDescription: "one inside the other", functions: [(0x1000, 0x3000), (0x2000, 8)],
      startupFunctions: 2, startupBytes: 0x3000, pages: 3, floorPages: 3, windows64k: 1),
    Case(
      testDescription: "the example of the essay",
      functions: [(0x1000, 16), (0x1ff8, 16), (0x1ff8, 16), (0x3000, 0)],
      startupFunctions: 3, startupBytes: 32, pages: 3, floorPages: 1, windows64k: 1),
    Case(
      testDescription: "a body ends with its section", functions: [((1 << 40) - 16, .max)],
      startupFunctions: 1, startupBytes: 16, pages: 1, floorPages: 1, windows64k: 1),
    Case(
      testDescription: "outside its section only the entry counts", functions: [(1 << 41, 4096)],
      startupFunctions: 1, startupBytes: 0, pages: 1, floorPages: 1, windows64k: 1),
  ]

  /// For a function of 0x3000 bytes at 0x1800: the offset and the size of the code that ran, and the pages that it
  /// touches.
  @Test(
    arguments: [
      ([(0, 16)], 16, 1), ([(0, 16), (0x2000, 16)], 32, 2), ([(0x7f8, 16)], 16, 2),
      ([(0, 16), (8, 16)], 24, 1), ([(0x2ff0, 64)], 16, 1), ([(0x3000, 16)], 0, 1),
      ([(.max, .max)], 0, 1), ([(16, 0)], 0, 1),
    ] as [([(UInt64, UInt64)], UInt64, Int)])
  func partsOfAFunctionTouchTheirOwnPages(
    parts: [(UInt64, UInt64)], bytes: UInt64, pages: Int
  ) {
    let layout = sampleLayout([SampleFunction(name: "f", address: 0x1800, size: 0x3000)])
    let estimate = PageFaultEstimate(
      of: layout,
      steps: parts.map { [Part(0, blocks: [FunctionBlock(offset: $0.0, size: $0.1)])] },
      pageSize: .fourKibibytes)
    #expect(estimate.total.startupFunctions == 1)
    #expect(estimate.total.startupBytes == bytes && estimate.total.pages == pages)
  }

  @Test(arguments: cases) func countsByHand(_ expected: Case) {
    let layout = sampleLayout(
      expected.functions.enumerated().map {
        SampleFunction(name: "f\($0.offset)", address: $0.element.0, size: $0.element.1)
      })
    let estimate = PageFaultEstimate(
      of: layout, startup: Array(layout.functions.indices.reversed()), pageSize: .fourKibibytes)
    let total = estimate.total
    #expect(total.startupFunctions == expected.startupFunctions)
    #expect(total.startupBytes == expected.startupBytes)
    #expect(total.pages == expected.pages)
    #expect(total.floorPages == expected.floorPages)
    #expect(total.windows64k == expected.windows64k)
    #expect(estimate.curve.pageCount == expected.pages)
  }

  @Test func functionsOutsideTheStartupSetAndRepeatsChangeNothing() {
    let layout = sampleLayout([
      SampleFunction(name: "early", address: 0x1000, size: 16),
      SampleFunction(name: "never", address: 0x5000, size: 16),
    ])
    let estimate = PageFaultEstimate(of: layout, startup: [0, 0, 0], pageSize: .fourKibibytes)
    #expect(estimate.total.startupFunctions == 1)
    #expect(estimate.total.startupBytes == 16)
    #expect(estimate.total.pages == 1)
    #expect(estimate.curve.pagesAfterStep == [1, 1, 1])
  }

  @Test func aPageThatSectionsShareCountsForTheLargest() {
    let layout = sampleLayout(
      [
        SampleFunction(name: "_init", address: 0x1000, size: 27, section: 0),
        SampleFunction(name: "main", address: 0x1040, size: 0x1000, section: 1),
        SampleFunction(name: "_fini", address: 0x2fff, size: 9, section: 2),
      ],
      sections: [
        SampleSection(name: ".init", address: 0x1000, size: 27),
        SampleSection(name: ".text", address: 0x1040, size: 0x1000),
        SampleSection(name: ".fini", address: 0x2fff, size: 9),
      ])
    let estimate = PageFaultEstimate(of: layout, startup: [0, 1, 2], pageSize: .fourKibibytes)
    #expect(estimate.sections.map(\.name) == [".init", ".text", ".fini"])
    #expect(estimate.sections.map(\.touched.pages) == [0, 2, 1])
    #expect(estimate.sections.map(\.touched.floorPages) == [1, 1, 0])
    #expect(estimate.sections.map(\.touched.windows64k) == [0, 1, 0])
    #expect(estimate.total.pages == 3)
    #expect(estimate.total.floorPages == 2)  // 27 + 4096 + 9 bytes
  }

  // MARK: Properties, on random layouts

  /// Functions at random places, overlapping and with aliases, in up to four sections, which overlap
  /// in half of the layouts.
  static func randomLayout(
    _ random: inout SeededRandom, sectionSizes: ClosedRange<UInt64> = 1...300_000
  ) -> Layout {
    let sectionCount = UInt64.random(in: 1...4, using: &random)
    let sectionSize = UInt64.random(in: sectionSizes, using: &random)
    let distance = Bool.random(using: &random) ? sectionSize : sectionSize / 2
    let sections = (0..<sectionCount).map {
      SampleSection(name: "s\($0)", address: 0x1234 + $0 * distance, size: sectionSize)
    }
    let functions = (0..<Int.random(in: 0...200, using: &random)).map { number in
      let section = UInt64.random(in: 0..<sectionCount, using: &random)
      let offset = UInt64.random(in: 0..<sectionSize, using: &random)
      let sizes: [UInt64] = [0, 1, 16, 300, 5000, 70_000, .max]
      return SampleFunction(
        name: "f\(number)", address: sections[Int(section)].address + offset,
        size: sizes.randomElement(using: &random) ?? 0, section: UInt32(section))
    }
    let aliases = functions.prefix(5).map { function in
      var alias = function
      alias.section = UInt32.random(in: 0..<UInt32(sectionCount), using: &random)
      return alias
    }
    return sampleLayout(functions + aliases, sections: sections)
  }

  static func check(
    seed: UInt64, sectionSizes: ClosedRange<UInt64> = 1...300_000,
    _ property: (Layout, _ startup: [Int], inout SeededRandom) -> Void
  ) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<100 {
      let layout = randomLayout(&random, sectionSizes: sectionSizes)
      let startup = layout.functions.indices.filter { _ in Bool.random(using: &random) }
        .shuffled(using: &random)
      property(layout, startup, &random)
    }
  }

  /// The definition of the estimate, computed with sets of bytes.
  @Test func agreesWithCountingEachByte() throws {
    let pageSize = try #require(PageSize(bytes: 512))
    Self.check(seed: 11, sectionSizes: 1...4000) { layout, startup, _ in
      var bytes: Set<UInt64> = []
      var entries: Set<UInt64> = []
      for index in startup {
        let function = layout.functions[index]
        let start = function.address.rawValue
        let section = layout.sections[Int(function.section)].range
        let available = section.contains(function.address) ? section.end.rawValue - start : 0
        entries.insert(start)
        bytes.formUnion(start..<start + min(function.knownBytes, available))
      }
      let touched = bytes.union(entries)
      let total = PageFaultEstimate(of: layout, startup: startup, pageSize: pageSize).total
      #expect(total.startupFunctions == entries.count, "seed 11")
      #expect(total.startupBytes == UInt64(bytes.count), "seed 11")
      #expect(total.pages == Set(touched.map { $0 / 512 }).count, "seed 11")
      #expect(total.floorPages == (entries.isEmpty ? 0 : max(1, (bytes.count + 511) / 512)))
      #expect(total.windows64k == Set(touched.map { $0 / 65536 }).count, "seed 11")
    }
  }

  @Test(.needs(.time)) func pagesNeverGrowWhenThePageSizeDoubles() {
    Self.check(seed: 12) { layout, startup, _ in
      var smaller: TouchedPages?
      for shift in 9...24 {
        guard let pageSize = PageSize(bytes: 1 << UInt64(shift)) else { continue }
        let total = PageFaultEstimate(of: layout, startup: startup, pageSize: pageSize).total
        if let smaller {
          #expect(total.pages <= smaller.pages, "seed 12")
          #expect(2 * total.pages >= smaller.pages, "seed 12")
          #expect(total.floorPages <= smaller.floorPages, "seed 12")
          #expect(total.windows64k == smaller.windows64k, "seed 12")
        }
        smaller = total
      }
    }
  }

  @Test func rowsSumUpToTheTotalAndTheFloorIsABound() {
    Self.check(seed: 13) { layout, startup, _ in
      let estimate = PageFaultEstimate(of: layout, startup: startup, pageSize: .sixteenKibibytes)
      #expect(estimate.sections.map(\.touched).reduce(TouchedPages(), +) == estimate.total)
      #expect(estimate.total.floorPages <= estimate.total.pages, "seed 13")
      let largest = estimate.sections.map(\.touched).max { $0.startupBytes < $1.startupBytes }
      if let largest, largest.startupBytes > 0 {
        #expect(largest.floorPages <= largest.pages, "seed 13")
        #expect(UInt64(largest.floorPages) == (largest.startupBytes + 16383) / 16384, "seed 13")
      }
      #expect(estimate.sections.allSatisfy { $0.touched != TouchedPages() }, "seed 13")
    }
  }

  @Test func theOrderOfStepsChangesTheCurveAndNothingElse() {
    Self.check(seed: 14) { layout, startup, random in
      let one = PageFaultEstimate(of: layout, startup: startup, pageSize: .fourKibibytes)
      let other = PageFaultEstimate(
        of: layout, startup: startup.shuffled(using: &random), pageSize: .fourKibibytes)
      #expect(one.sections == other.sections, "seed 14")
      #expect(one.curve.pageCount == one.total.pages, "seed 14")
      #expect(other.curve.pageCount == one.total.pages, "seed 14")
    }
  }

  @Test func sizesThatFillTheAddressSpaceCostNothing() {
    let layout = sampleLayout(
      (0..<100).map { SampleFunction(name: "f\($0)", address: $0 << 56, size: .max) },
      sections: [SampleSection(name: ".text", address: 0, size: .max)])
    let estimate = PageFaultEstimate(
      of: layout, startup: Array(0..<100), pageSize: .fourKibibytes)
    #expect(estimate.total.startupBytes == .max)
    #expect(estimate.total.pages == 1 << 52)
    #expect(estimate.curve.pagesAfterStep.first == 1 << 52)
  }
}
