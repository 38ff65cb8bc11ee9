import Addresses
import ByteReading
import CTraceFormat

/// The first page of a trace; `orderfile_trace_format.h` describes each field.
package struct TraceHeader: Sendable {
  package var version: UInt32
  package var headerSize: UInt32
  package var machine: UInt32
  package var flags: Flags
  package var state: State
  package var pid: UInt32
  package var parentPID: UInt32
  package var startTime: UInt64
  package var execID: ByteRange
  package var session: UInt64
  package var ticksPerSecond: UInt64
  package var firstPair: ClockPair
  package var lastPair: ClockPair
  /// The start of the process in nanoseconds since boot, a multiple of `startResolution`.
  package var processStart: UInt64
  /// The resolution of the start time, in nanoseconds.
  package var startResolution: UInt64
  package var stopTime: UInt64
  package var nextRecord: UInt64
  package var capacity: UInt64
  package var demand: UInt64
  package var lostRecords: UInt64
  package var nextImage: UInt64
  package var namesOffset: FileOffset
  package var namesCount: UInt64
  package var namesSize: UInt64
  /// The path of the executable, truncated if longer than the field.
  package var program: ByteRange
  /// The identity of the namespace of `pid`; 0 if it is unknown.
  package var pidNamespace: UInt64
  /// The number of marks for which there was no free slot.
  package var lostMarks: UInt64
  /// The table of recordable code in a sealed trace; all 0 if it has none.
  package var recordableOffset: FileOffset
  package var recordableCount: UInt64
  package var recordableSize: UInt64
  /// The workload in a sealed trace; 0 if it has none.
  package var workloadOffset: FileOffset
  package var workloadSize: UInt64
  /// The number of functions whose touches of data may be missing.
  package var earlyFunctions: UInt64

  /// The values of the machine's counter and the kernel's clock at the same instant.
  package struct ClockPair: Equatable, Sendable {
    package var ticks: UInt64
    /// The time since boot, sleep included.
    package var nanoseconds: UInt64

    package init(ticks: UInt64, nanoseconds: UInt64) {
      self.ticks = ticks
      self.nanoseconds = nanoseconds
    }
  }

  package struct Flags: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static let forked = Flags(rawValue: ORDERFILE_TRACE_FORKED)
    package static let sealed = Flags(rawValue: ORDERFILE_TRACE_SEALED)
    package static let emulated = Flags(rawValue: ORDERFILE_TRACE_EMULATED)
    package static let imported = Flags(rawValue: ORDERFILE_TRACE_IMPORTED)
    package static let breakpoints = Flags(rawValue: ORDERFILE_TRACE_BREAKPOINTS)
    package static let locked = Flags(rawValue: ORDERFILE_TRACE_LOCKED)
  }

  /// Whether and how the recording ended explicitly. A struct, because later versions may add more ways.
  package struct State: RawRepresentable, Equatable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static let recording = State(rawValue: ORDERFILE_STATE_RECORDING)
    package static let stoppedByCall = State(rawValue: ORDERFILE_STATE_STOPPED_BY_CALL)
    package static let stoppedByMark = State(rawValue: ORDERFILE_STATE_STOPPED_BY_MARK)
    package static let stoppedByTime = State(rawValue: ORDERFILE_STATE_STOPPED_BY_TIME)
    package static let stoppedByFunction = State(rawValue: ORDERFILE_STATE_STOPPED_BY_FUNCTION)
    package static let stoppedWhenReady = State(rawValue: ORDERFILE_STATE_STOPPED_WHEN_READY)
  }
}

extension TraceHeader {
  /// The first bytes of every trace.
  package static let magic: [UInt8] = [0x89] + Array("OFTRACE".utf8)

  /// Whether `bytes` begin like a trace.
  package static func begins(_ bytes: FileBytes) -> Bool {
    bytes.count >= magic.count && bytes.copy(0..<magic.count) == magic
  }

  /// Whether `bytes` begin like a trace that its program may still write: one that no `orderfile` has sealed.
  package static func mayGrow(_ bytes: FileBytes) -> Bool {
    let offset = MemoryLayout<orderfile_trace_header>.offset(of: \.flags) ?? 24
    guard begins(bytes), bytes.count >= offset + 4 else { return begins(bytes) }
    let flags = Flags(rawValue: bytes.loadUnaligned(UInt32.self, at: offset))
    return !flags.contains(.sealed)
  }

