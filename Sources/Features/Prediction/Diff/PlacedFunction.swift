import Addresses
import ByteReading
import ImageModel
import JSON

/// A startup function, and where the linker placed it.
package struct PlacedFunction: Hashable, Sendable {
  package var name: SymbolName
  package var address: StatedAddress
  /// The size of all of it; 0 if it is unknown.
  package var bytes: UInt64
  /// Whether the linker placed it where the order file asks for; `nil` without an order file.
  package var isOrdered: Bool?

  package init(name: SymbolName, address: StatedAddress, bytes: UInt64, isOrdered: Bool? = nil) {
    self.name = name
    self.address = address
    self.bytes = bytes
    self.isOrdered = isOrdered
  }
}

extension PlacedFunction: JSONReadableObject {
  package func write(to json: inout JSONWriter) {
    json.member("address", address)
    json.member("bytes", bytes)
    json.member("name", name)
    if let isOrdered { json.member("ordered", isOrdered) }
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      name: try object.value("name"), address: try object.value("address"),
      bytes: try object.value("bytes"), isOrdered: try object.optional("ordered"))
  }
}
