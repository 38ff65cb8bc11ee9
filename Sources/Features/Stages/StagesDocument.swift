import Addresses
import ByteReading
import ImageModel
import JSON
import LaunchMeasurement
import PagesFormat
import Rendering

/// The result of `orderfile stages`: the time that launches spend in each stage.
package struct StagesDocument: Sendable {
  package var tables: [StageTable] = []
  package var histograms: [LaunchHistogram] = []
  package var libraries: [LibraryList] = []
  /// The program that was launched; `nil` if the launches are of several programs, or do not state the program, as logs
  /// of devices. For traces, the reference has no image ID, because the recorded build is not the build that is
  /// shipped.
  package var image: ImageReference?
  /// The state of the page cache before each measured launch; `nil` for launches that were not measured here.
  package var state: CacheState?
  /// The images that measured launches had in memory, in the order in which they were mapped.
  package var images: [StagedImage] = []
  /// The machine on which launches were measured; `nil` if no launch was measured.
  package var machine: MeasuringMachine?
  /// The device of cold launches; `nil` for the disk that the program is on.
  package var device: Device?
  /// The initializers of measured launches, in the order of the calls.
  package var initializers: [TimedInitializer] = []
  /// The wanted precision of a mean, as a share, from which the number of needed launches is computed.
  package var precision: Double
  /// The changes from other launches; `nil` if the launches were not compared with others.
  package var comparison: StagesComparison?
  package var warnings: [Diagnostic] = []

  package init(precision: Double) { self.precision = precision }

  /// A device, and what launches without the tracer read from it.
  package struct Device: Hashable, Sendable {
    package var settings: DeviceSettings
    /// The median number of requests over the launches; `nil` without a launch.
    package var requests: Double?
    package var readBytes: Double?

    package init(_ settings: DeviceSettings, _ reads: [LaunchDevice.Reads]) {
      self.settings = settings
      guard !reads.isEmpty else { return }
      requests = SampleSummary(reads.map { Double($0.requests) }).median
      readBytes = SampleSummary(reads.map { Double($0.bytes) }).median
    }

    /// Makes a device from figures that were computed earlier.
    init(_ settings: DeviceSettings, requests: Double?, readBytes: Double?) {
      self.settings = settings
      self.requests = requests
      self.readBytes = readBytes
    }
  }

  /// The libraries that a launch loaded.
  package struct LibraryList: Hashable, Sendable {
    package var origin: String
    /// The number of the process; `nil` if the loader did not state it.
    package var process: UInt64?
    /// The libraries of the system, in the order in which the loader listed them.
    package var system: [String]
    /// The program, and the libraries that come with it.
    package var others: [String]

    package init(origin: String, process: UInt64? = nil, system: [String], others: [String]) {
      self.origin = origin
      self.process = process
      self.system = system
      self.others = others
    }
  }
}

extension StagesDocument {
  package static let schema = "orderfile.stages/1"

  /// Writes the members of the document. Times are nanoseconds. `typical` is the mean over the middle half of the
  /// launches, sorted by time.
  package func writeMembers(to json: inout JSONWriter) {
    json.optional("base", comparison)
    json.optional("device", device?.settings)
    json.array("histograms") { json in
      for histogram in histograms {
        json.object(isInline: false) { histogram.write(to: &$0, precision) }
      }
    }
    json.optional("image", image)
    json.member("images", images)
    json.member("initializers", initializers)
    json.array("libraries") { json in
      for list in libraries {
        json.object { json in
          json.member("origin", list.origin)
          json.member("others", list.others)
          json.optional("process", list.process)
          json.member("system", list.system)
        }
      }
    }
    json.optional("machine", machine)
    json.member("precision", precision)
    json.optional("readBytes", device?.readBytes)
    json.optional("requests", device?.requests)
    json.member("schema", Self.schema)
    json.optional("state", state?.rawValue)
    json.array("tables") { json in
      for table in tables { json.object(isInline: false) { table.write(to: &$0, precision) } }
    }
    json.array("warnings") { json in for warning in warnings { json.element("\(warning)") } }
  }

}

