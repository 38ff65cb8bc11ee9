import Reporting

/// "41.2 ms"
func milliseconds(_ nanoseconds: UInt64) -> String {
  let tenths = (nanoseconds + 50_000) / 100_000
  return "\(tenths / 10).\(tenths % 10) ms"
}

/// "1.2 %"
func percent(_ share: Double) -> String {
  let tenths = Int((min(max(share, 0), 1000) * 1000).rounded())
  return "\(tenths / 10).\(tenths % 10) %"
}
