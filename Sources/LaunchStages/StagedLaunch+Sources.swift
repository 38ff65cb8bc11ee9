import ByteReading
import ImageModel
import LaunchLogFormat
import Reporting
import XctraceFormat

extension StagedLaunch {
  /// The launch of a log.
  package init(_ launch: LoggedLaunch) {
    guard let total = launch.totalNanoseconds else {
      self.init(events: launch.stages.map { ($0.name, $0.nanoseconds, nil) })
      return
    }
    var stages = launch.stages.map {
      LaunchStage($0.name, $0.isPart ? .part : .stage, nanoseconds: $0.nanoseconds)
    }
    // Printed numbers are rounded.
    let rest = total - stages.reduce(0) { $0 + ($1.kind == .part ? 0 : $1.nanoseconds) }
    if rest > 0 { stages.append(LaunchStage("not separated", .other, nanoseconds: rest)) }
    self.init(stages, nanoseconds: total)
  }

  /// Events in any order, each with the nanoseconds since the process began.
  package init(events: [(name: String, nanoseconds: Double, thread: Int?)]) {
    var last = 0.0
    let order = events.indices.sorted {
      (events[$0].nanoseconds, $0) < (events[$1].nanoseconds, $1)
    }
    self.init(
      order.map { index in
        let event = events[index]
        defer { last = event.nanoseconds }
        return LaunchStage(
          event.name, .event, nanoseconds: event.nanoseconds - last, thread: event.thread)
      })
  }

  /// The marks of a trace, its first and its last function, and `main` if the trace names it.
  package init(_ trace: Trace) {
    var events = trace.marks.compactMap { mark in
      mark.nanoseconds.map { (name: mark.name, nanoseconds: Double($0), thread: mark.thread) }
    }
    func add(_ name: String, _ hit: Hit?) {
      guard let hit, let time = hit.nanoseconds else { return }
      events.append((name, Double(time), hit.thread))
    }
    let mains = trace.names.filter { $0.name == "main" || $0.name == "_main" }
    add("first recorded function", trace.hits.first { $0.nanoseconds != nil })
    add(
      "main",
      trace.hits.first { hit in
        mains.contains { $0.image == hit.image && $0.address == hit.entry }
      })
    add("last recorded function", trace.hits.last { $0.nanoseconds != nil })
    self.init(events: events)
  }

  /// The launch up to the first event of that name; `nil` if it has none.
  package func until(_ event: String) -> StagedLaunch? {
    guard let place = stages.firstIndex(where: { $0.name == event }) else { return nil }
    return StagedLaunch(Array(stages[...place]))
  }

  /// The life cycles in an export of xctrace, one for each process, until it runs in the foreground.
  ///
  /// - Throws: also `missing` if the export has no such table.
  package static func lifeCycles(_ bytes: FileBytes) throws(ParseError) -> [StagedLaunch] {
    struct Period {
      var name: String
      var start: UInt64
      var end: UInt64
    }
    let export = XctraceExport()
    var processes: [UInt64] = []
    var periods: [UInt64: [Period]] = [:]
    try export.read(bytes) { row in
      guard row.table == .lifeCycle, let name = row.period, let start = row.nanoseconds,
        let process = row.process?.number
      else { return }
      if periods[process] == nil { processes.append(process) }
      let (end, overflow) = start.addingReportingOverflow(row.durationNanoseconds ?? 0)
      periods[process, default: []].append(
        Period(
          name: String(decoding: name, as: UTF8.self), start: start, end: overflow ? start : end))
    }
    guard export.tables.contains(.lifeCycle) else {
      throw ParseError(
        .missing,
        "table 'life-cycle-period': export with --xpath '/trace-toc/run[@number=\"1\"]/data/table[@schema=\"life-cycle-period\"]'",
        at: .init(rawValue: 0))
    }
    return processes.compactMap { process in
      // What follows the launch is not part of it.
      let all = (periods[process] ?? []).sorted { ($0.start, $0.end) < ($1.start, $1.end) }
      let launch = all.filter {
        $0.name.hasPrefix("Initializing") || $0.name.hasPrefix("Launching")
      }
      guard let first = launch.first?.start else { return nil }
      return StagedLaunch(
        events: launch.map { ($0.name, Double($0.end - min(first, $0.end)), nil) })
    }
  }
}
