// MetricKit's launch histograms, as JSON: MXMetricPayload.jsonRepresentation() has them under
// `applicationLaunchMetrics`, MXAppLaunchMetric.jsonRepresentation() at the top level.
//
//   "histogrammedTimeToFirstDrawKey" : {
//     "histogramNumBuckets" : 3,
//     "histogramValue" : {
//       "0" : { "bucketCount" : 50, "bucketStart" : "1,000 ms", "bucketEnd" : "1,010 ms" }, ...
//
// Numbers and units are in the device's language ("1,530毫秒"). The unit of a launch is milliseconds.
//
// Source: developer.apple.com/documentation/metrickit/mxapplaunchmetric, and payloads of public projects.

import Addresses
import ByteReading
import JSON

enum MetricKitLog {
  /// Whether the contents begin like a JSON document.
  static func begins(_ bytes: FileBytes) -> Bool {
    first(bytes) == UInt8(ascii: "{") || isList(bytes)
  }

  private static func isList(_ bytes: FileBytes) -> Bool { first(bytes) == UInt8(ascii: "[") }

  /// The first byte that is not a blank.
  private static func first(_ bytes: FileBytes) -> UInt8? {
    var index = 0
    while index < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[index]) { index += 1 }
    return index < bytes.count ? bytes[index] : nil
  }

  /// - Throws: `missing` if the document has no launch histogram.
  static func read(_ bytes: FileBytes) throws(ParseError) -> LaunchLog {
    var log = LaunchLog()
    var cursor = JSONCursor(bytes)
    var payloads: [JSONObject] = []
    if isList(bytes) {
      payloads = try [JSONObject](parsing: &cursor, "payloads")
    } else {
      payloads = [try JSONObject(parsing: &cursor, "payload")]
    }
    try cursor.readEnd("payload")
    for payload in payloads {
      let metric: JSONObject? = try payload.optional("applicationLaunchMetrics")
      for name in names {
        let histogram: Histogram? = try (metric ?? payload).optional(name)
        guard let histogram else { continue }
        log.histograms.append(LoggedHistogram(name: name, buckets: histogram.buckets))
      }
    }
    guard !log.histograms.isEmpty else {
      throw ParseError(
        .missing, "launch histograms of MetricKit ('applicationLaunchMetrics')",
        at: FileOffset(rawValue: 0))
    }
    return log
  }

  private static let names = [
    "histogrammedTimeToFirstDraw", "histogrammedTimeToFirstDrawKey",
    "histogrammedOptimizedTimeToFirstDraw", "histogrammedOptimizedTimeToFirstDrawKey",
    "histogrammedApplicationResumeTime", "histogrammedApplicationResumeTimeKey",
    "histogrammedResumeTime", "histogrammedExtendedLaunch", "histogrammedExtendedLaunchKey",
  ]

  private struct Histogram: JSONReadableObject {
    var buckets: [LoggedHistogram.Bucket]

    init(_ object: JSONObject) throws(ParseError) {
      let members: Members = try object.value("histogramValue")
      buckets = members.buckets.sorted {
        ($0.startMilliseconds, $0.endMilliseconds) < ($1.startMilliseconds, $1.endMilliseconds)
      }
    }
  }

  /// An object whose keys are numbers.
  private struct Members: JSONReadable {
    var buckets: [LoggedHistogram.Bucket] = []

    init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
      var buckets: [LoggedHistogram.Bucket] = []
      try cursor.readObject(field) { (cursor, key) throws(ParseError) in
        let object = try JSONObject(parsing: &cursor, key)
        let count: Int = try object.value("bucketCount")
        guard (0...1_000_000_000).contains(count) else {
          throw object.invalid("bucketCount", expected: "0 to 1000000000", found: "\(count)")
        }
        let start = try Self.milliseconds(object, "bucketStart")
        let end = try Self.milliseconds(object, "bucketEnd")
        guard start <= end else {
          throw object.invalid("bucketEnd", expected: "at least \(start)", found: "\(end)")
        }
        buckets.append(
          LoggedHistogram.Bucket(startMilliseconds: start, endMilliseconds: end, count: count))
      }
      self.buckets = buckets
    }

    private static func milliseconds(_ object: JSONObject, _ key: String) throws(ParseError)
      -> Double
    {
      let text: String = try object.value(key)
      guard let (value, unit) = LogNumber.whole(text) else {
        throw object.invalid(key, expected: "milliseconds", found: "'\(text.prefix(40))'")
      }
      let isSeconds = ["s", "sec", "秒"].contains(unit.filter { !$0.isWhitespace })
      return isSeconds ? (value * 1e9).rounded() / 1e6 : value
    }
  }
}
