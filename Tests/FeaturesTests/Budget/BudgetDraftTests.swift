import Budget
import ImageModel
import LaunchMeasurement
import Measuring
import Rendering
import Testing

@Suite struct BudgetDraftTests {
  /// A budget that is written today passes today, with and without the same figures as the base.
  @Test func aDraftIsKeptByWhatItWasMadeOf() throws {
    let image = CheckedImage([
      "pages.textPages": 143, "pages.dataPages": 0, "diff.startupBytes": 60_000,
      "diff.stale": 0.013, "diff.inOrder": 0.997, "diff.present": 1, "gen.entries": 900,
      "gen.untracedInitializers": 3, "audit.libraries": 12,
    ])
    let budget = try BudgetDraft.budget(for: [image])
    #expect(
      budget.limits.map { "\($0.figure.id) \($0.maximum ?? $0.minimum ?? .count(-1))" } == [
        "audit.libraries 12", "diff.inOrder 97%", "diff.present 98%", "diff.stale 4%",
        "diff.startupBytes 61200", "gen.untracedInitializers 3", "pages.dataPages 2",
        "pages.textPages 145",
      ])
    for base in [nil, [image]] {
      let results = try BudgetCheck(budget, images: [image], base: base).results()
      #expect(results.allSatisfy { $0.outcome != .fail })
    }
    #expect(throws: Diagnostic.self) {
      try BudgetDraft.budget(for: [CheckedImage(["gen.entries": 5])])
    }
  }

  /// The limit of a time leaves room for today's interval. Without an interval there is no limit.
  @Test(
    arguments: [
      (0.01, 0.0...0.02, "+3%"), (-0.2, -0.21 ... -0.19, "+3%"), (0.02, 0.01...0.03, "+3%"),
      (0.05, 0.03...0.07, "+7%"), (0.05, 0.04...0.0701, "+8%"), (0.9, 0.5...1.3, nil),
      (0.01, nil, nil),
    ] as [(Double, ClosedRange<Double>?, String?)])
  func aDraftIsKeptByTheTimesItWasMadeOf(
    share: Double, interval: ClosedRange<Double>?, expected: String?
  ) throws {
    var image = CheckedImage(["gen.untracedInitializers": 0])
    let metric = ProgramComparison(
      metric: .wallTime, change: TypicalChange(share: share, interval: interval), p: 0.5,
      correctedP: 0.5)
    image.times = [
      CheckedImage.Times(
        state: "cold", launches: 30,
        comparisons: [
          MeasureDocument.Comparison(before: "before", after: "after", metrics: [metric])
        ])
    ]
    let budget = try BudgetDraft.budget(for: [image])
    let limits = budget.limits.filter { $0.figure.isTime }
    #expect(limits.map { $0.againstBase?.description } == (expected.map { [$0] } ?? []))
    let results = try BudgetCheck(budget, images: [image], base: [image]).results()
    #expect(results.map(\.outcome) == results.map { _ in .pass })
    let notes = BudgetDraft.notes(for: [image])
    #expect(notes.count == (expected == nil ? 1 : 0))
    #expect(
      notes.allSatisfy { $0.hasPrefix("no limit for measure.wallTime of app, cold: ") }, "\(notes)")
  }
}
