import ImageModel

/// The symbols `caml…code_begin` and `caml…code_end` around the code of each OCaml module. OCaml's runtime recognizes the
/// code of OCaml by these symbols. They are not names of functions.
package enum OCamlBounds {
  /// The suffixes of the symbols' names.
  package static let beginning = "code_begin", ending = "code_end"

  /// Whether `name` is the name of one of these symbols.
  static func contain(_ name: some BidirectionalCollection<UInt8>) -> Bool {
    name.starts(with: "caml".utf8)
      && [beginning, ending].contains { name.suffix($0.utf8.count).elementsEqual($0.utf8) }
  }
}

extension Layout {
  /// Whether the layout has code of OCaml.
  ///
  /// - Complexity: O(*n*) for *n* functions.
  package var hasOCamlCode: Bool { functions.contains { OCamlBounds.contain(names[$0.name]) } }
}
