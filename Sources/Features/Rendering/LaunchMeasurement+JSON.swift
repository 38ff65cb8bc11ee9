import ByteReading
import JSON
import LaunchMeasurement

extension CacheState: JSONReadable {}

extension SampleSummary: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("lowerQuartile", lowerQuartile)
    json.member("maximum", maximum)
    json.member("mean", mean)
    json.member("median", median)
    json.member("minimum", minimum)
    json.member("outliers", outliers)
    json.member("percentile95", percentile95)
    json.member("standardDeviation", standardDeviation)
    json.member("upperQuartile", upperQuartile)
  }

  package init(_ object: JSONObject, count: Int) throws(ParseError) {
    self.init(
      count: count, minimum: try object.value("minimum"),
      lowerQuartile: try object.value("lowerQuartile"), median: try object.value("median"),
      mean: try object.value("mean"), upperQuartile: try object.value("upperQuartile"),
      percentile95: try object.value("percentile95"), maximum: try object.value("maximum"),
      standardDeviation: try object.value("standardDeviation"),
      outliers: try object.value("outliers"))
  }
}

/// This extension writes and reads the members itself, because the initializer does not take `faultAroundIsAssumed`.
extension MeasuringMachine: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("faultAroundBytes", faultAroundBytes)
    json.member("faultAroundIsAssumed", faultAroundIsAssumed)
    json.optional("governor", governor)
    json.member("kernel", kernel)
    json.optional("load", load)
    json.member("pageBytes", pageBytes)
    json.optional("processor", processor)
    json.member("processors", processors)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      kernel: try object.value("kernel"), processor: try object.optional("processor"),
      processors: try object.count("processors"), governor: try object.optional("governor"),
      pageBytes: try object.count("pageBytes"),
      faultAroundBytes: try object.count("faultAroundBytes"), load: try object.optional("load"))
    faultAroundIsAssumed = try object.value("faultAroundIsAssumed")
  }
}
