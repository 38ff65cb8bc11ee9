/// A share or a change as people read it, with one decimal.
package enum Percentage {
  /// `part` of `whole`: `8.1%`; `-` for a share of nothing.
  package static func share(_ part: Int, of whole: Int) -> String {
    whole == 0 ? "-" : decimal(Double(part) / Double(whole)) + "%"
  }

  /// From one value to another: `-71.3%`, `+4.0%`, `0.0%`; `new` if there was nothing before.
  package static func change(from before: UInt64, to after: UInt64) -> String {
    // Not as floats, to which two large numbers can be alike.
    before == after ? "0.0%" : change(from: Double(before), to: Double(after))
  }

  /// The same for numbers of at least 0 that are no whole ones.
  package static func change(from before: Double, to after: Double) -> String {
    if before == after { return "0.0%" }
    if before == 0 { return "new" }
    let change = (after - before) / before
    return (change > 0 ? "+" : "") + decimal(change) + "%"
  }

  /// `ratio` in hundredths with one decimal, cut off at a million percent.
  private static func decimal(_ ratio: Double) -> String {
    let tenths = Int((min(max(ratio, -10_000), 10_000) * 1000).rounded())
    let sign = tenths < 0 ? "-" : ""
    return "\(sign)\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
  }
}
