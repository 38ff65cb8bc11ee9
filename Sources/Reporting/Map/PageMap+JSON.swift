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

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      segments: try object.value("segments"), pages: try object.value("pages"),
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
