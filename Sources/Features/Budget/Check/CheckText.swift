import ImageModel
import Rendering

/// A check as text for people.
package struct CheckText {
  private let document: CheckDocument
  private let width: Int?
  private let names: NameWording
  /// The number of causes that are listed for one failure.
  private let mostCauses: Int

  package init(
    _ document: CheckDocument, width: Int? = nil, mostCauses: Int = 10,
    names: @escaping NameWording = mangled
  ) {
    self.document = document
    self.width = width
    self.mostCauses = mostCauses
    self.names = names
  }

  package var text: String {
    var text = "\(printable(document.budget)): \(document.summary)\n\n"
    text += table
    for result in document.results {
      // The command prints the reason why the base is missing once, as a note.
      guard let reason = document.ownReason(of: result) else { continue }
      text += "\n\(printable("\(result.subject): \(reason)"))\n"
    }
    for failed in document.results.failedFigures {
      text += "\n\(printable(failed.wording))\n" + causes(of: failed)
    }
    let older = document.results.figuresAlreadyInBase
    if !older.isEmpty {
      text += "\nalready exceeded in the base, so no failure of this change:\n"
      for failed in older {
        text += "  \(printable(failed.wording))\n"
        if let renewal = failed.renewal { text += "    \(renewal)\n" }
      }
    }
    let next = NextStepsText(document.nextSteps).text
    return text + (next.isEmpty ? "" : "\n" + next)
  }

  private var table: String {
    var table = Table([
      .init("OUTCOME", .left), .init("VALUE"), .init("LIMIT", .left), .init("BASE"),
      .init("FIGURE", .left),
    ])
    for result in document.results {
      table.add([
        result.outcome.rawValue, result.valueWording, result.requirementWording,
        result.baseWording, result.subject,
      ])
    }
    return table.text(width: width)
  }

  private func causes(of failed: FailedFigure) -> String {
    var text = ""
    for cause in failed.causes.prefix(mostCauses) {
      let detail = cause.detail.isEmpty ? "" : " (\(cause.detail))"
      text += "  \(cause.kind.rawValue): \(printable(names(cause.name)))\(printable(detail))\n"
    }
    let rest = failed.causes.count - mostCauses + failed.furtherCauses
    if rest > 0 { text += "  and \(rest) more\n" }
    if failed.causes.isEmpty, failed.first.base == nil, !failed.first.figure.isTime,
      !failed.first.figure.isStageTime
    {
      text += "  give --base to see what made the figure worse\n"
    }
    if let renewal = failed.renewal { text += "  \(renewal)\n" }
    if let closer = failed.closer { text += "  \(closer)\n" }
    return text
  }
}
