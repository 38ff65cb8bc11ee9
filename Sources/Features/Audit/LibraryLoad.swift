import ImageModel

/// One request of an image for a library.
struct LibraryLoad: Hashable, Sendable {
  /// The bytes in the image: a name, or a path.
  var name: SymbolName
  var kind: AuditedLibrary.LoadKind
}
