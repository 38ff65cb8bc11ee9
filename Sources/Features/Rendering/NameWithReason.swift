import ByteReading
import ImageModel
import JSON

/// A name, and the reason why it is missing or out of order.
package struct NameWithReason: Hashable, Sendable {
  package var name: SymbolName
  /// "not in the layout after"
  package var reason: String

  package init(name: SymbolName, reason: String) {
    self.name = name
    self.reason = reason
  }
}

extension NameWithReason: JSONReadableObject {
  /// Adds it to an array.
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("name", name)
      json.member("reason", reason)
    }
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(name: try object.value("name"), reason: try object.value("reason"))
  }
}
