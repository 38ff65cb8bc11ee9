import ByteReading
import FaultEstimate
import JSON
import Rendering

/// The predicted faults of Linux in the two layouts.
package struct LinuxFaultsChange: Hashable, Sendable {
  package var faultAroundBytes: UInt64
  package var readAheadBytes: UInt64
  /// The minor faults of a warm launch: one number for each page offset that the loader can give the image within a
  /// fault-around window; a single number for an image that is not position-independent.
  package var warmMinorFaults: BeforeAfter<[Int]>
  /// The faults of a cold launch: one element for each kind of read-ahead.
  package var cold: [Cold]

  package struct Cold: Hashable, Sendable {
    package var readAhead: LinuxKernel.ReadAhead
    package var majorFaults: BeforeAfter<Int>
    package var minorFaults: BeforeAfter<Int>
    package var pagesRead: BeforeAfter<Int>
  }
}

// MARK: JSON

extension LinuxFaultsChange: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("faultAroundBytes", \.faultAroundBytes),
    member("readAheadBytes", \.readAheadBytes),
    JSONMember("warmMinorFaults") { (object, key) throws(ParseError) in
      let warm: BeforeAfter<[Count]> = try object.value(key)
      return BeforeAfter(before: warm.before.map(\.value), after: warm.after.map(\.value))
    } write: {
      $2.member($1, $0.warmMinorFaults)
    },
    member("cold", \.cold))
}

extension LinuxFaultsChange.Cold: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("readAhead", \.readAhead), savingMember("majorFaults", \.majorFaults),
    savingMember("minorFaults", \.minorFaults), savingMember("pagesRead", \.pagesRead))
}

extension LinuxKernel.ReadAhead: JSONReadable, JSONValue {}
