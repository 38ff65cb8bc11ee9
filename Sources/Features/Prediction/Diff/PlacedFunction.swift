import Addresses
import ImageModel
import JSON

/// A startup function, and where the linker placed it.
package struct PlacedFunction: Hashable, Sendable {
  package var name: SymbolName
  package var address: StatedAddress
  /// The size of the whole function; 0 if it is unknown.
  package var bytes: UInt64
  /// Whether the linker placed the function where the order file asks for; `nil` without an order file.
  package var isOrdered: Bool?

  package init(name: SymbolName, address: StatedAddress, bytes: UInt64, isOrdered: Bool? = nil) {
    self.name = name
    self.address = address
    self.bytes = bytes
    self.isOrdered = isOrdered
  }
}

extension PlacedFunction: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("name", \.name), member("address", \.address), member("bytes", \.bytes),
    optionalMember("ordered", \.isOrdered))
}
