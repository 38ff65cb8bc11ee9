// The stages of one launch on Linux
//
// Five clocks have to agree. This process stores the time just before exec, and when the launch is over. The stage
// tracer, in the program, stores when the loader calls it, and when each initializer returns. glibc's loader tells with
// LD_DEBUG=statistics how many cycles of the machine's counter it has taken in all, for mapping libraries and for
// relocation; the tracer has read that counter twice, so that cycles become nanoseconds.
//
//   exec --- loader begins --- tracer loaded --- libraries mapped, relocated --- initializers --- main --- end
//        |<- kernel ->|<------ from the cycles in all, back from "relocated" ->|
//
// Every nanosecond belongs to one stage, so the stages add up to the launch exactly:
//
// - the kernel's exec, up to the loader's first instruction: what its cycles leave of the time until "relocated";
// - the loader's own start, with that of the tracer, which can't be separated;
// - tracing: what the tracer does then, and the loader's writing of its statistics, which no other launch has;
// - loading (finding, opening and mapping libraries) and relocation (which includes looking symbols up), by the cycles
//   of the loader; its other work is the rest of that interval;
// - the initializers of each image, without those of other images that they cause to be loaded; the loader between
//   them; the program's start code; the program's initializers; and main until the end.
//
// Without the loader's cycles, without a record of main, or without any record, the stages around a missing boundary
// are one. What it leaves out: how long looking up symbols takes within relocation, for which the loader has no time.

import Addresses
import LaunchLogFormat
import Reporting

