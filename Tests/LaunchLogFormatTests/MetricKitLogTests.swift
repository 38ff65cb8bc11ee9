import ByteReading
import LaunchLogFormat
import TestSupport
import Testing

/// MetricKit's histograms of launches.
@Suite struct MetricKitLogTests {
  private static func payload(_ buckets: [(String, String, Int)]) -> String {
    let values = buckets.enumerated().map { index, bucket in
      """
      "\(index)": {"bucketCount": \(bucket.2), "bucketStart": "\(bucket.0)", "bucketEnd": "\(bucket.1)"}
      """
    }
    return """
      {"appVersion": "1.0", "timeStampBegin": "2019-10-22 06:59:00 +0000",
       "applicationLaunchMetrics": {
         "histogrammedTimeToFirstDrawKey": {"histogramNumBuckets": \(buckets.count), "histogramValue": {\(values.joined(separator: ","))}},
         "histogrammedResumeTime": {"histogramNumBuckets": 1, "histogramValue": {"0": {"bucketCount": 60, "bucketStart": "200 ms", "bucketEnd": "210 ms"}}}}}
      """
  }
  static let sample = payload([("2,000 ms", "2,010 ms", 60), ("1,000 ms", "1,010 ms", 50)])

  private func log(_ text: String) throws -> LaunchLog {
    try LaunchLog(parsing: FileBytes(Array(text.utf8)))
  }

  @Test func bucketsAscend() throws {
    let histograms = try log(Self.sample).histograms
    #expect(histograms.map(\.name) == ["histogrammedTimeToFirstDrawKey", "histogrammedResumeTime"])
    #expect(
      histograms[0].buckets == [
        .init(startMilliseconds: 1000, endMilliseconds: 1010, count: 50),
        .init(startMilliseconds: 2000, endMilliseconds: 2010, count: 60),
      ])
  }

  /// Numbers and units are those of the device's language.
  @Test(arguments: [
    ("1,530毫秒", "1,539毫秒"), ("1.530 ms", "1.539 ms"), ("1\u{202f}530 ms", "1\u{a0}539 ms"),
    ("1’530 ms", "1’539 ms"), ("١٬٥٣٠ م.ث", "١٬٥٣٩ م.ث"), ("1530", "1539"),
    ("1.53 s", "1.539000 sec"),
  ])
  func languagesMayDiffer(start: String, end: String) throws {
    let bucket = try #require(try log(Self.payload([(start, end, 1)])).histograms[0].buckets.first)
    #expect(bucket == .init(startMilliseconds: 1530, endMilliseconds: 1539, count: 1))
  }

  @Test func payloadsMayBeAListOrTheMetricAlone() throws {
    #expect(try log("[\(Self.sample), \(Self.sample)]").histograms.count == 4)
    let metric = """
      {"histogrammedTimeToFirstDraw": {"histogramValue": {"0": {"bucketCount": 1, "bucketStart": "1 ms", "bucketEnd": "2 ms"}}}}
      """
    #expect(try log(metric).histograms.count == 1)
  }

  @Test func otherDocumentsAreRefused() {
    for (text, message) in [
      ("{}", "missing launch histograms of MetricKit ('applicationLaunchMetrics') (at offset 0x0)"),
      (
        Self.payload([("x", "1 ms", 1)]),
        "invalid bucketStart: expected milliseconds, found 'x' (at offset "
      ),
      (
        Self.payload([("2 ms", "1 ms", 1)]),
        "invalid bucketEnd: expected at least 2.0, found 1.0 (at offset "
      ),
      (
        Self.payload([("1 ms", "1 ms", -1)]),
        "invalid bucketCount: expected 0 to 1000000000, found -1 (at offset "
      ),
    ] {
      do {
        _ = try log(text)
        Issue.record("expected an error: \(text)")
      } catch { #expect("\(error)".hasPrefix(message), "\(error)") }
    }
  }

  @Test func damagedDocumentsAreRefused() {
    let bytes = Array(Self.sample.utf8)
    for length in hostilePrefixLengths(of: bytes) {
      _ = try? LaunchLog(parsing: FileBytes(Array(bytes[..<length])))
    }
    for copy in byteFlips(of: bytes) { _ = try? LaunchLog(parsing: FileBytes(copy)) }
  }
}
