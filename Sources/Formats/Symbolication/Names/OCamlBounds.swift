import ImageModel

/// The symbols before and after the code of each module of OCaml, by which its runtime recognizes the code. No function
/// begins there.
package enum OCamlBounds {
  /// The ends of the symbols' names.
  package static let beginning = "code_begin", ending = "code_end"

  /// Whether `name` is the name of such a symbol.
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
