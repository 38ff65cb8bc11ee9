// The stages of one launch on Linux
//
// Five clocks have to agree. This process stores the time just before exec, and when the launch is over. The stage
// tracer, in the program, stores when the loader calls it, and when each initializer returns. With LD_DEBUG=statistics,
// glibc's loader prints how many cycles of the machine's counter it has taken: in all, for mapping libraries, and for
// relocation. The tracer has read this counter twice, so that cycles can be converted to nanoseconds.
//
//   exec --- loader begins --- tracer loaded --- libraries mapped, relocated --- initializers --- main --- end
//        |<- kernel ->|<------ from the cycles in all, back from "relocated" ->|
//
// Every nanosecond belongs to one stage, so the stages add up to the launch exactly:
//
// - the kernel's exec, up to the loader's first instruction: the time until "relocated" without the loader's cycles;
// - the loader's own start and the tracer's start, which can't be separated;
// - tracing: what the tracer does then, and the loader's writing of its statistics, which other launches do not have;
// - loading (finding, opening and mapping libraries) and relocation (which includes looking symbols up), by the cycles
//   of the loader; its other work is the rest of that interval;
// - the initializers of each image, without the initializers of other images that they cause to be loaded; the loader
//   between them; the program's start code; the program's initializers; and main until the end.
//
// Without the loader's times, without a record of main, or without any record, the stages around a missing boundary
// become one stage: `LaunchDivision`. What it leaves out: how long looking up symbols takes within relocation, for
// which the loader has no time.
//
// The program may write over the tracer's memory. So only ordered records are read from it (`StageTrace`), and no time
// is before exec or after the end.

import Addresses
import LaunchLogFormat

