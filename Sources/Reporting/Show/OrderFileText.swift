/// The text report of an order file.
package struct OrderFileText {
  private let document: OrderFileDocument
  private let width: Int?
  private let names: NameWording

  /// - Parameter width: the terminal's, in columns; `nil` shortens no name.
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
    return """
      order file \(printable(document.path))
        dialect: \(printable(document.dialect))

      \(counted(document.entries.count, "entry", "entries")):
      \(table.text(width: width))
      """
  }
}
