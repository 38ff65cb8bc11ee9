/// A symbol that the linker saw, but that names no function of the image.
package struct AbsentSymbol: Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    /// The symbol was declared and used, but not defined.
    case undefined
    /// Another image defines the symbol.
    case shared
    /// The symbol is a number, not a place in a section.
    case absolute
    /// Nothing used the symbol, so the linker discarded it.
    case discarded
    /// The symbol names data. Linkers order data by the same files as functions.
    case data
  }

  /// The name of the symbol, as a reference into the layout's `names`.
  package var name: NameReference
  package var reason: Reason

  package init(name: NameReference, reason: Reason) {
    self.name = name
    self.reason = reason
  }
}