/// One launch with the stage tracer in it.
package struct TracedLaunch: Sendable {
  package var trace: StageTrace
  /// The time just before exec, in nanoseconds of CLOCK_MONOTONIC.
  var start: UInt64
  /// The time at which the launch was over, in nanoseconds of CLOCK_MONOTONIC.
  var end: UInt64
  /// The statistics that glibc's loader printed; `nil` if they are missing.
  var statistics: LoggedLaunch?
  /// The name of the end of the launch: `exit` or `ready`.
  var endName: String

  package private(set) var stages: [LaunchStage] = []
  /// The times of the initializers, each with the number of its object, in the order of the calls.
  package private(set) var initializers: [Initializer] = []

  package struct Initializer: Hashable, Sendable {
    package var object: Int
    package var address: StatedAddress
    /// The start in nanoseconds since exec.
    package var start: UInt64
    /// The time that the initializer took, without the initializers of other images that it causes to run.
    package var nanoseconds: UInt64
  }

  /// Each object that the loader mapped until the end, by its number.
  package private(set) var mappings: [Mapping] = []

  package struct Mapping: Hashable, Sendable {
    package var object: Int
    /// The time since exec at which the object had been mapped.
    package var end: UInt64
    /// The time that the loader took to find, open and map the object, without the libraries that were mapped before
    /// it; `nil` for objects that the kernel maps. For the first library that the running program opens, only the time
    /// of mapping is known.
    package var nanoseconds: UInt64?
  }

  /// Makes a launch from the tracer's records, which `divide` then divides into stages.
  package init(
    _ trace: StageTrace, start: UInt64, end: UInt64, statistics: LoggedLaunch?, endName: String
  ) {
    self.trace = trace
    self.start = start
    self.end = max(start, end)
    self.statistics = statistics
    self.endName = endName
    cursor = start
    mappings = Self.mappings(trace, start: start, end: self.end)
  }

  private static func mappings(_ trace: StageTrace, start: UInt64, end: UInt64) -> [Mapping] {
    var begin: UInt64?
    var mappings: [Mapping] = []
    for record in trace.records where (start...end).contains(record.nanoseconds) {
      switch record.kind {
      case .loading: begin = record.nanoseconds
      case .relocated: begin = nil
      case .object:
        mappings.append(
          Mapping(
            object: record.object, end: record.nanoseconds - start,
            nanoseconds: begin.map { record.nanoseconds - $0 }))
        if begin != nil { begin = record.nanoseconds }
      case .version, .begin, .function, .end, .main, .mark: continue
      }
    }
    return mappings
  }

  /// The time up to which the launch has been divided into stages.
  private var cursor: UInt64

  /// Adds the stage from `cursor` to `time`. The stage takes no time if `time` is before `cursor`.
  private mutating func add(_ name: String, _ kind: LaunchStage.Kind = .stage, until time: UInt64) {
    let time = min(max(time, cursor), end)
    stages.append(LaunchStage(name, kind, nanoseconds: Double(time - cursor)))
    cursor = time
  }

  private mutating func add(
    _ name: String, _ kind: LaunchStage.Kind = .stage, lasting nanoseconds: UInt64
  ) {
    add(name, kind, until: cursor + min(nanoseconds, end - cursor))
  }

  /// Returns the time of the first record of `kind`, or the end of the launch if the record is later, because a program
  /// may go on until it is killed.
  func time(_ kind: StageTrace.Kind) -> UInt64? {
    (trace.records.first { $0.kind == kind }?.nanoseconds).map { min($0, end) }
  }

  /// - Precondition: `divide` was not called before, and the launch can be divided as finely as `division`.
  mutating func divide(into division: LaunchDivision, _ loader: LoaderTimes?) {
    guard division > .whole, let version = time(.version), let loading = time(.loading),
      let relocated = time(.relocated)
    else {
      add("from exec until \(endName), not separated", .other, until: end)
      return
    }
    if let loader {
      add("kernel: exec", until: relocated - min(loader.total, relocated))
      add("loader: its own start, and the tracer's", until: version)
    } else {
      add("kernel: exec, and the loader's own start", until: version)
    }
    add("tracing: the tracer's start", .tracing, until: loading)
    divideLoading(loader, until: relocated)
    add("tracing: the loader's statistics", .tracing, until: time(.begin) ?? relocated)
    divideInitializers()
  }

  // MARK: Loading

  private mutating func divideLoading(_ loader: LoaderTimes?, until relocated: UInt64) {
    guard let loader else {
      add("loader: loading, relocation and symbol look-up", until: relocated)
      return
    }
    add("loader: loading", lasting: min(loader.loading, relocated - min(cursor, relocated)))
    for mapping in mappings where start + mapping.end <= relocated {
      guard let time = mapping.nanoseconds else { continue }
      addPart(name(mapping.object), lasting: time)
    }
    add(
      "loader: relocation, with symbol look-up",
      lasting: min(loader.relocation, relocated - min(cursor, relocated)))
    add("loader: other work", until: relocated)
  }

  private mutating func addPart(_ name: String, lasting nanoseconds: UInt64) {
    stages.append(LaunchStage(name, .part, nanoseconds: Double(nanoseconds)))
  }

  // MARK: Initializers

  private mutating func divideInitializers() {
    var own: [UInt64] = Array(repeating: 0, count: trace.objects.count)
    var order: [Int] = []
    /// The libraries that the initializers of an object opened.
    var opened: [Int: [Int]] = [:]
    var between: UInt64 = 0
    var startup: UInt64 = 0
    var open: [Int] = []
    var last = cursor
    var hasMain = false
    var tasks = TaskTimes()
    /// The objects whose initializers ran tasks, by the names of the tasks.
    var owners: [String: Int] = [:]
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
      case .mark:
        guard record.nanoseconds <= end, let mark = TaskMark(record.name) else { continue }
        _ = tasks.add(record.name, at: Double(record.nanoseconds), thread: nil)
        if case .begin(let name) = mark { owners[name] = open.last }
        continue
      case .object:
        if let outer = open.last { opened[outer, default: []].append(record.object) }
        continue
      case .version, .loading, .relocated: continue
      }
      last = time
    }
    let hasProgram = order.contains(0)
    let ended = tasks.ended(at: Double(end))
    func taskStages(of object: Int?) -> [LaunchStage] {
      ended.filter { owners[$0.name] == object }.map(\.stage)
    }
    for object in order where object != 0 {
      add("initializers of \(name(object))", .initializers, lasting: own[object])
      addMappings(of: opened[object] ?? [])
      stages += taskStages(of: object)
    }
    add("loader: between initializers", lasting: between)
    if hasProgram {
      add("the program's start code", lasting: startup)
      add("initializers of the program", .initializers, lasting: own[0])
      addMappings(of: opened[0] ?? [])
      stages += taskStages(of: 0)
    }
    add(
      hasMain ? "main until \(endName)" : "the program's initializers and main until \(endName)",
      until: end)
    stages += taskStages(of: nil)
  }

  /// Adds the times of mapping the libraries `objects`, as parts of the last stage.
  private mutating func addMappings(of objects: [Int]) {
    for mapping in mappings where objects.contains(mapping.object) {
      guard let time = mapping.nanoseconds else { continue }
      addPart("loading \(name(mapping.object))", lasting: time)
    }
  }

  /// Returns a library's file name, or its path if another library has the same file name.
  private func name(_ object: Int) -> String {
    func last(_ path: String) -> Substring { path.split(separator: "/").last ?? "the program" }
    let name = last(trace.objects[object])
    let isOne = trace.objects.indices.allSatisfy { $0 == object || last(trace.objects[$0]) != name }
    return isOne ? String(name) : trace.objects[object]
  }
}
