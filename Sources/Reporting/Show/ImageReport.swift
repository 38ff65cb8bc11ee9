import ImageModel
import JSON

/// What `orderfile show` prints of an image.
package struct ImageReport: Sendable {
  package static let schema = "orderfile.image/1"

  package var image: Image

  package init(_ image: Image) { self.image = image }

  /// Instrumented functions: one guard each, 4 bytes long.
  private var guardCount: UInt64 { (image.guards?.size ?? 0) / 4 }

  /// The image for machines: `orderfile.image/1`. An image without identity has no `id`.
  ///
  /// - Parameter demangle: adds `demangledName` to the functions whose name it changes.
  /// - Parameter sink: takes the document piece by piece, as it may be large.
  package func json(demangle: NameWording? = nil, to sink: @escaping ([UInt8]) -> Void) {
    let listing = LayoutListing(layout: image.layout)
    JSONWriter.document(to: sink) { json in
      json.member("architecture", image.architecture.description)
      listing.writeFunctions(to: &json, demangle: demangle)
      json.member("guardCount", guardCount)
      if let id = image.id { json.member("id", id.description) }
      json.array("initializers") { json in
        for initializer in image.initializers { json.element(initializer) }
      }
      json.member("instrumented", image.guards != nil)
      json.member("path", image.path)
      json.member("schema", Self.schema)
      listing.writeSections(to: &json)
    }
  }

  /// The image for people.
  ///
  /// - Parameter width: the terminal's, in columns; `nil` shortens no name.
  package func text(width: Int? = nil, names: NameWording = mangled) -> String {
    let instrumentation =
      image.guards == nil ? "no" : "yes, \(counted(Int(clamping: guardCount), "guard"))"
    return """
      image \(printable(image.path))
        architecture: \(image.architecture)
        image ID:     \(image.id?.description ?? "none")
        instrumented: \(instrumentation)
        initializers: \(image.initializers.count)

      """ + LayoutListing(layout: image.layout).text(width: width, names: names)
  }
}
