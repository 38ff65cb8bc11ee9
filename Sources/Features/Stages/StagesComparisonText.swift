import LaunchMeasurement
import Rendering

/// The text report of a comparison with a base's launches: a row for the whole launch, for each stage, and for each task.
struct StagesComparisonText {
  private let comparison: StagesComparison
  private let width: Int?

  init(_ comparison: StagesComparison, width: Int?) {
    self.comparison = comparison
    self.width = width
  }

  var text: String {
    let origins = comparison.origins
    var text =
      printable(
        "compared with \(counted(comparison.launches, "launch", "launches")): "
          + origins.prefix(3).joined(separator: ", ")
          + (origins.count > 3 ? " and \(origins.count - 3) more" : "")) + "\n\n"
    text += table.text(width: width)
    text += unmatched("only here", comparison.new)
    text += unmatched("only in the base", comparison.gone)
    for doubt in comparison.doubts { text += "doubt:    \(printable(doubt))\n" }
    return text
  }

  /// The rows of the table. The times until an event are left out: they are sums of rows above.
  private var table: Table {
    var table = Table([
      .init("BASE MS"), .init("MS"), .init("CHANGE MS"), .init("95% INTERVAL"), .init("CHANGE"),
      .init("", .left), .init("STAGE", .left),
    ])
    for row in comparison.figures where row.figure.quantity == .milliseconds {
      let change = row.change
      table.add([
        milliseconds(row.medianBefore), milliseconds(row.medianAfter), signed(change.difference),
        change.interval.map { "\(signed($0.lowerBound)) to \(signed($0.upperBound))" }
          ?? "too few launches",
        Decimal.percent(change.relative.share, isSigned: true), Self.wording(row.verdict),
        printable(row.figure.wording),
      ])
    }
    return table
  }

  private static func wording(_ verdict: ProgramComparison.Verdict) -> String {
    switch verdict {
    case .less: "faster"
    case .more: "slower"
    case .notShown: "not shown"
    }
  }

  /// Returns a line for each figure that only one of both sets has.
  private func unmatched(_ title: String, _ figures: [StagesComparison.Unmatched]) -> String {
    figures.filter { $0.figure.quantity == .milliseconds }.map { figure in
      "\(title): \(printable(figure.figure.wording)) (\(milliseconds(figure.median)) ms, "
        + "\(counted(figure.launches, "launch", "launches")))\n"
    }.joined()
  }

  private func milliseconds(_ nanoseconds: Double) -> String {
    Decimal.milliseconds(nanoseconds: nanoseconds)
  }

  private func signed(_ nanoseconds: Double) -> String {
    (nanoseconds < 0 ? "-" : "+") + milliseconds(abs(nanoseconds))
  }
}
