/// A name that the linker met and that is no code or data of the image.
package struct AbsentSymbol: Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    /// It was declared and used, and nothing defined it.
    case undefined
    /// Another image defines it.
    case shared
    /// It is a number, no place in a section.
    case absolute
    /// Nothing used it, so the linker left it out.
    case discarded
  }

  /// In the layout's `names`.
  package var name: NameReference
  package var reason: Reason

  package init(name: NameReference, reason: Reason) {
    self.name = name
    self.reason = reason
  }
}
