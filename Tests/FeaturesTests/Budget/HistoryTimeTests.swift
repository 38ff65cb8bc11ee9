import Budget
import Foundation
import TestSupport
import Testing

@Suite struct HistoryTimeTests {
  @Test func isWrittenAsFoundationWritesIt() throws {
    let format = Date.ISO8601FormatStyle()
    var random = SeededRandom(seed: 11)
    let edges = [0, 86_399, 951_782_400, 951_868_800, 4_107_542_400, 253_402_300_799]
    for seconds in edges
      + (0..<2000).map({ _ in Int.random(in: 0...253_402_300_799, using: &random) })
    {
      let text = Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(format)
      try #require(HistoryTime(seconds: seconds).description == text, "\(seconds)")
      try #require(HistoryTime(text)?.seconds == seconds, "\(text)")
    }
  }

  @Test(arguments: [
    ("1700000000", 1_700_000_000), ("2023-11-14T22:13:20Z", 1_700_000_000),
    ("2023-11-14T23:13:20+01:00", 1_700_000_000), ("2023-11-14 17:43:20-0430", 1_700_000_000),
    ("1970-01-01T00:00:00Z", 0), ("2024-02-29T00:00:00Z", 1_709_164_800),
  ])
  func readsWhatGitWrites(text: String, seconds: Int) {
    #expect(HistoryTime(text)?.seconds == seconds)
  }

  @Test(arguments: [
    "", "-1", "+1", "2023-11-14", "2023-02-29T00:00:00Z", "2023-13-01T00:00:00Z",
    "2023-00-01T00:00:00Z", "2023-01-00T00:00:00Z", "2023-01-01T24:00:00Z", "2023-01-01T00:00:60Z",
    "1969-12-31T23:59:59Z", "1970-01-01T00:00:00+00:01", "253402300800", "99999999999999999999",
    "٢٠٢٣-11-14T22:13:20Z", "2023-11-14T22:13:20", "0000-01-01T00:00:00Z",
    "2023-11-14T22:13:20+1:00", "2023-11-14T22:13:20Z ",
    "2023-11-14T22:13:20+01", "2023-11-14X22:13:20Z", "2023-1-14T22:13:20Z",
  ])
  func refusesOtherText(_ text: String) { #expect(HistoryTime(text) == nil) }
}
