import ImageModel
import JSON
import Rendering

/// The data in an order file, and the data that it leaves out.
package struct OrderedData: Hashable, Sendable {
  /// The number of launches whose touched data are known.
  package var launches = 0
  /// The sections with touched data, by address.
  package var sections: [Section] = []
  /// The number of strings that have an entry.
  package var strings = 0
  /// The number of strings that were touched, and that the linker can't order.
  package var unorderedStrings = 0
  /// The number of touches in other builds of data without a name.
  package var unnamed = 0
  /// Data that launches touched, and that no line names.
  package var missing: [NameWithReason] = []

  package struct Section: Hashable, Sendable {
    package var name: SymbolName
    /// The kind of the data in the section, as `DataKind` names it.
    package var kind: String
    /// The number of variables and constants that were touched and can be placed, and their size.
    package var symbols: Int
    package var bytes: UInt64
    /// The number of touches in this build of data without a name: strings and constants that the linker merges.
    package var unnamed: Int
    /// The number of variables that were touched and share their input section with other data, so that the linker
    /// can't move them.
    package var sharingSection: Int
    /// The number of variables and constants that are listed only because the loader writes to them.
    package var relocatedSymbols: Int
    /// The number of pages of 4 KiB that the section is on, and the number of them to which the loader writes.
    package var pages: Int
    package var relocatedPages: Int
    /// Whether the data have entries; they have none if no page is predicted to be saved.
    package var isOrdered: Bool

    package init(
      name: SymbolName, kind: String, symbols: Int, bytes: UInt64, unnamed: Int,
      sharingSection: Int, relocatedSymbols: Int, pages: Int, relocatedPages: Int,
      isOrdered: Bool
    ) {
      self.name = name
      self.kind = kind
      self.symbols = symbols
      self.bytes = bytes
      self.unnamed = unnamed
      self.sharingSection = sharingSection
      self.relocatedSymbols = relocatedSymbols
      self.pages = pages
      self.relocatedPages = relocatedPages
      self.isOrdered = isOrdered
    }

    package var isEmpty: Bool { symbols + unnamed + sharingSection + relocatedSymbols == 0 }
  }

  package init() {}

  /// The number of variables and constants that were touched and have an entry.
  package var symbols: Int { sections.filter(\.isOrdered).map(\.symbols).reduce(0, +) }
}

extension OrderedData: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("launches", launches)
    json.member("missing", missing)
    json.member("sections", sections)
    json.member("strings", strings)
    json.member("unnamed", unnamed)
    json.member("unorderedStrings", unorderedStrings)
  }
}

extension OrderedData.Section: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("bytes", bytes)
    json.member("isOrdered", isOrdered)
    json.member("kind", kind)
    json.member("name", name)
    json.member("pages", pages)
    json.member("relocatedPages", relocatedPages)
    json.member("relocatedSymbols", relocatedSymbols)
    json.member("sharingSection", sharingSection)
    json.member("symbols", symbols)
    json.member("unnamed", unnamed)
  }
}

extension OrderedData {
  /// The text about data in the summary of an order file.
  package var text: String {
    var text = "ordered \(counted(symbols, "datum", "data")) that "
    text += launches > 1 ? "\(launches) launches" : "a launch"
    text += " touched"
    if strings > 0 { text += ", and \(counted(strings, "string"))" }
    text += sections.map { "\n  " + $0.text }.joined()
    if unnamed > 0 {
      text += "\n  \(counted(unnamed, "touch", "touches")) in other builds of data without a symbol"
    }
    if unorderedStrings > 0 {
      text += "\n  \(counted(unorderedStrings, "string")) that this linker can't order"
    }
    return text
  }
}

extension OrderedData.Section {
  /// The section's line in the report, such as `.data: 3 data, 7.3 KiB; the loader writes to 4 of 4 pages, in any order`.
  fileprivate var text: String {
    var text = "\(printable("\(name)")): \(symbols) data, \(ByteCount(bytes).wording)"
    if !isOrdered, symbols > 0 { text += "; not ordered, because no page would be saved" }
    if relocatedPages > 0 {
      text += "; the loader writes to \(relocatedPages) of \(counted(pages, "page"))"
      text +=
        relocatedSymbols > 0 && isOrdered
        ? "; \(relocatedSymbols) more data that the loader writes to are listed" : ", in any order"
    }
    if unnamed > 0 { text += "; \(counted(unnamed, "touch", "touches")) of data without a symbol" }
    if sharingSection > 0 {
      text += "; left out: \(sharingSection) without a section of their own (-fdata-sections)"
    }
    return text
  }
}
