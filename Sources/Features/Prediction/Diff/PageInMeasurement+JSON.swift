import ByteReading
import FaultEstimate
import JSON
import PagesFormat
import Rendering

/// This extension writes and reads the members itself, because the object of a layout has the source of its recording
/// and also sums of the sections.
extension PageInMeasurement: JSONReadableObject, JSONWritableObject {
  /// Adds the members. `before` and `after` have the source of each recording, and the sums of `pages` and
  /// `milliseconds` over the sections. A layout that was not recorded has no member.
  package func writeMembers(to json: inout JSONWriter) {
    let total = total
    if let after { json.object("after") { Self.write(after, total.after, to: &$0) } }
    if let before { json.object("before") { Self.write(before, total.before, to: &$0) } }
    json.member("provenance", Provenance.measured)
    json.member("sections", sections)
  }

  private static func write(_ source: Source, _ total: Count?, to json: inout JSONWriter) {
    json.optional("milliseconds", total?.milliseconds)
    json.member("pages", total?.pages)
    source.writeMembers(to: &json)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    before = try object.optional("before")
    after = try object.optional("after")
    sections = try object.value("sections")
  }
}

extension PageInMeasurement.Source: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("paths", \.paths), member("process", \.process))
}

/// This extension writes and reads the members itself: the pages of both layouts are in one object, and the
/// milliseconds of both layouts in another object.
extension PageInMeasurement.Row: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.object("milliseconds") { json in
      json.optional("after", after?.milliseconds)
      json.optional("before", before?.milliseconds)
    }
    json.member("name", name)
    json.object("pages") { json in
      if let after { json.member("after", after.pages) }
      if let before { json.member("before", before.pages) }
      if let pages { json.member("saved", pages.saved) }
    }
  }

  package init(_ object: JSONObject) throws(ParseError) {
    let (pages, milliseconds) = (try object.object("pages"), try object.object("milliseconds"))
    func count(_ key: String) throws(ParseError) -> PageInMeasurement.Count? {
      guard pages.has(key) else { return nil }
      return PageInMeasurement.Count(
        pages: try pages.count(key), milliseconds: try milliseconds.optional(key))
    }
    self.init(
      name: try object.value("name"), before: try count("before"), after: try count("after"))
  }
}
