import CTraceFormat

// Integers of a trace are little-endian.
extension [UInt8] {
  mutating func append(littleEndian value: some FixedWidthInteger) {
    for byte in 0..<(value.bitWidth / 8) {
      append(UInt8(truncatingIfNeeded: value >> (8 * byte)))
    }
  }

  /// Writes a field of the header that these bytes begin with.
  mutating func storeHeader<Value: FixedWidthInteger>(
    _ value: Value, at field: KeyPath<orderfile_trace_header, Value>
  ) {
    guard let offset = MemoryLayout<orderfile_trace_header>.offset(of: field) else { return }
    for byte in 0..<(value.bitWidth / 8) {
      self[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte))
    }
  }
}