  /// Reads `orderfile_trace_header`, field by field in its order.
  ///
  /// - Throws: `invalid` if this is not a trace, `unsupported` for another version or record size,
  ///   `truncated` if the file is shorter than the header.
  init(parsing input: inout ByteCursor) throws(ParseError) {
    let start = input.position
    let magic = try input.readRange(8, "magic")
    guard input.bytes.copy(magic.indices) == Self.magic else {
      throw ParseError(
        .invalid(
          expected: "89 'OFTRACE'",
          found: input.bytes.copy(magic.indices).map { hexadecimal(UInt64($0)) }
            .joined(separator: " ")), "magic", at: start)
    }
    version = try input.read(UInt32.self, "version")
    guard version == ORDERFILE_TRACE_VERSION else {
      throw ParseError(
        .unsupported(found: "\(version), this tool reads \(ORDERFILE_TRACE_VERSION)"), "version",
        at: FileOffset(rawValue: start.rawValue + 8))
    }
    headerSize = try input.read(UInt32.self, "header_size")
    let recordSize = try input.read(UInt32.self, "record_size")
    guard recordSize == UInt32(TraceRecord.size) else {
      throw ParseError(
        .unsupported(found: "\(recordSize)"), "record_size",
        at: FileOffset(rawValue: start.rawValue + 16))
    }
    machine = try input.read(UInt32.self, "machine")
    flags = Flags(rawValue: try input.read(UInt32.self, "flags"))
    state = State(rawValue: try input.read(UInt32.self, "state"))
    pid = try input.read(UInt32.self, "pid")
    parentPID = try input.read(UInt32.self, "parent_pid")
    startTime = try input.read(UInt64.self, "start_time")
    execID = try input.readRange(16, "exec_id")
    session = try input.read(UInt64.self, "session")
    ticksPerSecond = try input.read(UInt64.self, "ticks_per_second")
    firstPair = try ClockPair(parsing: &input)
    lastPair = try ClockPair(parsing: &input)
    processStart = try input.read(UInt64.self, "process_start")
    startResolution = try input.read(UInt64.self, "start_resolution")
    stopTime = try input.read(UInt64.self, "stop_time")
    nextRecord = try input.read(UInt64.self, "next_record")
    capacity = try input.read(UInt64.self, "capacity")
    demand = try input.read(UInt64.self, "demand")
    lostRecords = try input.read(UInt64.self, "lost_records")
    nextImage = try input.read(UInt64.self, "next_image")
    namesOffset = FileOffset(rawValue: try input.read(UInt64.self, "names_offset"))
    namesCount = try input.read(UInt64.self, "names_count")
    namesSize = try input.read(UInt64.self, "names_size")
    let field = try input.readRange(UInt64(ORDERFILE_TRACE_PROGRAM_SIZE), "program")
    let end = input.bytes.firstIndex(of: 0, in: field.indices) ?? field.indices.upperBound
    program = field.lowerBound..<FileOffset(rawValue: UInt64(end))
    _ = try input.readRange(UInt64(ORDERFILE_TRACE_TEMPLATE_SIZE), "path_template")
    _ = try input.readRange(UInt64(ORDERFILE_TRACE_MARK_SIZE), "stop_mark")
    pidNamespace = try input.read(UInt64.self, "pid_namespace")
    _ = try input.read(UInt64.self, "mark_slots")
    lostMarks = try input.read(UInt64.self, "lost_marks")
    recordableOffset = FileOffset(rawValue: try input.read(UInt64.self, "recordable_offset"))
    recordableCount = try input.read(UInt64.self, "recordable_count")
    recordableSize = try input.read(UInt64.self, "recordable_size")
    workloadOffset = FileOffset(rawValue: try input.read(UInt64.self, "workload_offset"))
    workloadSize = try input.read(UInt64.self, "workload_size")
    _ = try input.read(UInt64.self, "touches")
    _ = try input.read(UInt64.self, "touch_slots")
    earlyFunctions = try input.read(UInt64.self, "early_functions")
  }
}

extension TraceHeader.ClockPair {
  init(parsing input: inout ByteCursor) throws(ParseError) {
    ticks = try input.read(UInt64.self, "clock_pair.ticks")
    nanoseconds = try input.read(UInt64.self, "clock_pair.nanoseconds")
  }
}
