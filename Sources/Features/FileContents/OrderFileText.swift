import Rendering

/// The text report of an order file.
package struct OrderFileText {
  private let document: OrderFileDocument
  private let width: Int?
  private let names: NameWording

  /// - Parameter width: the terminal's width in columns; `nil` shortens no name.
  package init(
    _ document: OrderFileDocument, width: Int? = nil, names: @escaping NameWording = mangled
  ) {
    self.document = document
    self.width = width
    self.names = names
  }

  package var text: String {
    var table = Table([.init("LINE", separator: " "), .init("NAME", .left)])
    for entry in document.entries {
      let limits = [entry.architecture, entry.objectFile].compactMap { $0 }.map { "\($0):" }
      table.add(["\(entry.line)", limits.joined() + names(entry.name)])
    }
    for string in document.strings {
      table.add(["\(string.line)", "string with hash \(string.hash)"])
    }
    return """
      order file \(printable(document.path))
        dialect: \(printable(document.dialect))

      \(count):
      \(table.text(width: width))
      """
  }

  /// The numbers of entries as text, such as `120 entries` or `120 entries: 100 functions, 15 data, 5 strings`.
  private var count: String {
    let (data, strings) = (document.dataEntries, document.strings.count)
    let text = counted(document.entries.count + strings, "entry", "entries")
    guard data + strings > 0 else { return text }
    return text + ": " + counted(document.entries.count - data, "function") + ", \(data) data"
      + (strings > 0 ? ", \(counted(strings, "string"))" : "")
  }
}
