/// A share or a change as text, with one decimal.
package enum Percentage {
  /// Returns the share of `part` in `whole`: `8.1%`. Returns `-` if `whole` is 0.
  package static func share(_ part: Int, of whole: Int) -> String {
    whole == 0 ? "-" : decimal(Double(part) / Double(whole)) + "%"
  }

  /// Returns the share of `part` in `whole` in percent, cut off after the first decimal, so that only the whole is 100.
  /// Returns `nil` if `whole` is 0.
  package static func of(_ part: some BinaryInteger, _ whole: some BinaryInteger) -> Double? {
    guard whole > 0, part >= 0 else { return nil }
    let (part, whole) = (UInt64(clamping: part), UInt64(clamping: whole))
    guard part < whole else { return 100 }
    let product = part.multipliedFullWidth(by: 1000)
    return Double(whole.dividingFullWidth(product).quotient) / 10
  }

  /// Returns the change from one value to another: `-71.3%`, `+4.0%`, `0.0%`. Returns `new` if the first value is 0.
  package static func change(from before: UInt64, to after: UInt64) -> String {
    // The values are compared as integers, because two different large numbers can be equal as floating-point numbers.
    before == after ? "0.0%" : change(from: Double(before), to: Double(after))
  }

  /// Returns the change from one number to another. The numbers are at least 0, and need not be integers.
  package static func change(from before: Double, to after: Double) -> String {
    if before == after { return "0.0%" }
    if before == 0 { return "new" }
    let change = (after - before) / before
    return (change > 0 ? "+" : "") + decimal(change) + "%"
  }

  /// Returns `ratio` in percent with one decimal, limited to a million percent.
  private static func decimal(_ ratio: Double) -> String {
    let tenths = Int((min(max(ratio, -10_000), 10_000) * 1000).rounded())
    let sign = tenths < 0 ? "-" : ""
    return "\(sign)\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
  }
}
