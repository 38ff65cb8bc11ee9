import Addresses
import CTraceFormat

// Code that all writers of traces share. The integers of a trace are little-endian.
extension [UInt8] {
  mutating func append(littleEndian value: some FixedWidthInteger) {
    for byte in 0..<(value.bitWidth / 8) {
      append(UInt8(truncatingIfNeeded: value >> (8 * byte)))
    }
  }

  /// Stores a field of the header at the beginning of these bytes.
  mutating func storeHeader<Value: FixedWidthInteger>(
    _ value: Value, at field: KeyPath<orderfile_trace_header, Value>
  ) {
    guard let offset = MemoryLayout<orderfile_trace_header>.offset(of: field) else { return }
    for byte in 0..<(value.bitWidth / 8) {
      self[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte))
    }
  }

  /// The header of a trace without records, for the process `pid` that runs the program at the path
  /// `program`.
  static func header(
    machine: UInt32, flags: UInt32, pid: UInt32, program: some Sequence<UInt8>
  ) -> [UInt8] {
    var header = [UInt8](repeating: 0, count: Int(ORDERFILE_TRACE_HEADER_SIZE))
    header.replaceSubrange(0..<TraceHeader.magic.count, with: TraceHeader.magic)
    header.storeHeader(ORDERFILE_TRACE_VERSION, at: \.version)
    header.storeHeader(ORDERFILE_TRACE_HEADER_SIZE, at: \.header_size)
    header.storeHeader(UInt32(TraceRecord.size), at: \.record_size)
    header.storeHeader(machine, at: \.machine)
    header.storeHeader(flags, at: \.flags)
    header.storeHeader(pid, at: \.pid)
    let path = program.prefix(Int(ORDERFILE_TRACE_PROGRAM_SIZE) - 1)
    if let start = MemoryLayout<orderfile_trace_header>.offset(of: \.program) {
      for (index, byte) in path.enumerated() { header[start + index] = byte }
    }
    return header
  }

  /// Stores the number of slots that follow.
  mutating func storeSlotCount(_ count: Int) {
    for field in [\orderfile_trace_header.next_record, \.capacity, \.demand] {
      storeHeader(UInt64(count), at: field)
    }
  }

  /// Appends one record, which takes one slot.
  mutating func appendRecord(
    _ kind: UInt32, subject: UInt64 = 0, second: UInt64 = 0, entry: UInt64 = 0, ticks: UInt64 = 0,
    thread: UInt32 = 0
  ) {
    for field in [subject, second, entry, ticks] { append(littleEndian: field) }
    append(littleEndian: thread)
    append(littleEndian: kind)
  }

  /// Appends the load record of `image`, with the given number.
  mutating func appendLoad(_ number: UInt64, _ image: TraceImageRecord, ticks: UInt64 = 0) {
    var content: [UInt8] = []
    for field in [
      image.slide.rawValue, image.textStart.rawValue, image.textSize, image.guardStart.rawValue,
      image.guardSize,
    ] { content.append(littleEndian: field) }
    let id = image.id?.bytes ?? []
    for field in [
      image.id?.kind ?? 0, UInt32(id.count), UInt32(image.path.count), image.blocks.count,
    ] { content.append(littleEndian: field) }
    content += id + image.path
    appendRecord(
      ORDERFILE_RECORD_LOAD, subject: number, second: UInt64(content.count), ticks: ticks)
    appendContent(content)
  }

  /// Appends the content of the preceding record, in separate slots.
  mutating func appendContent(_ content: [UInt8]) {
    let size = Int(ORDERFILE_CONTENT_BYTES)
    for start in stride(from: 0, to: content.count, by: size) {
      let part = content[start..<Swift.min(start + size, content.count)]
      self += part + repeatElement(0, count: size - part.count)
      append(littleEndian: ORDERFILE_RECORD_CONTENT)
    }
  }
}
