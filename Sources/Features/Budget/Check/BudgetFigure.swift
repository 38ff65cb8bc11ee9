import LaunchMeasurement

/// A figure that a budget can limit, with the words of `check --why` about it.
package struct BudgetFigure: Hashable, Sendable {
  package var source: HistorySeries.Source
  package var name: String
  package var unit: HistoryMetric.Unit
  package var direction: HistoryMetric.Direction
  /// The meaning of the figure, as one sentence.
  package var meaning: String
  /// How to make the figure better, as one sentence; it begins with a lower-case verb.
  package var remedy: String
  /// Whether the figure exists for each stage, so that a stage may be in its name: `tasks.first screen.count`.
  package var stages: StagePart
  /// How far from today's value of the figure `check --init` sets the limit; `nil` if it sets no limit.
  package var slack: Slack?

  package enum StagePart: Hashable, Sendable {
    case none
    /// The figure exists for the whole launch, and for each stage or row of `stages`.
    case optional
    /// The figure exists only for each row of `stages`.
    case required
  }

  package enum Slack: Hashable, Sendable {
    /// The limit is today's value of the figure.
    case none
    /// The limit allows two pages more, or 2% more for a figure above a hundred; against the base, two pages more.
    case pages
    /// The limit allows 2% more bytes than today, and than the base.
    case bytes
    /// The limit allows two percentage points more than today, and than the base.
    case share
    /// The limit allows at least 3% more time than the base; without a base there is no limit.
    case time
  }

  init(
    _ source: HistorySeries.Source, _ name: String, _ unit: HistoryMetric.Unit,
    _ direction: HistoryMetric.Direction, stages: StagePart = .none, slack: Slack? = nil,
    _ meaning: String, _ remedy: String
  ) {
    self.source = source
    self.name = name
    self.unit = unit
    self.direction = direction
    self.stages = stages
    self.slack = slack
    self.meaning = meaning
    self.remedy = remedy
  }

  /// The name of the figure in budgets, such as `pages.textPages`.
  package var id: String { "\(source.rawValue).\(name)" }
  package var isShare: Bool { unit == .ratio }
  /// The command whose documents have the figure.
  package var command: String {
    switch source {
    case .tasks where isStageTime: HistorySeries.Source.stages.rawValue
    case .tasks: HistorySeries.Source.audit.rawValue
    default: source.rawValue
    }
  }
  /// Whether figures of cold launches and of warm launches are distinguished.
  package var hasStates: Bool { source == .measure || isStageTime }
  /// Whether the figure is a time of launches that are divided into stages.
  package var isStageTime: Bool { unit == .milliseconds }
  /// Whether the figure differs from launch to launch, so that only builds launched in turn can be compared.
  package var isTime: Bool {
    source == .measure && LaunchMetric(rawValue: name)?.isMemory == false
  }
  /// Whether the figure is resident memory, which `measure` reads in launches of its own.
  package var isMemory: Bool { source == .measure && unit == .bytes && !countsRequests }
  /// Whether the figure counts the requests to a device of `measure --device`, or their bytes.
  package var countsRequests: Bool {
    source == .measure && (unit == .requests || name == "readBytes")
  }

  /// Reads the name of a figure. The name of a stage may have dots and blanks: it is everything between the first and
  /// the last dot.
  ///
  /// - Returns: `nil` if no figure has this name.
  package init?(id: String) {
    if let figure = Self.all.first(where: { $0.stages != .required && $0.id == id }) {
      self = figure
      return
    }
    guard let dot = id.firstIndex(of: ".") else { return nil }
    let (stage, quantity) = HistoryMetric.parts(of: String(id[id.index(after: dot)...]))
    guard let stage, !stage.isEmpty,
      let figure = Self.all.first(where: {
        $0.stages != .none && $0.source.rawValue == id[..<dot] && $0.name == quantity
      })
    else { return nil }
    self = figure
    name = "\(stage).\(quantity)"
  }

  /// The names of the figure in messages: `tasks.count`, `tasks.<stage>.count`.
  var wordings: [String] {
    let ofStage = "\(source.rawValue).<stage>.\(name)"
    return switch stages {
    case .none: [id]
    case .optional: [id, ofStage]
    case .required: [ofStage]
    }
  }

  /// The names of all figures in messages.
  static var allWordings: [String] { all.flatMap(\.wordings) }
}

extension BudgetFigure {
  /// Returns what an error about the unknown `metric` expects: the figures of the command that `metric` begins with, or else the
  /// figures of all commands that end in `metric`, or else the commands that have figures.
  static func known(like metric: String) -> String {
    let command = metric.prefix { $0 != "." }
    let names = allWordings
    for alike in [
      all.filter { $0.source.rawValue == command }.flatMap(\.wordings),
      names.filter { $0.hasSuffix(".\(metric)") },
    ] where !alike.isEmpty {
      return "one of \(alike.joined(separator: ", "))"
    }
    var commands: [String] = []
    for figure in all where commands.last != figure.source.rawValue {
      commands.append(figure.source.rawValue)
    }
    return "a figure of \(commands.joined(separator: ", ")), such as pages.textPages"
  }
}
