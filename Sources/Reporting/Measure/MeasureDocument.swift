import ImageModel
import JSON
import LaunchMeasurement

extension MeasureReport {
  /// The report as one JSON object: `orderfile.measure/1`.
  package func json() -> [UInt8] {
    JSONWriter.document { json in
      json.member("dropsCaches", dropsCaches)
      json.array("images") { json in for image in storage { json.object { image.write(&$0) } } }
      json.array("limits") { json in for limit in limits { json.element(limit) } }
      json.object("machine") { machine.write(&$0) }
      if let precision { json.member("precisionAsked", precision) }
      json.member("provenance", Provenance.measured)
      json.member("schema", Self.schema)
      json.member("seed", seed)
      json.array("states") { json in for state in states { json.object { state.write(&$0) } } }
    }
  }
}

extension MeasureReport.State {
  fileprivate func write(_ json: inout JSONWriter) {
    json.array("comparisons") { json in
      for (side, comparison) in zip(sides.dropFirst(), comparisons) {
        json.object { comparison.write(&$0, before: sides[0].name, after: side.name) }
      }
    }
    json.array("order") { json in
      for round in measured.rounds {
        json.element(round.map { sides[$0].name }.joined(separator: " "))
      }
    }
    json.array("sides") { json in for side in sides { json.object { side.write(&$0) } } }
    json.member("state", name)
  }
}

extension MeasureReport.Side {
  fileprivate func write(_ json: inout JSONWriter) {
    json.array("command") { json in
      for word in measured.side.program.arguments { json.element(word) }
    }
    json.array("images") { json in for path in measured.side.images { json.element(path) } }
    json.array("launches") { json in
      for launch in measured.launches { json.object { launch.write(&$0) } }
    }
    json.member("name", name)
    json.member("path", measured.side.program.path)
    json.member("precisionReached", MeasurementPrecision.reached(wall))
    json.array("textFaults") { json in for count in measured.textFaults { json.element(count) } }
    json.object("trend") { json in
      json.member("nanosecondsPerLaunch", trend.slope)
      json.member("p", trend.p)
      json.member("relativeChange", trend.relativeChange)
    }
    json.object("wallNanoseconds") { wall.write(&$0) }
  }
}

extension LaunchComparison {
  fileprivate func write(_ json: inout JSONWriter, before: String, after: String) {
    json.member("after", after)
    json.member("before", before)
    json.object("medianDifferenceNanoseconds") { json in
      json.member("difference", medianDifference.difference)
      json.member("high", medianDifference.high)
      json.member("low", medianDifference.low)
    }
    json.member("p", rankSum.p)
    json.member("relativeDifference", relativeDifference)
    json.member("u", rankSum.u)
    json.member("verdict", verdict.rawValue)
  }
}

extension SampleSummary {
  fileprivate func write(_ json: inout JSONWriter) {
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
}

extension MeasuredLaunch {
  fileprivate func write(_ json: inout JSONWriter) {
    switch end {
    case .exited(let status): json.member("exitStatus", Int(status))
    case .killed: break
    }
    json.member("majorFaults", majorFaults)
    json.member("minorFaults", minorFaults)
    if let peakBytes { json.member("peakBytes", peakBytes) }
    if let readBytes { json.member("readBytes", readBytes) }
    if let residentPages { json.member("residentPages", residentPages) }
    if case .killed(let signal) = end { json.member("signal", Int(signal)) }
    json.member("systemMicroseconds", systemMicroseconds)
    json.member("userMicroseconds", userMicroseconds)
    json.member("wallNanoseconds", wallNanoseconds)
  }
}

extension MeasuringMachine {
  fileprivate func write(_ json: inout JSONWriter) {
    json.member("faultAroundBytes", faultAroundBytes)
    json.member("faultAroundIsAssumed", faultAroundIsAssumed)
    if let governor { json.member("governor", governor) }
    json.member("kernel", kernel)
    if let load { json.member("load", load) }
    json.member("pageBytes", pageBytes)
    if let processor { json.member("processor", processor) }
    json.member("processors", processors)
  }
}

extension ImageStorage {
  fileprivate func write(_ json: inout JSONWriter) {
    json.member("bytes", bytes)
    if let device { json.member("device", device) }
    if let fileSystem { json.member("fileSystem", fileSystem) }
    json.member("path", path)
    if let readAheadBytes { json.member("readAheadBytes", readAheadBytes) }
  }
}
