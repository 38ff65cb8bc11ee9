import ImageModel
import Measuring
import Prediction
import Rendering

/// The text of what a report holds: the files that it was made of, and the reports of its documents.
package struct ReportContentsText {
  private let contents: ReportContents
  private let path: String
  private let width: Int?
  private let names: NameWording

  /// - Parameter width: the terminal's width in columns; `nil` shortens no name.
  package init(
    _ contents: ReportContents, path: String, width: Int? = nil,
    names: @escaping NameWording = mangled
  ) {
    self.contents = contents
    self.path = path
    self.width = width
    self.names = names
  }

  package var text: String {
    var text = "report \(printable(path)): \(printable(contents.title))\n"
    text += "  page size:  \(contents.pageSize.wording)\n"
    for layout in contents.layouts {
      let side = (printable(layout.side) + ":").padded(to: 11)
      text += "  \(side) \(printable(layout.path)), \(counted(layout.functionCount, "function"))\n"
    }
    if !contents.threads.isEmpty {
      text += "  first hits: \(contents.threads.count) by "
      text +=
        "\(counted(Set(contents.threads).count, "thread")), \(counted(contents.marks, "mark"))\n"
    }
    for launch in contents.faults {
      text += "  faults:     \(printable(launch.path)), \(launch.cache.rawValue) launch, "
      text += "\(launch.major) major, \(launch.minor) minor\n"
    }
    if contents.historyLines > 0 {
      text += "  history:    \(counted(contents.historyLines, "line"))\n"
    }
    for limit in contents.limits { text += "  left out:   \(printable(limit))\n" }
    for absent in contents.absentViews {
      text += "  without \(printable(absent.view)): \(printable(absent.command))\n"
    }
    let next = NextStepsText(contents.nextSteps).text
    if !next.isEmpty { text += "\n" + next }
    if let diff = contents.diff {
      text += "\n" + DiffText(diff, width: width, names: names).text
    }
    if let measure = contents.measure { text += "\n" + MeasureText(measure, width: width).text }
    return text
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - columns(of: self)))
  }
}
