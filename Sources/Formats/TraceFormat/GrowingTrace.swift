import Addresses
import CTraceFormat

/// The bytes of a trace that a tracer writes while a launch runs: first `header`, then each record at the end
/// of the file, followed by the slot count in the header. So the file is valid at any time.
package struct GrowingTrace {
  /// The bytes with which the file begins.
  package let header: [UInt8]
  private var slotCount = 0
  private var imageCount: UInt64 = 0

  /// - Parameters:
  ///   - parent: the process that forked this process, if this process has not called exec since.
  ///   - startTime: the start time of the process, field 22 of `/proc/PID/stat`; `nil` if it was gone too soon.
  ///   - begin: the time from which times count, in nanoseconds since boot, if that is not the start of the process,
  ///     because the process was already running.
  ///   - now: the present time.
  package init(
    machine: UInt32, pid: UInt32, parent: UInt32?, startTime: UInt64?,
    begin: UInt64? = nil, program: some Sequence<UInt8>,
    now: TraceHeader.ClockPair
  ) {
    let forked = parent == nil ? 0 : ORDERFILE_TRACE_FORKED
    var header = [UInt8].header(
      machine: machine, flags: ORDERFILE_TRACE_BREAKPOINTS | forked, pid: pid, program: program)
    header.storeHeader(parent ?? 0, at: \.parent_pid)
    header.storeHeader(startTime ?? 0, at: \.start_time)
    // Field 22 counts in hundredths of a second on every machine we run on.
    header.storeHeader(begin ?? (startTime ?? 0) &* 10_000_000, at: \.process_start)
    header.storeHeader(10_000_000, at: \.start_resolution)
    for pair in [\orderfile_trace_header.first_pair, \.last_pair] {
      header.storeHeader(now.ticks, at: pair.appending(path: \.ticks))
      header.storeHeader(now.nanoseconds, at: pair.appending(path: \.nanoseconds))
    }
    header.storeHeader(1, at: \.next_image)
    self.header = header
  }

  /// A change of the file: bytes to append, and then bytes to store over a part of the header.
  package struct Addition {
    package var records: [UInt8]
    package var count: (offset: Int, bytes: [UInt8])
  }

  /// - Returns: the addition, and the number of the image.
  package mutating func load(
    _ image: TraceImageRecord, ticks: UInt64
  ) -> (number: UInt64, Addition) {
    imageCount += 1
    var records: [UInt8] = []
    records.appendLoad(imageCount, image, ticks: ticks)
    return (imageCount, addition(records))
  }

  package mutating func unload(_ number: UInt64, ticks: UInt64) -> Addition {
    var records: [UInt8] = []
    records.appendRecord(ORDERFILE_RECORD_UNLOAD, subject: number, ticks: ticks)
    return addition(records)
  }

  /// Adds the first use of the function that begins at `function`, unless that is `nil`, and of `blocks`.
  package mutating func use(
    function: LoadedAddress?, blocks: [(start: LoadedAddress, size: UInt64)] = [], ticks: UInt64,
    thread: UInt32
  ) -> Addition {
    var records: [UInt8] = []
    if let function {
      records.appendRecord(
        ORDERFILE_RECORD_FUNCTION, entry: function.rawValue, ticks: ticks, thread: thread)
    }
    for block in blocks {
      records.appendRecord(
        ORDERFILE_RECORD_BLOCK, second: block.size, entry: block.start.rawValue, ticks: ticks,
        thread: thread)
    }
    return addition(records)
  }

  package mutating func mark(_ name: [UInt8], ticks: UInt64, thread: UInt32) -> Addition {
    var records: [UInt8] = []
    records.appendRecord(
      ORDERFILE_RECORD_MARK, subject: 0, second: UInt64(name.count), ticks: ticks, thread: thread)
    records.appendContent(name)
    return addition(records)
  }

  /// The offset of the 32-bit number in the header that states whether the recording goes on.
  package static let stateOffset = MemoryLayout<orderfile_trace_header>.offset(of: \.state) ?? 0

  /// The bytes to store over a part of the header when the recording ends before the program.
  package static func end(by state: TraceHeader.State) -> (offset: Int, bytes: [UInt8]) {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: state.rawValue)
    return (stateOffset, bytes)
  }

  /// The bytes to store over a part of the header when the trace gets another path. Later children put their traces
  /// beside this path. The result is `nil` if the header has no room for the path.
  package static func move(to path: String) -> (offset: Int, bytes: [UInt8])? {
    let template = path.replacing("%", with: "%%").utf8
    let room = Int(ORDERFILE_TRACE_TEMPLATE_SIZE) - template.count
    guard room > 0 else { return nil }
    let bytes = Array(template) + [UInt8](repeating: 0, count: room)
    return (MemoryLayout<orderfile_trace_header>.offset(of: \.path_template) ?? 0, bytes)
  }

  private mutating func addition(_ records: [UInt8]) -> Addition {
    slotCount += records.count / TraceRecord.size
    var count: [UInt8] = []
    // next_record and capacity are adjacent.
    for _ in 0..<2 { count.append(littleEndian: UInt64(slotCount)) }
    return Addition(
      records: records,
      count: (MemoryLayout<orderfile_trace_header>.offset(of: \.next_record) ?? 0, count))
  }
}
