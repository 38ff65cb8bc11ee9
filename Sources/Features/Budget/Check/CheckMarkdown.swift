// A check for a pull request, in GitHub's Markdown. A comment may have 65,536 characters, and a job's summary 1 MiB:
// the smaller limit is used for both. Failures are shown. Limits that pass, and most causes, are folded into <details>.
//
// Names come from files. They are put in <code>, and every character that Markdown or HTML interprets is written as a
// numeric reference.

import ImageModel
import Rendering

/// A check as Markdown.
package struct CheckMarkdown {
  private let document: CheckDocument
  private let names: NameWording

  /// The largest size of the report, in bytes; below the limit of a comment on GitHub.
  static let mostBytes = 60_000
  private static let shownCauses = 5

  package init(_ document: CheckDocument, names: @escaping NameWording = mangled) {
    self.document = document
    self.names = names
  }

  package var text: String {
    let notable = document.results.filter { $0.outcome != .pass && $0.outcome != .alreadyInBase }
    let older = document.results.filter { $0.outcome == .alreadyInBase }
    let passed = document.results.filter { $0.outcome == .pass }
    var text = "### Launch budget: \(document.summary)\n"
    if let reason = document.baseIsMissing {
      let what = document.base.isEmpty ? "No baseline" : "A part of the baseline is missing"
      text += "\n\(what): \(code(reason)).\n"
    }
    var omitted = 0
    // After the first part of the report that exceeds the size limit, no further part is made, because each part takes
    // time.
    func add(_ part: @autoclosure () -> String) {
      guard omitted == 0 else {
        omitted += 1
        return
      }
      let part = part()
      if text.utf8.count + part.utf8.count <= Self.mostBytes { text += part } else { omitted += 1 }
    }
    if !notable.isEmpty { add("\n" + table(notable)) }
    for result in notable where result.outcome == .inconclusive {
      add("\n\(code(result.subject)): \(escaped(result.reason ?? "")).\n")
    }
    for failed in notable.failedFigures { add(section(of: failed)) }
    if !older.isEmpty {
      let renewals = older.figuresAlreadyInBase.compactMap(\.renewal).map { "\n\(escaped($0))\n" }
      add(
        "\n"
          + details(
            "\(counted(older.count, "limit")) already exceeded in the base",
            table(older) + renewals.joined()))
    }
    if !passed.isEmpty {
      add("\n" + details("\(counted(passed.count, "limit")) kept", table(passed)))
    }
    let next = NextStepsText(document.nextSteps).markdown(escaped)
    if !next.isEmpty { add("\n" + next) }
    if omitted > 0 {
      text += "\n\(counted(omitted, "part")) of this report did not fit: see the JSON report.\n"
    }
    return text
  }

  private static let mostRows = 100

  private func table(_ results: [CheckResult]) -> String {
    var text = "| outcome | figure | value | limit | base |\n|---|---|--:|---|--:|\n"
    for result in results.prefix(Self.mostRows) {
      text += "| \(result.outcome.rawValue) | \(code(result.subject)) | \(result.valueWording) "
      text += "| \(result.requirementWording) | \(result.baseWording) |\n"
    }
    let rest = results.count - Self.mostRows
    return text + (rest > 0 ? "\nand \(rest) more\n" : "")
  }

  private func section(of failed: FailedFigure) -> String {
    let commands = [failed.renewal, failed.closer].compactMap { $0 }
    let next = commands.map { "\n\(escaped($0))\n" }.joined()
    guard failed.causes.isEmpty else { return causes(of: failed) + next }
    return next.isEmpty ? "" : "\n\(code(failed.first.subject)):\n" + next
  }

  private func causes(of failed: FailedFigure) -> String {
    var text = "\n\(code(failed.first.subject)):\n\n"
    text += list(failed.causes.prefix(Self.shownCauses))
    let rest = failed.causes.dropFirst(Self.shownCauses)
    guard !rest.isEmpty else { return text }
    var further = list(rest)
    if failed.furtherCauses > 0 { further += "- and \(failed.furtherCauses) more\n" }
    return text + "\n" + details("\(rest.count + failed.furtherCauses) more", further)
  }

  private func list(_ causes: some Sequence<RegressionCause>) -> String {
    causes.map {
      let detail = $0.detail.isEmpty ? "" : " (\(escaped($0.detail)))"
      return "- \($0.kind.rawValue): \(code(names($0.name)))\(detail)\n"
    }.joined()
  }

  private func details(_ summary: String, _ contents: String) -> String {
    "<details><summary>\(summary)</summary>\n\n\(contents)\n</details>\n"
  }

  private func code(_ text: String) -> String {
    "<code>\(escaped(shortened(text, to: 300)))</code>"
  }

  /// Returns `text` without characters that Markdown or HTML interprets: control characters become escapes, other
  /// characters become numeric references.
  private func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in printable(text).unicodeScalars {
      switch scalar {
      case "&", "<", ">", "|", "\\", "`", "*", "_", "[", "]", "~", "@", "#", ":", "\"", "'", "!",
        "$":
        escaped += "&#\(scalar.value);"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
