import ImageModel

/// A duration, exact to the nanosecond, so that a report can show it the same on every machine.
package struct Milliseconds: Hashable, Sendable {
  /// The duration in nanoseconds; negative for a loss.
  package var nanoseconds: Int

  package init(nanoseconds: Int) { self.nanoseconds = nanoseconds }

  /// Returns the duration `factor` times, limited to the representable range.
  package static func * (duration: Self, factor: Int) -> Self {
    let (product, overflow) = duration.nanoseconds.multipliedReportingOverflow(by: factor)
    guard overflow else { return Self(nanoseconds: product) }
    return Self(nanoseconds: (duration.nanoseconds < 0) == (factor < 0) ? .max : .min)
  }

  /// Returns the sum of two durations, or the nearest representable value if the sum would overflow.
  package static func + (a: Self, b: Self) -> Self {
    let (sum, overflow) = a.nanoseconds.addingReportingOverflow(b.nanoseconds)
    return Self(nanoseconds: overflow ? (a.nanoseconds < 0 ? .min : .max) : sum)
  }
}

extension Milliseconds: CustomStringConvertible {
  /// A decimal number of milliseconds without its unit and without trailing zeros: `0.15`, `-3`.
  package var description: String {
    let magnitude = nanoseconds.magnitude
    let digits = String(1_000_000 + magnitude % 1_000_000).dropFirst()
    let fraction = digits.reversed().drop { $0 == "0" }.reversed()
    let whole = "\(nanoseconds < 0 ? "-" : "")\(magnitude / 1_000_000)"
    return fraction.isEmpty ? whole : "\(whole).\(String(fraction))"
  }
}

/// The cost of a page-in, as a range: published figures differ by a factor of ten.
package struct FaultCost: Hashable, Sendable {
  package let low: Milliseconds
  package let typical: Milliseconds
  package let high: Milliseconds
  /// The source of the figures, shown to the user.
  package let source: String

  /// Returns the cost that was published for the platforms of an image format; `nil` if none was published.
  package static func published(for format: ImageFormat) -> FaultCost? {
    switch format {
    case .machO: publishedForIOS
    case .elf: nil
    }
  }

  /// The published costs for launches of big applications on iOS devices, with pages of 16 KiB:
  ///
  /// - 0.055 to 0.11 ms: a 150 MB image read in 0.5 to 1 s, mostly in sequence (Emerge Tools, 2022);
  /// - 0.15 ms and 0.20 ms: two published System Trace counts (2000 page-ins in 300 ms, 2200 in 441);
  /// - 0.6 to 0.8 ms: saved for each page-in avoided, with decryption (ByteDance, 2019).
  private static let publishedForIOS = FaultCost(
    low: Milliseconds(nanoseconds: 60_000), typical: Milliseconds(nanoseconds: 150_000),
    high: Milliseconds(nanoseconds: 800_000),
    source: """
      published for iOS devices, 16 KiB pages: 0.06 Emerge Tools 2022, 0.15 a System Trace count, \
      0.8 ByteDance 2019
      """)

  /// Makes a cost from one measured value, as a range of this value, rounded to the nanosecond.
  ///
  /// - Returns: `nil` unless `milliseconds` is in 0...1000 (so NaN gives `nil` too).
  package init?(milliseconds: Double, source: String) {
    guard milliseconds >= 0, milliseconds <= 1000 else { return nil }
    let cost = Milliseconds(nanoseconds: Int((milliseconds * 1_000_000).rounded()))
    self.init(low: cost, typical: cost, high: cost, source: source)
  }

  /// - Precondition: `low` <= `typical` <= `high`.
  package init(low: Milliseconds, typical: Milliseconds, high: Milliseconds, source: String) {
    precondition(
      low.nanoseconds <= typical.nanoseconds && typical.nanoseconds <= high.nanoseconds,
      "a band ascends")
    self.low = low
    self.typical = typical
    self.high = high
    self.source = source
  }
}
