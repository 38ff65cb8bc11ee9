import ImageModel

/// An image for people.
package struct ImageText {
  private let document: ImageDocument
  private let width: Int?
  private let names: NameWording

  /// - Parameter width: the terminal's, in columns; `nil` shortens no name.
  package init(
    _ document: ImageDocument, width: Int? = nil, names: @escaping NameWording = mangled
  ) {
    self.document = document
    self.width = width
    self.names = names
  }

  package var text: String {
    let image = document.image
    let guards = counted(Int(clamping: document.guardCount), "guard")
    return """
      image \(printable(image.path))
        architecture: \(image.architecture)
        image ID:     \(image.id?.description ?? "none")
        instrumented: \(image.guards == nil ? "no" : "yes, \(guards)")
        initializers: \(image.initializers.count)

      """ + LayoutText(image.layout, width: width, names: names).text
  }
}
