/// A number of bytes for people. From 1 KiB on it has one decimal, rounded half up, and is never 1024.0 of a unit.
package struct ByteCount: CustomStringConvertible, Sendable {
  package var bytes: UInt64

  package init(_ bytes: UInt64) { self.bytes = bytes }

  /// The number in a table: `512`, `10.2Ki`, `1.0Mi`.
  package var description: String {
    guard let (tenths, unit) = scaled else { return String(bytes) }
    return "\(tenths / 10).\(tenths % 10)\(unit)"
  }

  /// The number in a sentence: `512 bytes`, `10.2 KiB`, `1 MiB`.
  package var wording: String {
    guard let (tenths, unit) = scaled else { return counted(Int(bytes), "byte") }
    return "\(tenths / 10)\(tenths % 10 > 0 ? ".\(tenths % 10)" : "") \(unit)B"
  }

  /// The number in tenths of its unit; `nil` below 1 KiB.
  private var scaled: (tenths: UInt64, unit: String)? {
    guard bytes >= 1024 else { return nil }
    var shift: UInt64 = 10
    for unit in ["Ki", "Mi", "Gi", "Ti", "Pi"] {
      let tenths = tenths(inUnitsOf: shift)
      if tenths < 10240 { return (tenths, unit) }
      shift += 10
    }
    return (tenths(inUnitsOf: 60), "Ei")
  }

  private func tenths(inUnitsOf shift: UInt64) -> UInt64 {
    // The remainder is below 2^60, so ten times the remainder does not overflow.
    let remainder = bytes & ((1 << shift) - 1)
    return (bytes >> shift) * 10 + (remainder * 10 + (1 << (shift - 1))) >> shift
  }
}
