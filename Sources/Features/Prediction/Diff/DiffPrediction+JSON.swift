import ByteReading
import FaultEstimate
import JSON
import PagesFormat
import Rendering

/// This extension writes and reads the members itself, because the cost of a page-in is in two objects and in
/// `costSource`, and traces have a summary.
extension DiffPrediction: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.optional("costSource", cost?.source)
    json.optional("dataPages", dataPages)
    json.member("faultCurveArea", faultCurveArea)
    json.optional("functionsByBlocks", functionsByBlocks)
    json.optional("linuxFaults", linuxFaults)
    if !lowerEnds.isEmpty { json.member("lowerEnds", lowerEnds) }
    json.optional(
      "millisecondsPerPageIn",
      cost.map { MillisecondsBand(low: $0.low, typical: $0.typical, high: $0.high) })
    json.optional("millisecondsSaved", saving)
    json.optional("pageMaps", pageMaps)
    json.member("pageSizeBytes", pageSize)
    if let mean = meanOfTraces, let worst = worstTracesFirst.first {
      json.object("perTrace") { json in
        json.member("mean", mean)
        json.member("traces", traces)
        json.member("worst", worst)
      }
    }
    json.member("sections", sections)
    json.member("textPages", pages.withSaving)
    json.member("textPagesAtMost", pagesAtMost)
    json.member("windows64k", windows64k.withSaving)
    json.optional("xnuReads", xnuReads)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    pageSize = try object.value("pageSizeBytes")
    pages = try object.counts("textPages")
    pagesAtMost = try object.counts("textPagesAtMost")
    windows64k = try object.counts("windows64k")
    sections = try object.value("sections")
    faultCurveArea = try object.value("faultCurveArea")
    functionsByBlocks =
      object.has("functionsByBlocks") ? try object.counts("functionsByBlocks") : nil
    cost =
      object.has("costSource") || object.has("millisecondsPerPageIn")
      ? try FaultCost(
        object.object("millisecondsPerPageIn"), source: try object.value("costSource")) : nil
    linuxFaults = try object.optional("linuxFaults")
    xnuReads = try object.optional("xnuReads")
    traces = object.has("perTrace") ? try object.object("perTrace").value("traces") : []
    dataPages = try object.optional("dataPages")
    pageMaps = try object.optional("pageMaps")
  }
}

/// A duration as a range. If launches get slower, all three values are negative, and `high` is computed from the
/// highest cost of a page-in.
struct MillisecondsBand: JSONWritableObject {
  let low: Milliseconds
  let typical: Milliseconds
  let high: Milliseconds

  func writeMembers(to json: inout JSONWriter) {
    json.member("high", high)
    json.member("low", low)
    json.member("typical", typical)
  }
}

extension FaultCost {
  fileprivate init(_ object: JSONObject, source: String) throws(ParseError) {
    let low: Milliseconds = try object.value("low")
    let typical: Milliseconds = try object.value("typical")
    let high: Milliseconds = try object.value("high")
    guard 0...typical.nanoseconds ~= low.nanoseconds, typical.nanoseconds <= high.nanoseconds else {
      throw object.invalid(
        "low", expected: "0 <= low <= typical <= high", found: "\(low), \(typical), \(high)")
    }
    self.init(low: low, typical: typical, high: high, source: source)
  }
}