/// One launch with the stage tracer in it.
package struct TracedLaunch: Sendable {
  package var trace: StageTrace
  /// Just before exec, and at the end: nanoseconds of CLOCK_MONOTONIC.
  var start: UInt64
  var end: UInt64
  /// What glibc's loader printed; `nil` if that is missing.
  var statistics: LoggedLaunch?
  /// `exit` or `ready`
  var endName: String

  package private(set) var stages: [LaunchStage] = []
  /// The time of each initializer, by the number of its object, in order.
  package private(set) var initializers: [Initializer] = []

  package struct Initializer: Hashable, Sendable {
    package var object: Int
    package var address: StatedAddress
    /// Since exec.
    package var start: UInt64
    /// Without initializers of other images that it causes to run.
    package var nanoseconds: UInt64
  }

  package init(
    _ trace: StageTrace, start: UInt64, end: UInt64, statistics: LoggedLaunch?, endName: String
  ) {
    self.trace = trace
    self.start = start
    self.end = max(start, end)
    self.statistics = statistics
    self.endName = endName
    cursor = start
    divide()
  }

  /// Up to where the launch is divided.
  private var cursor: UInt64

  /// Adds the stage that ends at `time`, if it has begun.
  private mutating func add(_ name: String, _ kind: LaunchStage.Kind = .stage, until time: UInt64) {
    let time = min(max(time, cursor), end)
    stages.append(LaunchStage(name, kind, nanoseconds: Double(time - cursor)))
    cursor = time
  }

  private func time(_ kind: StageTrace.Kind) -> UInt64? {
    trace.records.first { $0.kind == kind }?.nanoseconds
  }

  private mutating func divide() {
    guard let version = time(.version), let loading = time(.loading),
      let relocated = time(.relocated)
    else {
      add("from exec until \(endName), not separated", .other, until: end)
      return
    }
    if let total = chooseCycle(version, relocated) {
      add("kernel: exec", until: relocated - total)
      add("loader: its own start, and the tracer's", until: version)
    } else {
      add("kernel: exec, and the loader's own start", until: version)
    }
    add("tracing: the tracer's start", .tracing, until: loading)
    divideLoading(until: relocated)
    add("tracing: the loader's statistics", .tracing, until: time(.begin) ?? relocated)
    divideInitializers()
  }

  /// Nanoseconds of one printed cycle; `nil` if unknown.
  private var cycle: Double?

  /// Finds out how long a printed cycle is: as the tracer saw the counter advance or, where glibc cuts off the last
  /// digit of each number (2.36 does), ten times that. The loader began after exec and before it called the tracer,
  /// which only one of the two agrees with.
  ///
  /// - Returns: the loader's whole time; `nil` if it did not print it, or if neither agrees.
  private mutating func chooseCycle(_ version: UInt64, _ relocated: UInt64) -> UInt64? {
    guard let total = statistics?.totalNanoseconds, let first = trace.records.first,
      first.kind == .version, let last = trace.records.last(where: { $0.kind == .main }),
      last.nanoseconds > first.nanoseconds, last.value > first.value
    else { return nil }
    let length = Double(last.nanoseconds - first.nanoseconds) / Double(last.value - first.value)
    for scale in [1.0, 10] {
      let whole = total * length * scale
      guard whole >= Double(relocated - version), whole <= Double(relocated - start) else {
        continue
      }
      cycle = length * scale
      return UInt64(whole)
    }
    return nil
  }

  private func nanoseconds(_ cycles: Double?) -> UInt64? {
    guard let cycles, let cycle else { return nil }
    return UInt64(exactly: (cycles * cycle).rounded())
  }

  // MARK: Loading

  private mutating func divideLoading(until relocated: UInt64) {
    func cycles(_ name: String) -> Double? {
      statistics?.stages.first { $0.name == name }?.nanoseconds
    }
    let start = cursor
    guard let loading = nanoseconds(cycles("time needed to load objects")),
      let relocation = nanoseconds(cycles("time needed for relocation"))
    else {
      add("loader: loading, relocation and symbol look-up", until: relocated)
      return
    }
    add("loader: loading", until: min(start + loading, relocated))
    addMappings(since: start)
    add("loader: relocation, with symbol look-up", until: min(cursor + relocation, relocated))
    add("loader: other work", until: relocated)
  }

  /// How long the loader took until it had mapped each library, since the one before.
  private mutating func addMappings(since start: UInt64) {
    var before = start
    for record in trace.records where record.kind == .object && record.nanoseconds > start {
      guard record.nanoseconds <= end else { break }
      stages.append(
        LaunchStage(name(record.object), .part, nanoseconds: Double(record.nanoseconds - before)))
      before = record.nanoseconds
    }
  }

  // MARK: Initializers

  private mutating func divideInitializers() {
    var own: [UInt64] = Array(repeating: 0, count: trace.objects.count)
    var order: [Int] = []
    var between: UInt64 = 0
    var startup: UInt64 = 0
    var open: [Int] = []
    var last = cursor
    var hasMain = false
    for record in trace.records where record.nanoseconds >= cursor {
      let time = min(record.nanoseconds, end)
      let passed = time - min(last, time)
      switch record.kind {
      case .begin:
        if let outer = open.last {
          own[outer] += passed
        } else if record.object == 0 {
          startup += passed
        } else {
          between += passed
        }
        if !order.contains(record.object) { order.append(record.object) }
        open.append(record.object)
      case .function:
        guard open.last == record.object else { continue }
        own[record.object] += passed
        initializers.append(
          Initializer(
            object: record.object, address: StatedAddress(rawValue: record.value),
            start: min(last, time) - start, nanoseconds: passed))
      case .end:
        guard open.popLast() == record.object else { continue }
        own[record.object] += passed
      case .main: hasMain = true
      case .version, .loading, .relocated, .object: continue
      }
      last = time
    }
    let hasProgram = order.contains(0)
    for object in order where object != 0 {
      add("initializers of \(name(object))", .initializers, until: cursor + own[object])
    }
    add("loader: between initializers", until: cursor + between)
    if hasProgram {
      add("the program's start code", until: cursor + startup)
      add("initializers of the program", .initializers, until: cursor + own[0])
    }
    add(
      hasMain ? "main until \(endName)" : "the program's initializers and main until \(endName)",
      until: end)
  }

  /// A library's file name, or its path if another one has the same.
  private func name(_ object: Int) -> String {
    func last(_ path: String) -> Substring { path.split(separator: "/").last ?? "the program" }
    let name = last(trace.objects[object])
    let isOne = trace.objects.indices.allSatisfy { $0 == object || last(trace.objects[$0]) != name }
    return isOne ? String(name) : trace.objects[object]
  }
}
