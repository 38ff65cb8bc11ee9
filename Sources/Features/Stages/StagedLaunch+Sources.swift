import ByteReading
import ImageModel
import LaunchLogFormat
import XctraceFormat

extension StagedLaunch {
  /// Makes a launch with the stages that a log states.
  package init(_ launch: LoggedLaunch) {
    guard let total = launch.totalNanoseconds else {
      self.init(events: launch.stages.map { ($0.name, $0.nanoseconds, nil) })
      return
    }
    var stages = launch.stages.map {
      LaunchStage($0.name, $0.isPart ? .part : .stage, nanoseconds: $0.nanoseconds)
    }
    // The times in a log are rounded, so their sum may differ a little from the total.
    let rest = total - stages.reduce(0) { $0 + ($1.kind == .part ? 0 : $1.nanoseconds) }
    if rest > 0 { stages.append(LaunchStage("not separated", .other, nanoseconds: rest)) }
    self.init(stages, nanoseconds: total)
  }

  /// Returns the launch up to the first event of that name; `nil` if the launch has no such event.
  package func until(_ event: String) -> StagedLaunch? {
    guard let place = stages.firstIndex(where: { $0.name == event }) else { return nil }
    let parts = stages[(place + 1)...].prefix { $0.kind.isPart }
    return StagedLaunch(Array(stages[...place] + parts))
  }

  /// Returns a launch for each process whose life cycle is in an export of xctrace, up to the time when the process
  /// runs in the foreground.
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
      // Life cycle periods after the app runs in the foreground are left out.
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
