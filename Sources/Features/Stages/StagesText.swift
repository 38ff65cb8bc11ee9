import ImageModel
import LaunchMeasurement
import Rendering

/// The text report of `orderfile stages`: a table for each kind of source, histograms, and lists of libraries.
package struct StagesText {
  private let document: StagesDocument
  private let width: Int?

  /// - Parameter width: the terminal's width in columns; `nil` shortens nothing.
  package init(_ document: StagesDocument, width: Int? = nil) {
    self.document = document
    self.width = width
  }

  package var text: String {
    var parts = document.tables.map(text)
    parts += document.histograms.map(text)
    if !document.libraries.isEmpty {
      parts.append(document.libraries.map(text).joined())
    }
    if let device = document.device { parts.append(text(device)) }
    if let comparison = document.comparison {
      parts.append(StagesComparisonText(comparison, width: width).text)
    }
    return parts.joined(separator: "\n")
  }

  private func text(_ device: StagesDocument.Device) -> String {
    var text = "device: \(device.settings.wording)"
    if let requests = device.requests, let bytes = device.readBytes {
      text +=
        "; the median launch without the tracer made \(Decimal.text(requests, places: 0)) requests and read "
        + "\(ByteCount(UInt64(exactly: bytes.rounded(.down)) ?? 0).wording)"
    }
    return text + "\n"
  }

  // MARK: Tables

  private func text(_ table: StageTable) -> String {
    let count = table.launches.count
    var text =
      printable(
        "\(table.source.title) of \(counted(count, "launch", "launches")): "
          + table.origins.prefix(3).joined(separator: ", ")
          + (table.origins.count > 3 ? " and \(table.origins.count - 3) more" : "")) + "\n\n"
    text += count == 1 ? single(table).text(width: width) : several(table).text(width: width)
    if count > 1 || !table.counts.isEmpty { text += "\n" }
    for count in table.counts { text += "\(printable(count.name)): \(printable(count.text))\n" }
    if count > 1 {
      text += "total:    \(line(table.total))\n"
      text += "needed:   \(needed(table.total))\n"
      text += "seconds:  \(seconds(table.seconds))\n"
    }
    if let untraced = table.typicalUntraced, let change = table.change {
      let interval = change.interval.map {
        ", 95% interval \(Decimal.percent($0.lowerBound, isSigned: true)) to "
          + "\(Decimal.percent($0.upperBound, isSigned: true))"
      }
      text +=
        "untraced: \(milliseconds(untraced)) ms in as many launches without the tracer; the rows without tracing add up to "
        + "\(milliseconds(table.typicalTotal - table.tracing)) ms "
        + "(\(Decimal.percent(change.share, isSigned: true))\(interval ?? ""))\n"
    }
    return text
  }

  /// Returns the table of a single launch: for each row, the time since the process began and the time since the row
  /// before.
  private func single(_ table: StageTable) -> Table {
    var rendered = Table(
      [.init("MS"), .init("DELTA")] + threadHeading(table) + [.init(heading(table), .left)])
    for row in shown(table) {
      rendered.add(
        [elapsed(row), milliseconds(row.delta)] + threadDelta(row, table) + [name(row)])
    }
    return rendered
  }

  /// Returns the table of several launches, with statistics of the times of each row.
  private func several(_ table: StageTable) -> Table {
    var rendered = Table(
      [.init("MS"), .init("DELTA")] + threadHeading(table) + [
        .init("MIN"), .init("MEDIAN"), .init("MEAN"), .init("P95"), .init("MAX"),
        .init("LAUNCHES"), .init("NEEDED"), .init(heading(table), .left),
      ])
    for row in shown(table) {
      let delta = row.deltaSummary
      rendered.add(
        [elapsed(row), milliseconds(row.delta)] + threadDelta(row, table) + [
          milliseconds(delta.minimum),
          milliseconds(delta.median), milliseconds(delta.mean), milliseconds(delta.percentile95),
          milliseconds(delta.maximum), "\(row.count)",
          "\(MeasurementPrecision.launchesNeeded(document.precision, row.elapsedSummary))",
          name(row),
        ])
    }
    return rendered
  }

  /// Returns the heading of the column with the time since the previous event of the same thread. Threads run at the
  /// same time, so the time since an event of another thread does not show how long work took.
  private func threadHeading(_ table: StageTable) -> [Table.Column] {
    table.hasThreads ? [.init("ON THREAD")] : []
  }

  private func threadDelta(_ row: StageTable.Row, _ table: StageTable) -> [String] {
    table.hasThreads ? [row.threadDelta.map(milliseconds) ?? ""] : []
  }

  private func heading(_ table: StageTable) -> String {
    table.source.hasAllTime ? "STAGE" : "EVENT"
  }

  /// Returns the rows to print. Adjacent rows of initializers that each take less than 1% of the launch are one row.
  private func shown(_ table: StageTable) -> [StageTable.Row] {
    let limit = table.typicalTotal / 100
    var shown: [StageTable.Row] = []
    var small: [StageTable.Row] = []
    func fold() {
      guard let last = small.last else { return }
      var row = last
      if small.count > 1 {
        row.name = "initializers of \(small.count) other libraries"
        row.delta = small.reduce(0) { $0 + $1.delta }
        row.deltaSummary = StageTable.sum(of: small, in: table.launches)
      }
      shown.append(row)
      small = []
    }
    // A row that is printed alone ends the group of summed rows before it, so that rows stay in the order of time.
    for row in table.rows where row.kind != .part || table.source != .measured || row.delta >= limit
    {
      if row.kind == .initializers, row.delta < limit {
        small.append(row)
      } else {
        fold()
        shown.append(row)
      }
    }
    fold()
    return shown
  }

  private func name(_ row: StageTable.Row) -> String {
    let thread = row.thread.map { $0 == 1 ? "" : " (thread \($0))" } ?? ""
    return (row.kind.isPart ? "  of which " : "") + row.name + thread
  }

  private func elapsed(_ row: StageTable.Row) -> String {
    row.kind.isPart ? "" : milliseconds(row.elapsed)
  }

  // MARK: Statistics

  private func line(_ summary: SampleSummary) -> String {
    let quartiles =
      "\(milliseconds(summary.lowerQuartile)) to \(milliseconds(summary.upperQuartile))"
    return
      "min \(milliseconds(summary.minimum)), median \(milliseconds(summary.median)), mean "
      + "\(milliseconds(summary.mean)), quartiles \(quartiles), 95% below "
      + "\(milliseconds(summary.percentile95)), max \(milliseconds(summary.maximum)) ms"
  }

  private func needed(_ summary: SampleSummary) -> String {
    let number = MeasurementPrecision.launchesNeeded(document.precision, summary)
    return
      "\(counted(number, "launch", "launches")) for a mean within ±\(Decimal.percent(document.precision)) (they vary by "
      + "\(Decimal.percent(summary.variation)); \(summary.count) give "
      + "±\(Decimal.percent(MeasurementPrecision.reached(summary))))"
  }

  private func seconds(_ counts: [(second: Int, count: Int)]) -> String {
    counts.map { "\($0.second) to \($0.second + 1) s: \($0.count)" }.joined(separator: ", ")
  }

  private func milliseconds(_ nanoseconds: Double) -> String {
    Decimal.milliseconds(nanoseconds: nanoseconds)
  }

  // MARK: Others

  private func text(_ histogram: LaunchHistogram) -> String {
    var text = printable(
      "\(histogram.name) of \(counted(histogram.launches, "launch", "launches")): \(histogram.origin)"
    )
    text += "\n\n"
    var table = Table([.init("LAUNCHES"), .init("FROM MS"), .init("TO MS")])
    for bucket in histogram.buckets {
      table.add(["\(bucket.count)", milliseconds(bucket.start), milliseconds(bucket.end)])
    }
    text += table.text(width: width) + "\n"
    guard let summary = histogram.summary else { return text }
    text += "total:    \(line(summary)) (of the middles)\n"
    text += "needed:   \(needed(summary))\n"
    text += "seconds:  \(seconds(histogram.seconds))\n"
    return text
  }

  private func text(_ list: StagesDocument.LibraryList) -> String {
    let count = list.system.count + list.others.count
    return printable(
      "\(counted(count, "image")): \(list.system.count) of the system, \(list.others.count) others: \(list.origin)\(list.process.map { ", process \($0)" } ?? "")"
    )
      + "\n" + list.others.map { "  \(printable($0))\n" }.joined()
  }
}

extension StageTable.Source {
  fileprivate var title: String {
    switch self {
    case .measured: "stages"
    case .trace: "marks"
    case .dyldStatistics: "dyld's statistics"
    case .dyldStatisticsDetails: "dyld's detailed statistics"
    case .stopwatch: "events"
    case .xctrace: "life cycle"
    }
  }
}
