import ImageModel
import Rendering

/// The limits that `--limit` sets on the figures of a command's result. The code of `check` judges them.
package struct CommandLimits: Sendable {
  /// Returns the option that states a limit, as it is on the command line.
  static func option(_ value: String) -> String { "--limit \(shellWord(value))" }

  /// The limits, in the order of the command line.
  package let limits: [Budget.Limit]

  /// Reads limits on the figures of any command.
  ///
  /// - Throws: an error if a limit is malformed, or if it names no figure.
  package init(parsing texts: [String]) throws(Diagnostic) {
    limits = try texts.map { text throws(Diagnostic) in
      let command = String(text.prefix { $0 != "." })
      guard let source = HistorySeries.Source(rawValue: command) else {
        throw Diagnostic(
          "unknown figure: expected \(BudgetFigure.known(like: text)), found '\(printable(text))'")
      }
      return try Self.limit(text, of: source)
    }
  }

  /// - Parameters:
  ///   - texts: limits such as `diff.present>=95%`.
  ///   - source: the command whose figures may be limited.
  /// - Throws: an error if a limit is malformed, or if it names no figure of the command.
  package init(
    parsing texts: [String], of source: HistorySeries.Source
  ) throws(Diagnostic) {
    limits = try texts.map { text throws(Diagnostic) in try Self.limit(text, of: source) }
  }

  private static func limit(
    _ text: String, of source: HistorySeries.Source
  ) throws(Diagnostic) -> Budget.Limit {
    guard let sign = text.firstRange(of: "<=") ?? text.firstRange(of: ">=") else {
      throw Diagnostic(
        "expected FIGURE<=NUMBER or FIGURE>=NUMBER, found '\(printable(text))'")
    }
    let id = String(text[..<sign.lowerBound]).withoutBlanksAround
    let known = BudgetFigure.all.filter { $0.source == source && !$0.isTime }
    guard let figure = BudgetFigure(id: id), figure.source == source, !figure.isTime else {
      let names = known.flatMap(\.wordings)
      let meant = closestName(to: id, of: names).map { ", did you mean '\($0)'?" } ?? ""
      throw Diagnostic(
        "unknown figure: expected one of \(names.joined(separator: ", ")), found '\(printable(id))'\(meant)"
      )
    }
    let bound = try Self.bound(String(text[sign.upperBound...]).withoutBlanksAround, of: figure)
    var limit =
      text[sign.lowerBound] == "<"
      ? Budget.Limit(figure, maximum: bound) : Budget.Limit(figure, minimum: bound)
    limit.option = text
    return limit
  }

  private static func bound(
    _ text: String, of figure: BudgetFigure
  ) throws(Diagnostic) -> Bound {
    guard figure.isShare else {
      guard let count = Int(text), (0...Bound.largest).contains(count), !text.hasPrefix("+") else {
        throw Diagnostic(
          "invalid limit of \(figure.id): expected a whole number, found '\(printable(text))'")
      }
      return .count(count)
    }
    guard text.hasSuffix("%"), let share = Share(text) else {
      throw Diagnostic(
        "invalid limit of \(figure.id): expected a share such as 5%, found '\(printable(text))'")
    }
    return .share(share)
  }

  /// Returns the smallest share that a limit demands of `figure`; `nil` if no limit demands a share.
  package func minimumShare(of figure: String) -> Share? {
    for limit in limits where limit.figure.id == figure {
      if case .share(let share)? = limit.minimum { return share }
    }
    return nil
  }

  /// Returns an error for each limit that a result does not keep, in the order of the command line. A result that lacks
  /// the figure does not keep the limit.
  ///
  /// - Parameters:
  ///   - path: the path of the command's input, for the messages.
  ///   - absence: why the result lacks a figure; `nil` if nothing is known.
  ///   - remedy: returns how to make a figure better; `nil` for the figure's own remedy.
  package func failures(
    of content: CommittedDocument.Content, path: String, absence: String? = nil,
    remedy: (BudgetFigure) -> String? = { _ in nil }
  ) throws(Diagnostic) -> [Diagnostic] {
    guard !limits.isEmpty else { return [] }
    var images: [CheckedImage] = []
    try images.add(CommittedDocument(judging: content), path: path)
    var failures: [Diagnostic] = []
    for limit in limits {
      let isThere = images.contains { image in
        image.figures.contains { limit.isAbout($0, of: image) }
      }
      guard isThere else {
        failures.append(
          Diagnostic(
            "\(limit.figure.id): expected \(limit.wording), found nothing\(absence.map { ": \($0)" } ?? "")",
            context: [path], hint: remedy(limit.figure) ?? limit.figure.remedy,
            severity: .checkFailed))
        continue
      }
      let check = BudgetCheck(Budget(limits: [limit]), images: images, base: nil)
      failures += try check.results().failedFigures.map { failed in
        Diagnostic(
          failed.wording, context: [path],
          hint: remedy(failed.first.figure) ?? failed.renewal ?? failed.first.figure.remedy,
          severity: .checkFailed)
      }
    }
    return failures
  }
}

extension Budget.Limit {
  /// The limit in words: `at most 40`.
  fileprivate var wording: String {
    if let maximum { return "at most \(maximum)" }
    return minimum.map { "at least \($0)" } ?? ""
  }
}

extension String {
  fileprivate var withoutBlanksAround: String {
    var text = drop { $0 == " " }
    while text.last == " " { text = text.dropLast() }
    return String(text)
  }
}
