import ByteReading
import FaultEstimate
import JSON
import PagesFormat
import Rendering

extension PageInMeasurement: JSONReadableObject {
  /// Adds the members: `before` and `after` have the source of each recording, and the sums of `pages` and
  /// `milliseconds` over the sections. A layout that was not recorded has no key.
  func write(to json: inout JSONWriter) {
    let total = total
    if let after { json.object("after") { Self.write(after, total.after, to: &$0) } }
    if let before { json.object("before") { Self.write(before, total.before, to: &$0) } }
    json.member("provenance", Provenance.measured)
    json.array("sections") { json in
      for section in sections { json.object { section.write(to: &$0) } }
    }
  }

  private static func write(_ source: Source, _ total: Count?, to json: inout JSONWriter) {
    if let milliseconds = total?.milliseconds { json.member("milliseconds", milliseconds) }
    json.member("pages", total?.pages)
    json.array("paths") { json in for path in source.paths { json.element(path) } }
    json.member("process", source.process)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    before = try object.optional("before")
    after = try object.optional("after")
    sections = try object.value("sections")
  }
}

extension PageInMeasurement.Source: JSONReadableObject {
  package init(_ object: JSONObject) throws(ParseError) {
    self.init(paths: try object.value("paths"), process: try object.value("process"))
  }
}

extension PageInMeasurement.Row: JSONReadableObject {
  fileprivate func write(to json: inout JSONWriter) {
    json.object("milliseconds") { json in
      if let after = after?.milliseconds { json.member("after", after) }
      if let before = before?.milliseconds { json.member("before", before) }
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
