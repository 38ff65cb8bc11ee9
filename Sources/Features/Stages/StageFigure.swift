// The figures of launches that are divided into stages, and their names.
//
// `stages.milliseconds` is the time of the whole launch, `stages.first screen.milliseconds` the time of the row 'first
// screen', and `tasks.first screen.milliseconds` the time of the start-up tasks of the stage 'first screen'. Programs
// name stages and tasks, so a name may have blanks and dots. The first word of a figure has no dot, and neither has the
// last, so the name of the stage is everything between the first and the last dot.

/// The name of a figure of launches that are divided into stages.
package struct StageFigure: Hashable, Sendable {
  package enum Group: String, CaseIterable, Hashable, Sendable {
    /// The launch and the rows of `stages`.
    case stages
    /// Start-up tasks by their stages.
    case tasks
  }

  package enum Quantity: String, CaseIterable, Hashable, Sendable {
    /// The time that a row, the tasks of a stage, or the launch takes.
    case milliseconds
    /// The time from the start of the process to the end of a row.
    case elapsedMilliseconds
  }

  package var group: Group
  /// The row of `stages`, or the stage of the tasks; `nil` for the whole launch, and for all tasks.
  package var stage: String?
  package var quantity: Quantity

  package init(_ group: Group, _ stage: String? = nil, _ quantity: Quantity = .milliseconds) {
    self.group = group
    self.stage = stage
    self.quantity = quantity
  }

  /// The name without the group: `first screen.milliseconds`.
  package var name: String { (stage.map { "\($0)." } ?? "") + quantity.rawValue }

  /// The name as in a budget: `stages.first screen.milliseconds`.
  package var id: String { "\(group.rawValue).\(name)" }

  /// - Returns: `nil` if `id` is the name of no such figure.
  package init?(id: String) {
    guard let dot = id.firstIndex(of: "."), let group = Group(rawValue: String(id[..<dot])) else {
      return nil
    }
    let rest = id[id.index(after: dot)...]
    self.group = group
    if let quantity = Quantity(rawValue: String(rest)) {
      self.quantity = quantity
    } else if let last = rest.lastIndex(of: "."), last > rest.startIndex,
      let quantity = Quantity(rawValue: String(rest[rest.index(after: last)...]))
    {
      stage = String(rest[..<last])
      self.quantity = quantity
    } else {
      return nil
    }
  }

  /// The figure in a report: `first screen`, `until first screen`, `the tasks of first screen`.
  package var wording: String {
    switch (group, quantity, stage) {
    case (.stages, _, nil): "the whole launch"
    case (.stages, .milliseconds, let stage?): stage
    case (.stages, .elapsedMilliseconds, let stage?): "until \(stage)"
    case (.tasks, _, nil): "all tasks"
    case (.tasks, _, let stage?): "the tasks of \(stage)"
    }
  }
}
