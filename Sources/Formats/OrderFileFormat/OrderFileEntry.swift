/// A function that an order file lists, or a variable or constant, in whichever way its dialect names it.
///
/// All names are the bytes in the object files: mangled, and not always UTF-8.
package struct OrderFileEntry: Hashable, Sendable {
  /// The symbol. In a dialect that names sections, a comment names the symbol, or it is derived from the section's name
  /// (`.text.unlikely.f` gives `f`). The symbol is empty if neither is possible.
  package var symbol: [UInt8]
  /// The object file in which the symbol is looked up, in the dialect's notation; `nil` for all. A dialect without
  /// object files writes the symbol only, which then applies to all object files.
  package var objectFile: [UInt8]?
  /// The input section, as a name and not as a pattern: `.text.unlikely.f`. Dialects that name symbols don't
  /// write it.
  package var section: [UInt8]?
  /// The architecture to which the entry is limited, in ld64's notation: `arm64`, `x86_64`; `nil` for all.
  /// Other dialects don't write it.
  package var architecture: [UInt8]?
  /// Whether a comment before the entry states that it names data. Linkers do not need to know this.
  package var isData: Bool

  package init(
    symbol: [UInt8], objectFile: [UInt8]? = nil, section: [UInt8]? = nil,
    architecture: [UInt8]? = nil, isData: Bool = false
  ) {
    self.symbol = symbol
    self.objectFile = objectFile
    self.section = section
    self.architecture = architecture
    self.isData = isData
  }
}

extension OrderFileEntry {
  /// Whether the section is not named for the symbol, so that a dialect which names sections needs a comment:
  /// `__attribute__((section))` gives functions such sections.
  var needsComment: Bool {
    guard let section, !symbol.isEmpty else { return false }
    return FunctionSection.symbol(of: section[...]) != symbol
  }
}
