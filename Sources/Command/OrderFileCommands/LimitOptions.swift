import ArgumentParser
import Budget
import ImageModel

/// A result with figures that `--limit` can limit.
protocol LimitedResult: SendableMetatype {
  static var source: HistorySeries.Source { get }
  /// A limit that is often set: the example in the help.
  static var example: String { get }
}

enum DiffResult: LimitedResult {
  static let source = HistorySeries.Source.diff
  static let example = "diff.present>=95%"
}

enum VerifyResult: LimitedResult {
  static let source = HistorySeries.Source.verify
  static let example = "verify.stale<=5%"
}

enum AuditResult: LimitedResult {
  static let source = HistorySeries.Source.audit
  static let example = "audit.libraries<=12"
}

enum MeasureResult: LimitedResult {
  static let source = HistorySeries.Source.measure
  static let example = "measure.rss<=20000000"
}

/// `--limit`: the limits of a result's figures.
struct LimitOptions<Kind: LimitedResult>: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A limit of a figure, such as '\(Kind.example)': if the figure is beyond it, the exit status is 2. Repeat for more limits. The figures are \(Self.figures).",
      valueName: "limit"))
  var limit: [String] = []

  private static var figures: String {
    BudgetFigure.all.filter { $0.source == Kind.source && !$0.isTime }.map(\.id).joined(
      separator: ", ")
  }

  /// - Throws: a usage error if a limit is malformed, or limits a figure of another command.
  func check() throws { _ = try limits() }

  func limits() throws -> CommandLimits {
    do { return try CommandLimits(parsing: limit, of: Kind.source) } catch {
      throw ValidationError("invalid --limit: \(error.message)")
    }
  }
}

extension [Diagnostic] {
  /// Prints all errors but the last one, and throws the last one, because a thrown error ends the command.
  func throwAll() throws(Diagnostic) {
    guard let last else { return }
    for failure in dropLast() { Console.printError(failure) }
    throw last
  }
}
