import ImageModel
import LaunchMeasurement
import Rendering

/// The text of a summary: a table for each group, with a row for each launch.
package struct LaunchSummaryText {
  private let summary: LaunchSummary
  private let width: Int?

  /// - Parameter width: the terminal's width in columns; `nil` shortens no name.
  package init(_ summary: LaunchSummary, width: Int? = nil) {
    self.summary = summary
    self.width = width
  }

  package var text: String {
    let title = "all launches of \(printable(summary.path)), measured\n"
    return title + summary.groups.map { "\n" + table(of: $0) }.joined()
  }

  private func table(of group: LaunchSummary.Group) -> String {
    let sum = group.sum
    let union = group.union
    let figures = summary.command.figures
    let shown = figures.indices.filter { index in
      group.launches.contains { $0.values[index] != nil }
    }
    var columns: [Table.Column] = []
    for index in shown {
      columns.append(.init(figures[index].title))
      if figures[index].isAfter { columns.append(.init("CHANGE")) }
    }
    var table = Table(columns + [.init(name(of: group.subject), .left)])
    func add(_ values: [UInt64?], _ name: String) {
      var cells: [String] = []
      for index in shown {
        cells.append(values[index].map(figures[index].wording) ?? "-")
        guard figures[index].isAfter else { continue }
        let change = values[index].flatMap { after in
          values[index - 1].map { Percentage.change(from: $0, to: after) }
        }
        cells.append(change ?? "-")
      }
      table.add(cells + [name])
    }
    for launch in group.launches {
      add(launch.values, launch.name + (launch.isRequired ? "" : " (not required)"))
    }
    if let sum { add(sum, summary.command == .measure ? "SUM of the medians" : "SUM") }
    if let union { add(union, "UNION: each page once") }
    guard case .image(let image) = group.subject else { return table.text(width: width) }
    return printable(image.path) + "\n" + table.text(width: width)
  }

  private func name(of subject: LaunchSummary.Subject) -> String {
    guard case .cache(let state) = subject else { return "LAUNCH" }
    let medians = summary.command == .measure ? ", medians" : ""
    return "\(state.rawValue) launch\(medians)".uppercased()
  }
}
