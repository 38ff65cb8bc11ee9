import CTraceFormat

/// Assembles the bytes of a trace, slot by slot.
struct TraceWriter {
  private var slots: [UInt8] = []

  mutating func record(
    _ kind: UInt32, subject: UInt64 = 0, second: UInt64 = 0, entry: UInt64 = 0, ticks: UInt64 = 0,
    thread: UInt32 = 1
  ) {
    for value in [subject, second, entry, ticks] { append(value) }
    append(thread)
    append(kind)
  }

  mutating func record(_ kind: UInt32, subject: UInt64 = 0, entry: UInt64 = 0, payload: [UInt8]) {
    record(kind, subject: subject, second: UInt64(payload.count), entry: entry)
    var rest = payload[...]
    while !rest.isEmpty {
      let part = rest.prefix(Int(ORDERFILE_PAYLOAD_BYTES))
      rest = rest.dropFirst(part.count)
      slots += part + [UInt8](repeating: 0, count: Int(ORDERFILE_PAYLOAD_BYTES) - part.count)
      append(ORDERFILE_RECORD_PAYLOAD)
    }
  }

  mutating func load(_ number: UInt64, guards: Range<UInt64>, path: String, firstHit: UInt64 = 0) {
    var payload: [UInt8] = []
    for value in [0x1000, 0x2000, 0x500, guards.lowerBound, UInt64(guards.count)] {
      payload += bytes(value)
    }
    for value in [ORDERFILE_ID_BUILD_ID, 4, UInt32(path.utf8.count), 0] { payload += bytes(value) }
    payload += [1, 2, 3, 4] + Array(path.utf8)
    record(ORDERFILE_RECORD_LOAD, subject: number, entry: firstHit, payload: payload)
  }

  /// The whole file: header, slots, and room for `spare` slots more.
  func file(spare: Int = 10, state: UInt32 = ORDERFILE_STATE_RECORDING) -> [UInt8] {
    let size = MemoryLayout<orderfile_record>.size
    var header = [UInt8](repeating: 0, count: Int(ORDERFILE_TRACE_HEADER_SIZE))
    func store(_ value: some FixedWidthInteger, _ field: PartialKeyPath<orderfile_trace_header>) {
      let offset = MemoryLayout<orderfile_trace_header>.offset(of: field) ?? 0
      for (index, byte) in bytes(value).enumerated() { header[offset + index] = byte }
    }
    for (index, byte) in ([0x89] + Array("OFTRACE".utf8)).enumerated() { header[index] = byte }
    store(ORDERFILE_TRACE_VERSION, \.version)
    store(ORDERFILE_TRACE_HEADER_SIZE, \.header_size)
    store(UInt32(size), \.record_size)
    store(UInt32(62), \.machine)
    store(state, \.state)
    store(UInt32(42), \.pid)
    store(UInt64(slots.count / size), \.next_record)
    store(UInt64(slots.count / size + spare), \.capacity)
    store(UInt64(3), \.lost_records)
    return header + slots + [UInt8](repeating: 0, count: spare * size)
  }

  private mutating func append(_ value: some FixedWidthInteger) { slots += bytes(value) }

  private func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
