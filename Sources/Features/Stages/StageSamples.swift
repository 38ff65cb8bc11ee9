import ImageModel
import LaunchMeasurement
import Rendering

/// The times of one figure in a set of launches.
package struct StageSample: Hashable, Sendable {
  package var figure: StageFigure
  /// The times in nanoseconds, of the launches that have the figure.
  package var times: WeightedSample
}

extension StagesDocument {
  /// Returns the figures of the launches: the whole launch first, then the rows in the order of the table, then the
  /// tasks by stages in the order of their first rows.
  ///
  /// Rows of the measurement's own work are no figures. If launches were also measured without the tracer, the time of
  /// the whole launch is the time without the tracer. Parts of a stage other than tasks, such as the loading of one
  /// library, are no figures either. A row that a launch has several times gives several figures: `name`, `name (2)`.
  ///
  /// - Throws: if the launches come from several kinds of files, which have figures of the same names.
  package func samples() throws(Diagnostic) -> [StageSample] {
    guard tables.count <= 1 else {
      throw Diagnostic(
        "the launches are of several kinds of files: \(tables.map(\.source.rawValue).joined(separator: ", "))",
        hint: "make a document of each kind")
    }
    var samples = Samples()
    if let table = tables.first {
      let whole = table.untraced.isEmpty ? table.launches.map(\.nanoseconds) : table.untraced
      for time in whole { samples.add(time, to: StageFigure(.stages)) }
      // The rows come first in the order of the table, then rows by launches.
      samples.order = Self.figures(of: table)
      for launch in table.launches { samples.add(launch) }
    }
    var result = samples.inOrder
    // Each payload of MetricKit has a histogram of the same name.
    var names: [String] = []
    var counts: [String: [(value: Double, count: Int)]] = [:]
    for histogram in histograms {
      if counts[histogram.name] == nil { names.append(histogram.name) }
      counts[histogram.name, default: []] += histogram.buckets.map {
        (value: $0.middle, count: $0.count)
      }
    }
    for name in names {
      let figure = StageFigure(.stages, name)
      guard !result.contains(where: { $0.figure == figure }),
        let times = WeightedSample(counts: counts[name] ?? [])
      else { continue }
      result.append(StageSample(figure: figure, times: times))
    }
    return result
  }

  /// Returns the figures of the rows of `table`, in their order.
  private static func figures(of table: StageTable) -> [StageFigure] {
    var names = RowNames()
    return table.rows.flatMap { row -> [StageFigure] in
      guard let name = names.name(row.kind, row.name) else { return [] }
      return [StageFigure(.stages, name), StageFigure(.stages, name, .elapsedMilliseconds)]
    }
  }

  /// Numbers the rows of one launch that have the same name.
  private struct RowNames {
    private var counts: [String: Int] = [:]

    /// Returns the name of a row in figures; `nil` for a row that is no figure.
    mutating func name(_ kind: LaunchStage.Kind, _ name: String) -> String? {
      switch kind {
      case .tracing, .part: return nil
      case .event, .stage, .initializers, .other, .task: break
      }
      guard !name.isEmpty, name.utf8.count <= StagesDocument.longestName else { return nil }
      let count = counts[name, default: 0] + 1
      counts[name] = count
      return count == 1 ? name : "\(name) (\(count))"
    }
  }

  /// The greatest number of bytes in the name of a row with a figure.
  private static let longestName = 200

  private struct Samples {
    var order: [StageFigure] = []
    private var figures: [StageFigure] = []
    private var times: [StageFigure: [Double]] = [:]

    mutating func add(_ time: Double, to figure: StageFigure) {
      if times[figure] == nil { figures.append(figure) }
      times[figure, default: []].append(time)
    }

    mutating func add(_ launch: StagedLaunch) {
      var names = RowNames()
      var elapsed = 0.0
      var tasks: [StageFigure: Double] = [:]
      var stages: [StageFigure] = []
      for stage in launch.stages {
        if !stage.kind.isPart { elapsed += stage.nanoseconds }
        if stage.kind == .task, let name = TaskName(row: stage.name) {
          for figure in [StageFigure(.tasks), StageFigure(.tasks, name.stage)] {
            if tasks[figure] == nil { stages.append(figure) }
            tasks[figure, default: 0] += stage.nanoseconds
          }
        }
        guard let name = names.name(stage.kind, stage.name) else { continue }
        add(stage.nanoseconds, to: StageFigure(.stages, name))
        if stage.kind == .event {
          add(elapsed, to: StageFigure(.stages, name, .elapsedMilliseconds))
        }
      }
      for figure in stages { add(tasks[figure] ?? 0, to: figure) }
    }

    var inOrder: [StageSample] {
      let whole = StageFigure(.stages)
      let known = Set(order)
      let all =
        figures.filter { $0 == whole } + order.filter { times[$0] != nil }
        + figures.filter { $0 != whole && !known.contains($0) }
      return all.compactMap { figure in
        WeightedSample(times[figure] ?? []).map { StageSample(figure: figure, times: $0) }
      }
    }
  }
}

/// The name and the stage of a start-up task, as the rows of `stages` have them.
package struct TaskName: Hashable, Sendable {
  package var name: String
  package var stage: String

  /// Reads the name of a row, such as `task database of first screen`. If there are several ` of `, the last one is
  /// before the stage; a stage that contains ` of ` is quoted, as in `task tiles of "view of the map"`.
  ///
  /// - Returns: `nil` if the row is no row of a task.
  package init?(row: String) {
    var text = row[...]
    if text.hasSuffix(TaskTimes.openEnd) { text = text.dropLast(TaskTimes.openEnd.count) }
    guard text.hasPrefix(TaskTimes.rowStart), let (name, stage) = Self.parts(of: text) else {
      return nil
    }
    self.name = String(name.dropFirst(TaskTimes.rowStart.count))
    self.stage = String(stage)
  }

  private static func parts(of text: Substring) -> (name: Substring, stage: Substring)? {
    let separator = " of "
    if text.hasSuffix("\"") {
      let quoted = text.dropLast()
      for range in quoted.ranges(of: separator + "\"").reversed() {
        let stage = quoted[range.upperBound...]
        if stage.contains(separator) { return (quoted[..<range.lowerBound], stage) }
      }
    }
    guard let range = text.ranges(of: separator).last, range.upperBound < text.endIndex else {
      return nil
    }
    return (text[..<range.lowerBound], text[range.upperBound...])
  }
}
