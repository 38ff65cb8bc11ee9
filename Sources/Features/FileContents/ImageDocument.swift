import ImageModel
import JSON
import Rendering

/// An image, its sections and its functions.
package struct ImageDocument: Sendable {
  package var image: Image
  /// How much code of an instrumented image is recordable; `nil` for other images, and if this is unknown.
  package var recordable: RecordableCode?

  package init(_ image: Image) { self.image = image }

  /// The number of instrumented functions: each has one guard of 4 bytes.
  package var guardCount: UInt64 { (image.guards?.size ?? 0) / 4 }
}

extension ImageDocument: ShownDocument {
  package static let schema = "orderfile.image/1"

  /// Writes the document as JSON. The member `id` is missing for an image without an ID.
  package func write(to json: inout JSONWriter, demangle: NameWording?) {
    let listing = LayoutListing(image.layout)
    json.member("architecture", image.architecture.description)
    listing.writeFunctions(to: &json, demangle: demangle)
    json.member("guardCount", guardCount)
    if let id = image.id { json.member("id", id.description) }
    json.member("initializers", image.initializers)
    json.member("instrumented", image.guards != nil)
    json.member("path", image.path)
    json.optional("recordable", recordable)
    json.member("schema", Self.schema)
    listing.writeSections(to: &json)
  }
}
