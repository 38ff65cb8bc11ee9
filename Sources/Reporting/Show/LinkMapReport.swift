import ImageModel
import JSON

/// What `orderfile show` prints of a link map.
package struct LinkMapReport: Sendable {
  package static let schema = "orderfile.linkmap/1"

  package var path: String
  /// Whose grammar the map is in: `lld`, `gold`.
  package var linker: String
  package var layout: Layout

  package init(path: String, linker: String, layout: Layout) {
    self.path = path
    self.linker = linker
    self.layout = layout
  }

  /// The map for machines: `orderfile.linkmap/1`.
  ///
  /// - Parameter demangle: adds `demangledName` to the functions whose name it changes.
  /// - Parameter sink: takes the document piece by piece, as it may be large.
  package func json(demangle: NameWording? = nil, to sink: @escaping ([UInt8]) -> Void) {
    let listing = LayoutListing(layout: layout)
    JSONWriter.document(to: sink) { json in
      listing.writeFunctions(to: &json, demangle: demangle)
      json.member("linker", linker)
      json.member("path", path)
      json.member("schema", Self.schema)
      listing.writeSections(to: &json)
    }
  }

  /// The map for people.
  ///
  /// - Parameter width: the terminal's, in columns; `nil` shortens no name.
  package func text(width: Int? = nil, names: NameWording = mangled) -> String {
    """
    link map \(printable(path))
      linker: \(printable(linker))

    """ + LayoutListing(layout: layout).text(width: width, names: names)
  }
}
