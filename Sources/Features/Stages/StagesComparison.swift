// Which stage takes longer than in another set of launches?
//
// The launches of both sets were made separately, on a device of testers or by a job of last week, so they have no
// rounds as the launches of `measure` have. `SampleChange` compares two such sets by a test of ranks, as `measure`
// does. Holm's correction keeps wrong claims out of 99% of the reports (`ProgramComparison`). No test can see that the
// machine itself became slower between both sets. So a comparison lists doubts: if the sets are from different
// machines, or if the launches of a set became slower or faster from the first to the last.

import Addresses
import ImageModel
import LaunchMeasurement
import Rendering

/// The changes from a base's launches to the launches of a document.
package struct StagesComparison: Hashable, Sendable {
  /// The change of one figure.
  package struct Figure: Hashable, Sendable {
    package var figure: StageFigure
    /// The number of the base's launches that have the figure.
    package var before: Int
    package var after: Int
    /// The median time of the base's launches, and of the document's launches, in nanoseconds.
    package var medianBefore: Double
    package var medianAfter: Double
    /// The change in nanoseconds, and as a share.
    package var change: SampleChange
    /// The change's p value, corrected for the number of figures.
    package var correctedP: Double

    package init(
      figure: StageFigure, before: Int, after: Int, medianBefore: Double, medianAfter: Double,
      change: SampleChange, correctedP: Double
    ) {
      self.figure = figure
      self.before = before
      self.after = after
      self.medianBefore = medianBefore
      self.medianAfter = medianAfter
      self.change = change
      self.correctedP = correctedP
    }

    /// The smallest change that is worth a claim, as a share.
    private static let leastChange = 0.001

    package var verdict: ProgramComparison.Verdict {
      guard correctedP < ProgramComparison.level, abs(change.relative.share) >= Self.leastChange
      else { return .notShown }
      return change.difference < 0 ? .less : .more
    }
  }

  /// The files that the base's launches come from, or the measured command.
  package var origins: [String]
  /// The number of the base's launches.
  package var launches: Int
  /// The figures that both sets have, in the order of the document.
  package var figures: [Figure]
  /// The figures that only the document has, each with the median time in nanoseconds.
  package var new: [Unmatched]
  /// The figures that only the base has.
  package var gone: [Unmatched]
  /// Reasons why a difference may come from the machine and not from the builds, each as a clause.
  package var doubts: [String]

  package struct Unmatched: Hashable, Sendable {
    package var figure: StageFigure
    package var launches: Int
    package var median: Double

    package init(figure: StageFigure, launches: Int, median: Double) {
      self.figure = figure
      self.launches = launches
      self.median = median
    }
  }

  package init(
    origins: [String], launches: Int, figures: [Figure], new: [Unmatched], gone: [Unmatched],
    doubts: [String]
  ) {
    self.origins = origins
    self.launches = launches
    self.figures = figures
    self.new = new
    self.gone = gone
    self.doubts = doubts
  }

  package func figure(_ figure: StageFigure) -> Figure? { figures.first { $0.figure == figure } }
}

extension StagesDocument {
  /// Compares the launches with the launches of `base`.
  ///
  /// - Throws: `mismatch` if the launches of `base` are of another program, of another kind of file, or in another state
  ///   of the page cache; an error if a document has launches of several kinds of files.
  package mutating func compare(with base: StagesDocument) throws(Diagnostic) {
    try checkLikeness(base)
    let (old, new) = (try base.samples(), try samples())
    let before = Dictionary(old.map { ($0.figure, $0) }, uniquingKeysWith: { first, _ in first })
    let known = Set(new.map(\.figure))
    var figures = new.compactMap { sample -> StagesComparison.Figure? in
      guard let base = before[sample.figure] else { return nil }
      let change = SampleChange(from: base.times, to: sample.times)
      return .init(
        figure: sample.figure, before: base.times.count, after: sample.times.count,
        medianBefore: base.times.median, medianAfter: sample.times.median, change: change,
        correctedP: change.p)
    }
    let corrected = ProgramComparison.corrected(figures.map(\.change.p))
    for index in figures.indices { figures[index].correctedP = corrected[index] }
    comparison = StagesComparison(
      origins: base.origins, launches: base.launchCount, figures: figures,
      new: new.filter { before[$0.figure] == nil }.map(\.unmatched),
      gone: old.filter { !known.contains($0.figure) }.map(\.unmatched),
      doubts: doubts(about: base))
  }

  /// The files that the launches come from, or the measured command.
  private var origins: [String] { tables.flatMap(\.origins) + histograms.map(\.origin) }

  private var launchCount: Int {
    tables.first?.launches.count ?? histograms.map(\.launches).saturatingSum()
  }

  private func checkLikeness(_ base: StagesDocument) throws(Diagnostic) {
    func differ(_ what: String, _ expected: String, _ found: String) -> Diagnostic {
      Diagnostic(
        "the base has launches of another \(what): expected \(expected), found \(found)",
        severity: .mismatch)
    }
    func kind(_ document: StagesDocument) -> String {
      document.tables.first?.source.rawValue
        ?? (document.histograms.isEmpty ? "none" : "histograms")
    }
    guard kind(self) == kind(base) else { throw differ("kind of file", kind(self), kind(base)) }
    if let image, let other = base.image {
      guard image.name == other.name else {
        throw differ("program", printable(image.name), printable(other.name))
      }
      if let difference = other.difference(from: image, ofOneBuild: false) {
        throw Diagnostic("the base has launches of \(difference)", severity: .mismatch)
      }
    }
    guard state == base.state else {
      throw differ(
        "state of the page cache", state?.rawValue ?? "none", base.state?.rawValue ?? "none")
    }
    guard device?.settings == base.device?.settings else {
      throw differ(
        "device", device?.settings.wording ?? "none", base.device?.settings.wording ?? "none")
    }
  }

  private func doubts(about base: StagesDocument) -> [String] {
    var doubts: [String] = []
    if let machine, let other = base.machine, !machine.isLike(other) {
      doubts.append("both sets were launched on different machines")
    }
    if let drift = base.drift {
      doubts.append(
        "the time of the base's launches changed by \(drift) from the first to the last")
    }
    if let drift {
      doubts.append("the time of the launches changed by \(drift) from the first to the last")
    }
    return doubts
  }

  /// The greatest number of launches whose trend is computed. The time to compute it grows with the square of the
  /// number.
  private static let mostForTrend = 2000

  /// The notable change from the first launch to the last, such as `+12.0%`; `nil` without one.
  private var drift: String? {
    guard let table = tables.first else { return nil }
    let times = table.untraced.isEmpty ? table.launches.map(\.nanoseconds) : table.untraced
    guard times.count <= Self.mostForTrend else { return nil }
    let trend = Trend(times)
    return trend.isNotable ? Decimal.percent(trend.relativeChange, isSigned: true) : nil
  }
}

extension StageSample {
  fileprivate var unmatched: StagesComparison.Unmatched {
    .init(figure: figure, launches: times.count, median: times.median)
  }
}

extension MeasuringMachine {
  /// Whether `other` has the same properties as this machine, so that launches should take equally long on both. The
  /// load is not compared, because it changes all the time.
  fileprivate func isLike(_ other: MeasuringMachine) -> Bool {
    var other = other
    other.load = load
    return self == other
  }
}
