import Addresses
import ByteReading
import FaultEstimate
import ImageModel
import JSON
import PagesFormat

/// `pages` has the pages that are predicted or measured to be touched, `segments` what the loader maps; all other pages are
/// untouched. A page has `causes` if it is predicted to be touched, and `accesses` if it was.
extension PageMap: JSONReadableObject {
  func write(to json: inout JSONWriter) {
    json.member("measured", isMeasured)
    if let ordered { json.object("ordered") { ordered.write(to: &$0) } }
    json.array("pages") { json in for page in pages { json.object { page.write(to: &$0) } } }
    json.array("segments") { json in
      for segment in segments { json.object { segment.write(to: &$0) } }
    }
  }

  /// - Throws: also `invalid` for segments or pages out of order, empty segments, and addresses at which no page begins.
  package init(_ object: JSONObject) throws(ParseError) {
    let segments: [Segment] = try object.value("segments")
    let pages: [Page] = try object.value("pages")
    if let empty = segments.first(where: { $0.range.size == 0 }) {
      throw object.invalid(
        "segments", expected: "segments with bytes", found: "0 bytes at \(empty.range.start)")
    }
    let starts = segments.map(\.range.start)
    if let place = zip(starts, starts.dropFirst()).first(where: { $0 >= $1 })?.1 {
      throw object.invalid("segments", expected: "ascending addresses", found: "\(place)")
    }
    let smallest = PageSize.fourKibibytes
    if let page = pages.first(where: {
      smallest.start(of: smallest.page(of: $0.address)) != $0.address
    }) {
      throw object.invalid("pages", expected: "the start of a page", found: "\(page.address)")
    }
    let addresses = pages.map(\.address)
    if let place = zip(addresses, addresses.dropFirst()).first(where: { $0 >= $1 })?.1 {
      throw object.invalid("pages", expected: "ascending addresses", found: "\(place)")
    }
    self.init(
      segments: segments, pages: pages,
      ordered: try object.has("ordered") ? AddressRange(object.object("ordered")) : nil,
      isMeasured: try object.value("measured"))
  }
}

extension PageMap.Page: JSONReadableObject {
  fileprivate func write(to json: inout JSONWriter) {
    if isMeasured {
      json.array("accesses") { json in for access in accesses { json.element(access.rawValue) } }
    }
    json.member("address", address)
    if isPredicted {
      json.array("causes") { json in for cause in causes { json.element(cause.rawValue) } }
    }
    json.member("usedBytes", usedBytes)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      address: try object.value("address"), usedBytes: try object.count("usedBytes"),
      causes: try object.optional("causes") ?? [], accesses: try object.optional("accesses") ?? [])
  }
}

extension PageMap.Segment: JSONReadableObject {
  fileprivate func write(to json: inout JSONWriter) {
    json.member("address", range.start)
    json.member("kind", kind.rawValue)
    json.member("sizeBytes", range.size)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(kind: try object.value("kind"), range: try AddressRange(object))
  }
}

extension AddressRange {
  fileprivate func write(to json: inout JSONWriter) {
    json.member("address", start)
    json.member("sizeBytes", size)
  }

  fileprivate init(_ object: JSONObject) throws(ParseError) {
    self.init(start: try object.value("address"), size: try object.value("sizeBytes"))
  }
}
