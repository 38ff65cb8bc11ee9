import Reporting

/// "1.2%"
func percent(_ share: Double) -> String {
  let tenths = Int((min(max(share, 0), 1000) * 1000).rounded())
  return "\(tenths / 10).\(tenths % 10)%"
}
