import ImageModel
import Testing

@Suite struct ShareTests {
  @Test(arguments: [
    ("95%", "95%"), ("95", "95%"), ("0.95", "95%"), ("0.5%", "0.5%"), ("1", "100%"),
    ("1.0", "100%"),
    ("1%", "1%"), ("100", "100%"), ("0", "0%"), ("66.66", "66.66%"), ("0.07", "7%"),
    ("0.6666", "66.66%"), (".5", "50%"), ("1.5", "1.5%"), ("99.9999%", "99.9999%"),
  ])
  func itIsReadAsAPercentageOrAFraction(text: String, expected: String) {
    #expect(Share(text)?.description == expected)
  }

  @Test(arguments: [
    "", "%", "101", "100.1%", "-1%", "nan", "inf", "1e1", "0x10", "95 %", ".", "٥%", "1.2.3",
    "99.99999%", "0.1234567", "18446744073709551616", "x",
  ])
  func otherTextIsNone(text: String) { #expect(Share(text) == nil) }

  /// In floating-point numbers, 20 * 0.55 is more than 11.
  @Test func itIsReachedExactly() throws {
    for (text, part, whole, isReached) in [
      ("0.55", 11, 20, true), ("0.07", 7, 100, true), ("0.28", 28, 100, true),
      ("66.66%", 2, 3, true), ("66.67%", 2, 3, false), ("100%", 999_999, 1_000_000, false),
      ("100%", 3, 3, true), ("0%", 0, 3, true), ("0%", 0, 0, false), ("50%", -1, 2, false),
      ("50%", Int.max / 2, .max, false), ("50%", Int.max / 2 + 1, .max, true),
    ] {
      let share = try #require(Share(text))
      #expect(share.isReached(by: part, of: whole) == isReached, "\(text) \(part) \(whole)")
    }
  }
}
