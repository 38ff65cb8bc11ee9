import Audit
import ImageModel
import LaunchMeasurement
import PagesFormat
import Rendering
import Stages

extension StagesDocument {
  /// The median times of the launches: of the whole launch, of each stage and event, and of each task.
  ///
  /// - Throws: if the document does not state which program was launched, or has launches of several kinds of files.
  func committedImages() throws(Diagnostic) -> [CommittedDocument.Image] {
    guard let image else {
      throw Diagnostic(
        "invalid document: it does not state which program was launched",
        hint: "give 'orderfile stages' the program with '--image'")
    }
    let samples = try samples()
    return [
      .init(
        reference: image,
        sets: StageFigure.Group.allCases.map { group in
          .init(
            group.source,
            pageSize: machine.flatMap { PageSize(bytes: UInt64(clamping: $0.pageBytes)) },
            machine: place,
            metrics: samples.filter { $0.figure.group == group }.prefix(HistoryEntry.maximumMetrics)
              .map(\.metric))
        })
    ]
  }

  /// The state of the page cache, which figures of the launches state; `nil` for launches on other machines.
  var figureState: String? { place?.state }

  /// The machine and the state of the page cache; `nil` for launches on other machines, such as devices, which traces
  /// and logs do not describe.
  private var place: HistorySeries.Machine? {
    guard let machine else { return nil }
    var name = machine.name
    if let device { name += ", device \(device.settings.name)" }
    return HistorySeries.Machine(
      name: name, kernel: machine.kernel, state: (state ?? .warm).rawValue)
  }
}

extension StageFigure.Group {
  /// The group of the figures in histories and budgets.
  var source: HistorySeries.Source {
    switch self {
    case .stages: .stages
    case .tasks: .tasks
    }
  }
}

extension StageSample {
  /// The median in milliseconds, with the quartiles.
  fileprivate var metric: HistoryMetric {
    HistoryMetric(
      figure.name, .milliseconds, .lower, times.median / 1e6,
      sample: .init(
        low: times.lowerQuartile / 1e6, high: times.upperQuartile / 1e6, count: times.count))
  }
}

extension AuditFigures {
  /// The number of start-up tasks that run, of all stages and of each stage; empty if the image registers none.
  var taskMetrics: [HistoryMetric] {
    if tasks.isEmpty { return [] }
    let running = tasks.filter(\.runs)
    var stages: [String] = []
    for task in tasks where !stages.contains(task.stage.description) {
      stages.append(task.stage.description)
    }
    return [HistoryMetric("count", .tasks, .lower, running.count)]
      + stages.filter { !$0.isEmpty }.prefix(HistoryEntry.maximumMetrics - 1).map { stage in
        HistoryMetric(
          "\(stage).count", .tasks, .lower,
          running.count { $0.stage.description == stage })
      }
  }
}
