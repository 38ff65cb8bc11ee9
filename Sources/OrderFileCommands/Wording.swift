import Reporting

/// "41.2 ms"
func milliseconds(_ nanoseconds: UInt64) -> String {
  let tenths = (nanoseconds + 50_000) / 100_000
  return "\(tenths / 10).\(tenths % 10) ms"
}
