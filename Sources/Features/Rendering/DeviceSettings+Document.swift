// A device in documents and in texts.

import ByteReading
import JSON
import LaunchMeasurement

extension DeviceSettings: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("kind", \.kind), member("name", \.name),
    member("readAheadBytes", \.readAheadBytes), member("delayNanoseconds", \.delayNanoseconds),
    optionalMember("requestBytes", \.requestBytes))
}

extension DeviceSettings.Kind: JSONReadable, JSONValue {}

extension DeviceSettings {
  /// The device as text, such as `slow, a copy in memory, read-ahead 128 KiB, 1.000 ms for each request`.
  package var wording: String {
    let place =
      switch kind {
      case .memory: "a copy in memory"
      case .loop: "a copy on a loop device with direct I/O"
      }
    let limit = requestBytes.map { "at most \(ByteCount($0).wording) a request, " } ?? ""
    let time =
      kind == .loop
      ? "no stated time for a request"
      : "\(Decimal.milliseconds(nanoseconds: Double(delayNanoseconds))) ms for each request"
    let readAhead = ByteCount(readAheadBytes).wording
    return "\(printable(name)), \(place), read-ahead \(readAhead), \(limit)\(time)"
  }
}
