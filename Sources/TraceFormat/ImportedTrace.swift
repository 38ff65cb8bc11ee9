import Addresses
import ByteReading
import CTraceFormat

/// The trace of a launch that no recorder saw: what another tool told of one image.
///
/// It has one image, no guards, and a record for each function with its `entry`; addresses are the
/// image's own, as the slide is 0.
package struct ImportedTrace {
  /// ELF's `e_machine`, as in all traces.
  package var machine: UInt32
  /// 0 where it is not known.
  package var processNumber: UInt32 = 0
  /// Its guards count for nothing.
  package var image: TraceImageRecord
  /// In the order of their first use.
  package var uses: [Use] = []
  package var names: [TraceName] = []

  package struct Use: Equatable, Sendable {
    /// Of the function's first byte.
    package var entry: StatedAddress
    /// Since the source began to record; `nil` where it tells no times.
    package var nanoseconds: UInt64?
    /// 0 where it is not known.
    package var thread: UInt32

    package init(entry: StatedAddress, nanoseconds: UInt64? = nil, thread: UInt32 = 0) {
      self.entry = entry
      self.nanoseconds = nanoseconds
      self.thread = thread
    }
  }

  package init(machine: UInt32, image: TraceImageRecord) {
    self.machine = machine
    self.image = image
  }

  /// The number of its image.
  package static let imageNumber: UInt64 = 1

  /// The whole file: sealed, as the names are there.
  package func bytes() throws(ParseError) -> [UInt8] {
    var slots: [UInt8] = []
    let load = loadPayload
    slots.appendRecord(
      ORDERFILE_RECORD_LOAD, subject: Self.imageNumber, second: UInt64(load.count))
    slots.append(payload: load)
    for use in uses {
      slots.appendRecord(
        ORDERFILE_RECORD_FUNCTION, entry: use.entry.rawValue, ticks: use.nanoseconds ?? 0,
        thread: use.thread)
    }
    let unsealed = try TraceFile(parsing: FileBytes(header(slotBytes: slots.count) + slots))
    return unsealed.sealed(TraceFile.Seal(), names: names)
  }

  private func header(slotBytes: Int) -> [UInt8] {
    var header = [UInt8](repeating: 0, count: Int(ORDERFILE_TRACE_HEADER_SIZE))
    header.replaceSubrange(0..<TraceHeader.magic.count, with: TraceHeader.magic)
    header.storeHeader(ORDERFILE_TRACE_VERSION, at: \.version)
    header.storeHeader(ORDERFILE_TRACE_HEADER_SIZE, at: \.header_size)
    header.storeHeader(UInt32(TraceRecord.size), at: \.record_size)
    header.storeHeader(machine, at: \.machine)
    header.storeHeader(ORDERFILE_TRACE_IMPORTED, at: \.flags)
    header.storeHeader(processNumber, at: \.pid)
    if uses.contains(where: { $0.nanoseconds != nil }) {
      // A tick is a nanosecond. The clock starts at 1 because a start at 0 is an unknown one.
      header.storeHeader(UInt64(1_000_000_000), at: \.ticks_per_second)
      for field in [\orderfile_trace_header.first_pair, \.last_pair] {
        header.storeHeader(UInt64(1), at: field.appending(path: \.nanoseconds))
      }
      header.storeHeader(UInt64(1), at: \.process_start)
      header.storeHeader(UInt64(1), at: \.start_resolution)
    }
    let slotCount = UInt64(slotBytes / TraceRecord.size)
    for field in [\orderfile_trace_header.next_record, \.capacity, \.demand] {
      header.storeHeader(slotCount, at: field)
    }
    header.storeHeader(Self.imageNumber + 1, at: \.next_image)
    let path = image.path.prefix(Int(ORDERFILE_TRACE_PROGRAM_SIZE) - 1)
    if let start = MemoryLayout<orderfile_trace_header>.offset(of: \.program) {
      header.replaceSubrange(start..<start + path.count, with: path)
    }
    return header
  }

  private var loadPayload: [UInt8] {
    var payload: [UInt8] = []
    for field in [
      image.slide.rawValue, image.textStart.rawValue, image.textSize, image.guardStart.rawValue,
      image.guardSize,
    ] { payload.append(littleEndian: field) }
    for field in [image.idKind, UInt32(image.id.count), UInt32(image.path.count), 0] {
      payload.append(littleEndian: field)
    }
    return payload + image.id + image.path
  }
}

extension [UInt8] {
  /// Appends one slot.
  fileprivate mutating func appendRecord(
    _ kind: UInt32, subject: UInt64 = 0, second: UInt64 = 0, entry: UInt64 = 0, ticks: UInt64 = 0,
    thread: UInt32 = 0
  ) {
    for field in [subject, second, entry, ticks] { append(littleEndian: field) }
    append(littleEndian: thread)
    append(littleEndian: kind)
  }

  /// Appends the slots that carry `payload`.
  fileprivate mutating func append(payload: [UInt8]) {
    let size = Int(ORDERFILE_PAYLOAD_BYTES)
    for start in stride(from: 0, to: payload.count, by: size) {
      let part = payload[start..<Swift.min(start + size, payload.count)]
      self += part + repeatElement(0, count: size - part.count)
      append(littleEndian: ORDERFILE_RECORD_PAYLOAD)
    }
  }
}
