import ByteReading
import ImageModel
import JSON
import PagesFormat

/// The figures of the images in a `GenDocument`. Other commands read only these figures of the document.
package struct GenFigures: Hashable, Sendable {
  package var images: [Image]

  package struct Image: Hashable, Sendable {
    /// The file in which names were looked up, or the recorded image if there was none. The reference has no ID: the
    /// build that is linked with the order file has another ID.
    package var image: ImageReference
    package var entries: Int
    package var startupBytes: Int
    package var textBytes: Int
    package var recordedFunctions: Int
    package var resolvedFunctions: Int
    package var untracedInitializers: Int
  }

  package init(parsing bytes: FileBytes) throws(ParseError) {
    images = try JSONObject(document: bytes, schema: GenDocument.schema).value("images")
  }
}

extension GenFigures.Image: JSONReadableObject {
  package init(_ object: JSONObject) throws(ParseError) {
    let layout: String? = try object.optional("layoutPath")
    let recorded: String = try object.value("recordedImage")
    self.init(
      image: ImageReference(
        path: layout ?? recorded, architecture: try object.optional("architecture")),
      entries: try object.count("entries"),
      startupBytes: try object.count("startupBytes"), textBytes: try object.count("textBytes"),
      recordedFunctions: try object.count("recordedFunctions"),
      resolvedFunctions: try object.count("resolvedFunctions"),
      untracedInitializers: try object.count("untracedInitializers"))
  }
}
