import ImageModel
import JSON
import Rendering

/// A link map, its sections and its functions.
package struct LinkMapDocument: Sendable {
  package var path: String
  /// The linker in whose grammar the map is written: `lld`, `gold`.
  package var linker: String
  package var layout: Layout

  package init(path: String, linker: String, layout: Layout) {
    self.path = path
    self.linker = linker
    self.layout = layout
  }
}

extension LinkMapDocument: ShownDocument {
  package static let schema = "orderfile.linkmap/1"

  package func write(to json: inout JSONWriter, demangle: NameWording?) {
    let listing = LayoutListing(layout)
    listing.writeFunctions(to: &json, demangle: demangle)
    json.member("linker", linker)
    json.member("path", path)
    json.member("schema", Self.schema)
    listing.writeSections(to: &json)
  }
}
