import ImageModel
import JSON

/// Whether a linker did what an order file asked for: read from the layout after, not predicted.
package struct OrderObedience: Sendable {
  /// Lines of the order file that name something to be ordered.
  package var entries: Int
  /// Entries that the layout has.
  package var present: Int
  /// Present entries that stand in the order asked for.
  package var inOrder: Int
  /// The first place where the layout leaves the order, for people; `nil` if it never does.
  package var firstDeviation: String?
  /// Entries that the linker was unable to order, in the order of the file.
  package var unorderable: [NameWithReason]

  package init(
    entries: Int, present: Int, inOrder: Int, firstDeviation: String? = nil,
    unorderable: [NameWithReason] = []
  ) {
    self.entries = entries
    self.present = present
    self.inOrder = inOrder
    self.firstDeviation = firstDeviation
    self.unorderable = unorderable
  }
}

/// A name, and why it is not where one would look for it.
package struct NameWithReason: Hashable, Sendable {
  package var name: SymbolName
  /// "not in after layout"
  package var reason: String

  package init(name: SymbolName, reason: String) {
    self.name = name
    self.reason = reason
  }
}

extension NameWithReason {
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("name", name)
      json.member("reason", reason)
    }
  }
}
