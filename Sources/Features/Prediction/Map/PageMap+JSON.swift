import Addresses
import ByteReading
import FaultEstimate
import ImageModel
import JSON
import PagesFormat

/// `pages` has the pages that are predicted or measured to be touched. `segments` has the ranges that the loader maps.
/// All pages that are not in `pages` are untouched. A page has `causes` if it is predicted to be touched, and
/// `accesses` if it was touched.
///
/// This extension writes and reads the members itself, to check that the segments and the pages ascend.
extension PageMap: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("measured", isMeasured)
    json.optional("ordered", ordered)
    json.member("pages", pages)
    json.member("segments", segments)
  }

  /// - Throws: an error also for segments or pages out of order, empty segments, and addresses at which no page begins
  ///   (`invalid`).
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
      ordered: try object.optional("ordered"),
      isMeasured: try object.value("measured"))
  }
}

/// This extension writes and reads the members itself, because causes and accesses are left out if they are empty.
extension PageMap.Page: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
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

extension PageMap.Segment: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("kind", \.kind), inlineMembers(\.range))
}

extension AddressRange: JSONListedObject {
  package static let members = JSONMembers(
    Self.init(start:size:), member("address", \.start), member("sizeBytes", \.size))
}
