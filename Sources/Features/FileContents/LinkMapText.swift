import Rendering

/// The text report of a link map.
package struct LinkMapText {
  private let document: LinkMapDocument
  private let width: Int?
  private let names: NameWording

  /// - Parameter width: the terminal's width in columns; `nil` shortens no name.
  package init(
    _ document: LinkMapDocument, width: Int? = nil, names: @escaping NameWording = mangled
  ) {
    self.document = document
    self.width = width
    self.names = names
  }

  package var text: String {
    """
    link map \(printable(document.path))
      linker: \(printable(document.linker))

    """ + LayoutText(document.layout, width: width, names: names).text
  }
}
