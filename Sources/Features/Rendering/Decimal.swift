/// Measured numbers as text.
package enum Decimal {
  /// Returns `value` rounded to `places` decimal places.
  package static func text(_ value: Double, places: Int) -> String {
    guard value.isFinite, abs(value) < 1e12 else { return value.isNaN ? "-" : "\(value)" }
    let scale = (0..<places).reduce(1) { product, _ in product * 10 }
    let units = Int((value * Double(scale)).rounded())
    let sign = units < 0 ? "-" : ""
    let fraction = String(units.magnitude % UInt(scale) + UInt(scale)).dropFirst()
    return "\(sign)\(units.magnitude / UInt(scale))" + (places > 0 ? ".\(fraction)" : "")
  }

  /// Returns a duration in milliseconds, without the unit. Durations below 1000 ms have four digits, at most three of
  /// them after the decimal point.
  package static func milliseconds(nanoseconds: Double) -> String {
    let value = nanoseconds / 1e6
    return switch abs(value) {
    case ..<9.9995: text(value, places: 3)
    case ..<99.995: text(value, places: 2)
    case ..<999.95: text(value, places: 1)
    default: text(value, places: 0)
    }
  }

  /// Returns a share as a percentage, with a sign if requested: `1.2%`.
  package static func percent(_ share: Double, isSigned: Bool = false) -> String {
    let places = abs(share) < 0.0995 ? 1 : 0
    let number = text(share * 100, places: places)
    return (isSigned && share > 0 ? "+" : "") + number + "%"
  }

  /// Returns a probability as text, such as `p < 0.001`, `p = 0.043` and `p = 0.43`.
  package static func probability(_ p: Double) -> String {
    p < 0.001 ? "p < 0.001" : "p = \(text(p, places: p < 0.1 ? 3 : 2))"
  }
}
