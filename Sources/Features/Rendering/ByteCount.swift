/// A number of bytes for people: `512`, `10.2Ki`, `1.0Mi`.
package struct ByteCount: CustomStringConvertible, Sendable {
  package var bytes: UInt64

  package init(_ bytes: UInt64) { self.bytes = bytes }

  /// From 1 KiB on, the text has one decimal, rounded half up. It is never `1024.0Ki`.
  package var description: String {
    guard bytes >= 1024 else { return String(bytes) }
    var shift: UInt64 = 10
    for unit in ["Ki", "Mi", "Gi", "Ti", "Pi"] {
      let tenths = tenths(inUnitsOf: shift)
      if tenths < 10240 { return "\(tenths / 10).\(tenths % 10)\(unit)" }
      shift += 10
    }
    let tenths = tenths(inUnitsOf: 60)
    return "\(tenths / 10).\(tenths % 10)Ei"
  }

  private func tenths(inUnitsOf shift: UInt64) -> UInt64 {
    // The remainder is below 2^60, so ten times the remainder does not overflow.
    let remainder = bytes & ((1 << shift) - 1)
    return (bytes >> shift) * 10 + (remainder * 10 + (1 << (shift - 1))) >> shift
  }
}
