import Addresses

extension ByteCursor {
  /// Reads a number with 7 bits per byte, the lowest bits first; the last byte has its highest bit clear.
  /// <https://dwarfstd.org/doc/DWARF5.pdf>, 7.6
  ///
  /// - Throws: `truncated` if the range ends before the number does, `invalid` for a number of more than 64 bits.
  public mutating func readULEB128(_ field: StaticString) throws(ParseError) -> UInt64 {
    let range = (position..<end).indices
    var value: UInt64 = 0
    var shift: UInt64 = 0
    for index in range {
      let byte = bytes[index]
      let bits = UInt64(byte & 0x7f)
      guard shift < 64, (bits << shift) >> shift == bits else {
        throw ParseError(
          .invalid(expected: "a number of 64 bits", found: "a longer one"), "\(field)",
          at: position)
      }
      value |= bits << shift
      if byte & 0x80 == 0 {
        try skip(UInt64(index + 1 - range.lowerBound), field)
        return value
      }
      shift += 7
    }
    throw ParseError(
      .truncated(needed: remaining + 1, found: remaining), "\(field)", at: position)
  }

  /// Reads a number as `readULEB128` does, with bit 6 of its last byte as the sign.
  ///
  /// - Throws: `truncated` if the range ends before the number does, `invalid` for a number of more than 64 bits.
  public mutating func readSLEB128(_ field: StaticString) throws(ParseError) -> Int64 {
    let range = (position..<end).indices
    var value: Int64 = 0
    var shift: Int64 = 0
    for index in range {
      let byte = bytes[index]
      let bits = Int64(byte & 0x7f)
      // Only the lowest bit of the tenth byte counts; the other bits repeat it.
      guard shift < 63 || (shift == 63 && (bits == 0 || bits == 0x7f)) else {
        throw ParseError(
          .invalid(expected: "a number of 64 bits", found: "a longer one"), "\(field)",
          at: position)
      }
      value |= bits << shift
      shift += 7
      guard byte & 0x80 == 0 else { continue }
      if shift < 64, byte & 0x40 != 0 { value |= -1 << shift }
      try skip(UInt64(index + 1 - range.lowerBound), field)
      return value
    }
    throw ParseError(
      .truncated(needed: remaining + 1, found: remaining), "\(field)", at: position)
  }
}
