/// One function that an order file asks for, in whichever way its dialect names it.
///
/// All are the bytes that stand in the object files, mangled; they need not be UTF-8.
package struct OrderFileEntry: Hashable, Sendable {
  /// The symbol's name. Read from a dialect that names sections it is what the section's name says
  /// (`.text.unlikely.f` is `f`), and empty where that says nothing.
  package var symbol: [UInt8]
  /// The object file that the name is looked for in, written as the dialect writes it; `nil` is all of
  /// them. A dialect that knows no object files writes the name alone, which then covers all of them.
  package var objectFile: [UInt8]?
  /// The input section, a name and not a pattern: `.text.unlikely.f`. Dialects that name symbols don't
  /// write it.
  package var section: [UInt8]?
  /// The one architecture that the entry is for, as ld64 writes it: `arm64`, `x86_64`; `nil` is all. Other
  /// dialects don't write it.
  package var architecture: [UInt8]?

  package init(
    symbol: [UInt8], objectFile: [UInt8]? = nil, section: [UInt8]? = nil,
    architecture: [UInt8]? = nil
  ) {
    self.symbol = symbol
    self.objectFile = objectFile
    self.section = section
    self.architecture = architecture
  }
}
