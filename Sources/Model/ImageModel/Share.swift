/// A share of a whole, as a user writes it: 5%. It is exact, so that a comparison with counts has no rounding error.
package struct Share: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The share in millionths, from 0 to 1,000,000.
  private var millionths: UInt64
  private static let all: UInt64 = 1_000_000

  /// - Precondition: `percent` is from 0 to 100.
  package init(percent: UInt64) {
    precondition(percent <= 100, "a share is a part of the whole")
    millionths = percent * (Self.all / 100)
  }

  /// Reads `95%`, `95` or `0.95`. A fraction may have six decimal places, a percentage four. `1` without a percent sign
  /// is the whole, not a hundredth: for a minimum, this is the stricter reading.
  ///
  /// - Returns: `nil` for other text, also for other notations of numbers.
  package init?(_ text: some StringProtocol) {
    let isPercentage = text.hasSuffix("%")
    let parts = (isPercentage ? text.dropLast() : text[...])
      .split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let digits = parts.joined()
    guard !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }),
      let integer = parts[0].isEmpty ? 0 : UInt64(parts[0]), integer <= 100
    else { return nil }
    let fraction = parts.count > 1 ? String(parts[1]) : ""
    let isFraction =
      !isPercentage && (integer == 0 || integer == 1 && fraction.allSatisfy { $0 == "0" })
    let places = isFraction ? 6 : 4
    guard fraction.count <= places,
      let rest = UInt64(fraction + String(repeating: "0", count: places - fraction.count))
    else { return nil }
    let units = integer * (isFraction ? Self.all : Self.all / 100) + rest
    guard units <= Self.all else { return nil }
    millionths = units
  }

  package static func < (a: Share, b: Share) -> Bool { a.millionths < b.millionths }

  /// The share as a number from 0 to 1.
  package var ratio: Double { Double(millionths) / Double(Self.all) }

  /// The share of the whole that remains.
  package var complement: Share {
    var share = self
    share.millionths = Self.all - millionths
    return share
  }

  /// Whether `part` is at least this share of `whole`; `false` if `whole` is 0.
  package func isReached(by part: some BinaryInteger, of whole: some BinaryInteger) -> Bool {
    guard whole > 0, part >= 0 else { return false }
    let found = UInt64(clamping: part).multipliedFullWidth(by: Self.all)
    let asked = UInt64(clamping: whole).multipliedFullWidth(by: millionths)
    return (found.high, found.low) >= (asked.high, asked.low)
  }

  /// The smallest part of `whole` that reaches this share.
  package func leastCount(of whole: UInt64) -> UInt64 {
    let product = whole.multipliedFullWidth(by: millionths)
    let (quotient, rest) = Self.all.dividingFullWidth(product)
    return quotient + (rest > 0 ? 1 : 0)
  }

  /// The share as text, such as `95%` and `66.66%`.
  package var description: String {
    let (whole, rest) = millionths.quotientAndRemainder(dividingBy: Self.all / 100)
    var fraction = String(rest + 10_000).dropFirst()
    while fraction.last == "0" { fraction = fraction.dropLast() }
    return "\(whole)" + (fraction.isEmpty ? "" : ".\(fraction)") + "%"
  }
}
