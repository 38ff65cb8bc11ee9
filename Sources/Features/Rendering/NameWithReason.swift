import ImageModel
import JSON

/// A name, and the reason why it is missing or out of order.
package struct NameWithReason: Hashable, Sendable {
  package var name: SymbolName
  /// The reason in words: "not in the layout after".
  package var reason: String

  package init(name: SymbolName, reason: String) {
    self.name = name
    self.reason = reason
  }
}

extension NameWithReason: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("name", \.name), member("reason", \.reason))
}
