import FaultEstimate
import ImageModel
import ModelSamples
import Prediction
import TestSupport
import Testing

/// The difference of two estimates.
@Suite struct LayoutDifferenceTests {
  static let before = sampleLayout([
    ("_init", 0x1000, 27), ("main", 0x3000, 100), ("parse", 0x9000, 100), ("gone", 0x2_0000, 100),
  ])
  static let after = sampleLayout([
    ("_init", 0x1000, 27), ("main", 0x2000, 100), ("parse", 0x2070, 90), ("new", 0x2_0000, 100),
  ])

  static func document(
    _ startup: [SymbolName], _ before: Layout = before, _ after: Layout = after
  ) -> DiffDocument {
    DiffDocument(
      before: ImageReference(path: "before"), after: ImageReference(path: "after"),
      startupSource: "1 trace",
      estimates: DiffDocumentTests.estimates(before, after, startup: startup))
  }

  static func missing(_ document: DiffDocument) -> [String] {
    document.missing.map { "\($0.name): \($0.reason)" }
  }

  @Test func whatALayoutLacksIsNamedOnce() {
    let document = Self.document([
      "_init", "main", "parse", "gone", "new", "nowhere", "nowhere", "gone",
    ])
    #expect(
      Self.missing(document) == [
        "gone: not in the layout after", "new: not in the layout before",
        "nowhere: in neither layout",
      ])
    #expect(
      document.warnings.map(\.message) == [
        "2 startup functions are in only one of the two layouts; each layout is predicted with the functions that it has"
      ])
    #expect(document.presence == Presence(all: 6, before: 4, after: 4))
    #expect(document.prediction.pages == BeforeAfter(before: 4, after: 3))
  }

  @Test func aSectionOfOneLayoutAloneHasARow() {
    let moved = sampleLayout(
      [SampleFunction(name: "main", address: 0x1000, size: 10)],
      sections: [SampleSection(name: ".text.hot", address: 0x1000, size: 100)])
    let prediction = Self.document(["main"], Self.before, moved).prediction
    #expect(prediction.sections.map(\.name) == [".text", ".text.hot"])
    #expect(prediction.sections.map(\.pages.saved) == [1, -1])
    #expect(prediction.pages.saved == 0)
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
    let document = Self.document(["a", "b"], layout, layout)
    #expect(document.prediction.sections.map(\.pages.before) == [2])
  }

  @Test func aNameOfSeveralFunctionsIsWarnedOfForEachLayout() {
    let layout = sampleLayout([("usage", 0x1000, 10), ("usage", 0x5000, 10), ("main", 0x9000, 10)])
    #expect(
      Self.document(["main", "usage"], layout, layout).warnings.map(\.message) == [
        "1 name belongs to several functions of the layout before; all of these functions are counted",
        "1 name belongs to several functions of the layout after; all of these functions are counted",
      ])
  }

  @Test func withoutStartupFunctionsNothingDiffers() {
    let document = Self.document([])
    #expect(document.prediction.pages == BeforeAfter(before: 0, after: 0))
    #expect(document.prediction.sections.isEmpty && document.missing.isEmpty)
    #expect(document.warnings.isEmpty)
  }

  @Test func rowsSumUpToTheTotalOnRandomLayouts() {
    var random = SeededRandom(seed: 31)
    func layout() -> Layout {
      let sections = (0..<UInt64.random(in: 1...4, using: &random)).map {
        SampleSection(name: "s\($0)", address: 0x1234 + $0 * 70_000, size: 70_000)
      }
      return sampleLayout(
        (0..<Int.random(in: 0...200, using: &random)).map { number in
          let section = Int.random(in: sections.indices, using: &random)
          return SampleFunction(
            name: "f\(number)",
            address: sections[section].address + UInt64.random(in: 0..<70_000, using: &random),
            size: [0, 1, 300, 5000, 70_000].randomElement(using: &random) ?? 0,
            section: UInt32(section))
        }, sections: sections)
    }
    for _ in 0..<50 {
      let (before, after) = (layout(), layout())
      let names = before.functions.map { before.name(of: $0) }.shuffled(using: &random)
      let startup = Array(names.prefix(50)) + ["nowhere", SymbolName(bytes: [0xff, 0x0a])]
      let document = Self.document(startup, before, after)
      let sections = document.prediction.sections
      #expect(BeforeAfter.sum(sections.map(\.pages)) == document.total.pages, "seed 31")
      #expect(BeforeAfter.sum(sections.map(\.windows64k)) == document.total.windows64k, "seed 31")
      #expect(
        sections.map(\.startupFunctions).reduce(0, +) == document.after.startupFunctions, "seed 31")
      #expect(sections.map(\.startupBytes).reduce(0, +) == document.after.startupBytes, "seed 31")
      #expect(sections.map(\.floorPages).reduce(0, +) == document.after.floorPages, "seed 31")
      for (layout, reason) in [
        (before, "not in the layout before"), (after, "not in the layout after"),
      ] {
        let present = Set(layout.functions.map { layout.name(of: $0) })
        let absent = document.missing.filter {
          $0.reason == reason || $0.reason == "in neither layout"
        }
        #expect(Set(absent.map(\.name)) == Set(startup).subtracting(present), "seed 31")
      }
    }
  }
}
