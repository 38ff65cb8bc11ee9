/// Assembles a binary file field by field, in either byte order.
package struct ByteWriter {
  package private(set) var bytes: [UInt8] = []
  private let isBigEndian: Bool

  package init(isBigEndian: Bool = false) { self.isBigEndian = isBigEndian }

  /// The offset of the next field.
  package var count: Int { bytes.count }

  package mutating func write(_ value: some FixedWidthInteger & UnsignedInteger) {
    bytes += encoded(value)
  }

  /// Writes a 4- or 8-byte integer. The upper half is cut off without a check.
  package mutating func writeWord(_ value: UInt64, is64Bit: Bool) {
    if is64Bit { write(value) } else { write(UInt32(truncatingIfNeeded: value)) }
  }

  package mutating func write(_ contents: some Sequence<UInt8>) { bytes += contents }

  package mutating func writeZeroTerminated(_ text: String) { bytes += Array(text.utf8) + [0] }

  /// Appends zeros up to the next multiple of `alignment`.
  package mutating func align(to alignment: Int) {
    while bytes.count % alignment != 0 { bytes.append(0) }
  }

  /// Overwrites the bytes at `offset`.
  package mutating func overwrite(
    at offset: Int, with value: some FixedWidthInteger & UnsignedInteger
  ) {
    let new = encoded(value)
    bytes.replaceSubrange(offset..<offset + new.count, with: new)
  }

  private func encoded(_ value: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
    let size = value.bitWidth / 8
    let little = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return isBigEndian ? little.reversed() : little
  }
}