/// The images and initializers of a `StagesDocument`. Other commands read only these parts of the document.
package struct MeasuredImages: Hashable, Sendable {
  package var images: [StagedImage]
  package var initializers: [TimedInitializer]

  /// - Throws: `missing` or `invalid` if the file is no such document.
  package init(parsing bytes: FileBytes) throws(ParseError) {
    let object = try JSONObject(document: bytes, schema: StagesDocument.schema)
    images = try object.value("images")
    initializers = try object.value("initializers")
  }
}

extension TimedInitializer: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("image", \.image), member("address", \.address),
    nanosecondsMember("nanoseconds", \.nanoseconds),
    nanosecondsMember("startNanoseconds", \.startNanoseconds))
}

extension StageTable {
  fileprivate func write(to json: inout JSONWriter, _ precision: Double) {
    if let change {
      json.object("change") { json in
        if let interval = change.interval {
          json.member("high", interval.upperBound)
          json.member("low", interval.lowerBound)
        }
        json.member("share", change.share)
      }
    }
    json.array("counts") { json in
      for count in counts {
        json.object { json in
          json.member("name", count.name)
          json.member("text", count.text)
        }
      }
    }
    json.member("launches", launches)
    json.member("origins", origins)
    json.member("provenance", Provenance.measured)
    json.array("rows") { json in
      for row in rows { json.object { row.write(to: &$0, precision) } }
    }
    json.array("seconds") { json in
      for (second, count) in seconds { json.object { writeSecond(&$0, second, count) } }
    }
    json.member("source", source.rawValue)
    json.object("total") { $0.summary(total, precision) }
    json.member("tracing", tracing)
    json.member("typicalTotal", typicalTotal)
    if let typicalUntraced {
      json.member("typicalUntraced", typicalUntraced)
      json.object("untraced") { $0.summary(SampleSummary(untraced), precision) }
      json.member("untracedLaunches", untraced)
    }
  }
}

extension StagedLaunch: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("nanoseconds", nanoseconds)
    json.array("stages") { json in
      for stage in stages {
        json.object { json in
          json.member("kind", stage.kind.rawValue)
          json.member("name", stage.name)
          json.member("nanoseconds", stage.nanoseconds)
          json.optional("thread", stage.thread)
        }
      }
    }
  }
}

extension StageTable.Row {
  fileprivate func write(to json: inout JSONWriter, _ precision: Double) {
    json.object("delta") { $0.summary(deltaSummary, precision) }
    json.object("elapsed") { $0.summary(elapsedSummary, precision) }
    json.member("kind", kind.rawValue)
    json.member("launches", count)
    json.member("name", name)
    json.optional("thread", thread)
    json.member("typicalDelta", delta)
    json.member("typicalElapsed", elapsed)
  }
}

extension LaunchHistogram {
  fileprivate func write(to json: inout JSONWriter, _ precision: Double) {
    json.array("buckets") { json in
      for bucket in buckets {
        json.object { json in
          json.member("count", bucket.count)
          json.member("end", bucket.end)
          json.member("start", bucket.start)
        }
      }
    }
    json.member("launches", launches)
    json.member("name", name)
    json.member("origin", origin)
    json.array("seconds") { json in
      for (second, count) in seconds { json.object { writeSecond(&$0, second, count) } }
    }
    if let summary { json.object("total") { $0.summary(summary, precision) } }
  }
}

private func writeSecond(_ json: inout JSONWriter, _ second: Int, _ count: Int) {
  json.member("launches", count)
  json.member("second", second)
}

extension JSONWriter {
  fileprivate mutating func summary(_ summary: SampleSummary, _ precision: Double) {
    member("launchesNeeded", MeasurementPrecision.launchesNeeded(precision, summary))
    summary.writeMembers(to: &self)
  }
}
