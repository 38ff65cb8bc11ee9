import Addresses
import ByteReading

/// A table of zero-terminated names, found by their offset: `SHT_STRTAB` of ELF, the strings of `LC_SYMTAB`.
/// <https://gabi.xinuos.com/elf/04-strtab.html>
package struct StringTable: Sendable {
  package let bytes: FileBytes
  /// The range of the table in the file.
  package let range: ByteRange

  /// - Precondition: `range` is within `bytes`.
  init(_ bytes: FileBytes, _ range: ByteRange) {
    self.bytes = bytes
    self.range = range
  }

  /// The range of the name at `offset` in the file, without its terminating zero.
  ///
  /// - Returns: `nil` if it begins or ends outside the table.
  package func name(at offset: UInt32) -> ByteRange? {
    let table = range.indices
    guard Int(offset) < table.count else { return nil }
    let start = table.lowerBound + Int(offset)
    guard let zero = bytes.firstIndex(of: 0, in: start..<table.upperBound) else { return nil }
    return FileOffset(rawValue: UInt64(start))..<FileOffset(rawValue: UInt64(zero))
  }
}
