/// The bytes of an order file, and the entries that it does not contain.
package struct WrittenOrderFile: Sendable {
  package internal(set) var bytes: [UInt8] = []
  /// The entries that could not be written, ascending by index.
  package internal(set) var unwritable: [UnwritableEntry] = []
}

/// An entry that a written order file does not contain, and the reason.
package struct UnwritableEntry: Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    /// The entry gives the same line as an earlier entry.
    case duplicate
    case emptyName
    /// The name begins or ends with a blank, and linkers cut off the blanks at the ends of a line.
    case outerBlank
    /// The name begins with `#`, and a line that begins with `#` is a comment.
    case leadingHash
    /// The name has a `#`, which begins a comment anywhere in a line.
    case hash
    /// The name begins like an architecture, or contains the end of an object file: `.o:`.
    case takenForPrefix
    /// The name looks like a string literal.
    case takenForLiteral
    /// The name has a line break, and a name ends where the line ends.
    case lineBreak
    case zeroByte
    /// The name has a quotation mark, which would end the quoted name.
    case quotationMark
    /// The dialect names sections, and the entry has none.
    case noInputSection
    /// The function is in `.text` of an object that was not compiled with function sections.
    case sharedInputSection
  }
  /// The index of the entry in the array of all entries.
  package var index: Int
  package var entry: OrderFileEntry
  package var reason: Reason
}

extension UnwritableEntry.Reason: CustomStringConvertible {
  package var description: String {
    switch self {
    case .duplicate: "an earlier entry gives the same line"
    case .emptyName: "the name is empty"
    case .outerBlank: "the linker removes blanks at the ends of a name"
    case .leadingHash: "a line that begins with '#' is a comment"
    case .hash: "a '#' begins a comment"
    case .takenForPrefix: "the linker takes a part of the name for an architecture or object file"
    case .takenForLiteral: "the linker takes the name for a string literal"
    case .lineBreak: "the name has a line break"
    case .zeroByte: "the name has a zero byte"
    case .quotationMark: "the name has a quotation mark"
    case .noInputSection: "the input section of the function is not known"
    case .sharedInputSection: "the input section of the function also has other functions"
    }
  }
}
