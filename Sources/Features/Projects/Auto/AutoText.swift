import ImageModel
import Measuring
import Prediction
import Rendering

/// The text report of an ordered project.
package struct AutoText {
  private let document: AutoDocument

  package init(_ document: AutoDocument) { self.document = document }

  package var text: String {
    heading + pages.text() + "\n" + checks
      + (document.split.map { printable($0.text) + "\n" } ?? "")
      + (document.prefetch.map { printable($0.text) + "\n" } ?? "")
      + document.recordedBy + "\n\n" + measurements
      + "to order your own build:\n"
      + document.optionLines.map { "  \($0)\n" }.joined()
      + "results: \(printable(document.folder))\n" + next
  }

  private var next: String {
    let next = NextStepsText(document.nextSteps).text
    return next.isEmpty ? "" : "\n" + next
  }

  private var heading: String {
    guard let reason = document.notCounted else {
      return
        "measured: pages of code that \(counted(document.launches.count, "launch", "launches")) executed, \(exactness)\n\n"
    }
    return "predicted: pages of code with recorded functions; not counted: \(printable(reason))\n\n"
  }

  private var exactness: String {
    document.unsettled.map { "not exact: \($0.wording)" } ?? "counted exactly"
  }

  private var pages: Table {
    let isCounted = document.notCounted == nil
    var table = Table(
      [.init("4 KiB"), .init("ORDERED"), .init("CHANGE")]
        + (isCounted ? [.init("16 KiB"), .init("ORDERED")] : []) + [.init("IMAGE", .left)])
    for row in document.rows {
      let pages16k = row.pages16k.map { ["\($0.before)", "\($0.after)"] } ?? []
      table.add(
        ["\(row.pages.before)", "\(row.pages.after)", row.pages.change] + pages16k
          + [row.name ?? "TOTAL"])
    }
    return table
  }

  /// What `measure` prints about each launch.
  private var measurements: String {
    document.measurements.map {
      "measured: \(printable($0.launch)), launched in the default order and in the new one\n\n"
        + MeasureText($0.document).text + "\n"
    }.joined()
  }

  private var checks: String {
    document.images.map { "\(printable($0.name)): \($0.check)\n" }.joined()
  }
}

extension AutoDocument {
  /// A row of the table of pages: the pages of one image, or of all images.
  fileprivate struct Row {
    /// The name of the image; `nil` for the row with the sum of all images.
    var name: String?
    /// The counted pages; the predicted pages if pages were not counted.
    var pages: BeforeAfter<Int>
    var pages16k: BeforeAfter<Int>?
  }

  fileprivate var rows: [Row] {
    let rows = images.map {
      Row(name: $0.name, pages: $0.pages ?? $0.predicted, pages16k: $0.pages16k)
    }
    let all = Row(name: nil, pages: pages ?? predicted, pages16k: pages16k)
    return images.count > 1 ? rows + [all] : rows
  }

  fileprivate var recordedBy: String {
    "recorded by \(method.wording)" + (methodReason.map { " (\(printable($0)))" } ?? "")
  }

  /// The options for the user's own build, a line for each kind.
  fileprivate var optionLines: [String] {
    func line(_ options: [String]) -> String {
      options.map { printable(shellWord($0)) }.joined(separator: " ")
    }
    let areAlike = Set(images.map(\.compileOptions)).count == 1
    return (areAlike ? images.prefix(1) : images[...]).filter { !$0.compileOptions.isEmpty }
      .map { "compile\(areAlike ? "" : " \(printable($0.name))"): \(line($0.compileOptions))" }
      + images.compactMap { image in
        image.prefetchPath.map { "add to \(printable(image.name)): \(line(["\(folder)/\($0)"]))" }
      }
      + images.map { "link \(printable($0.name)): \(line($0.linkOptions))" }
  }
}

/// The report of an ordered project in Markdown, for a pull request.
package struct AutoMarkdown {
  private let document: AutoDocument

  package init(_ document: AutoDocument) { self.document = document }

  package var text: String {
    let isCounted = document.notCounted == nil
    let source =
      document.notCounted.map { "Predicted, not counted: \(markdown($0));" }
      ?? "Measured in \(counted(document.launches.count, "launch", "launches"))\(document.unsettled.map { " (not exact: \(markdown($0.wording)))" } ?? ""),"
    var text = """
      ### Pages of code that a launch executes

      \(source) \(markdown(document.recordedBy)).

      | image | 4 KiB | ordered | change |\(isCounted ? " 16 KiB | ordered |" : "")
      |---|---:|---:|---:|\(isCounted ? "---:|---:|" : "")

      """
    for row in document.rows { text += line(of: row) }
    text += "\n"
    for measurement in document.measurements {
      text += "Measured, `\(printable(measurement.launch))`:\n\n"
      for finding in measurement.document.findings { text += "- \(markdown(finding))\n" }
      text += "\n"
    }
    for image in document.images { text += "- \(markdown(image.name)): \(image.check)\n" }
    if let split = document.split { text += "- \(markdown(split.text))\n" }
    if let prefetch = document.prefetch { text += "- \(markdown(prefetch.text))\n" }
    for warning in document.warnings {
      text += "- warning: \(markdown(warning.split(separator: "\n").joined(separator: "; ")))\n"
    }
    text += "\n```\n" + document.optionLines.map { $0 + "\n" }.joined() + "```\n"
    let next = NextStepsText(document.nextSteps).markdown(markdown)
    return text + (next.isEmpty ? "" : "\n" + next)
  }

  private func line(of row: AutoDocument.Row) -> String {
    let name = row.name.map(markdown) ?? "**all**"
    let pages16k = row.pages16k.map { " \($0.before) | \($0.after) |" } ?? ""
    return
      "| \(name) | \(row.pages.before) | \(row.pages.after) | \(row.pages.change) |\(pages16k)\n"
  }

  /// Escapes the characters that have a meaning in Markdown.
  private func markdown(_ text: String) -> String {
    var escaped = ""
    for character in printable(text) {
      if "\\`*_{}[]<>#|".contains(character) { escaped.append("\\") }
      escaped.append(character)
    }
    return escaped
  }
}

extension AutoDocument.Image {
  /// How many functions ran, and how many entries of the order file the linker placed in order, in words.
  fileprivate var check: String {
    let followed = "\(compliance.inOrder) of \(counted(compliance.present, "entry", "entries"))"
    let text = "\(counted(functions, "function")) ran; \(linker) placed \(followed) in order"
    guard let data = compliance.data, data.entries > 0 else { return text }
    return text + ", and \(data.inOrder) of \(counted(data.present, "entry", "entries")) of data"
  }
}
