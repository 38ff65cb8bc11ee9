import ByteReading
import FaultEstimate
import JSON
import Rendering

/// What Linux is predicted to do in the two layouts.
package struct LinuxFaultsChange: Hashable, Sendable {
  package var faultAroundBytes: UInt64
  package var readAheadBytes: UInt64
  /// One number for each page offset that the loader can give the image within a fault-around window; a
  /// single number for an image that is not position-independent.
  package var warmMinorFaults: BeforeAfter<[Int]>
  /// One element for each kind of read-ahead.
  package var cold: [Cold]

  package struct Cold: Hashable, Sendable {
    package var readAhead: LinuxKernel.ReadAhead
    package var majorFaults: BeforeAfter<Int>
    package var minorFaults: BeforeAfter<Int>
    package var pagesRead: BeforeAfter<Int>
  }
}

// MARK: JSON

extension LinuxFaultsChange: JSONReadableObject {
  func write(to json: inout JSONWriter) {
    json.array("cold") { json in
      for cold in cold { json.object { cold.write(to: &$0) } }
    }
    json.member("faultAroundBytes", faultAroundBytes)
    json.member("readAheadBytes", readAheadBytes)
    json.object("warmMinorFaults") { json in
      json.array("after") { json in
        for count in warmMinorFaults.after { json.element(count) }
      }
      json.array("before") { json in
        for count in warmMinorFaults.before { json.element(count) }
      }
    }
  }

  package init(_ object: JSONObject) throws(ParseError) {
    let warm: BeforeAfter<[Count]> = try object.value("warmMinorFaults")
    self.init(
      faultAroundBytes: try object.value("faultAroundBytes"),
      readAheadBytes: try object.value("readAheadBytes"),
      warmMinorFaults: BeforeAfter(
        before: warm.before.map(\.value), after: warm.after.map(\.value)),
      cold: try object.value("cold"))
  }
}

extension LinuxFaultsChange.Cold: JSONReadableObject {
  fileprivate func write(to json: inout JSONWriter) {
    json.object("majorFaults") { majorFaults.writeSaving(to: &$0) }
    json.object("minorFaults") { minorFaults.writeSaving(to: &$0) }
    json.object("pagesRead") { pagesRead.writeSaving(to: &$0) }
    json.member("readAhead", readAhead.rawValue)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      readAhead: try object.value("readAhead"), majorFaults: try object.counts("majorFaults"),
      minorFaults: try object.counts("minorFaults"), pagesRead: try object.counts("pagesRead"))
  }
}

extension LinuxKernel.ReadAhead: JSONReadable {}
