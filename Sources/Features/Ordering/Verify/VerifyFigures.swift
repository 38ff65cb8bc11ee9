import ByteReading
import ImageModel
import JSON
import PagesFormat

/// The figures of a `VerifyDocument`. Other commands read only these figures of the document.
package struct VerifyFigures: Hashable, Sendable {
  /// The image of the build, or the order file if several images were given.
  package var image: ImageReference
  package var entries: Int
  /// The number of entries that are stale, after the update if there is one.
  package var stale: Int
  /// Whether no entry of the order file names anything in the builds, neither a function nor a string literal.
  package var namesNothing: Bool
  /// What should be prefetched, and how much of it the image does not prefetch; `nil` if the order file lists no anchors.
  package var prefetch: Prefetch?

  /// The pages that a launch touched, or without a launch the functions that the order file lists between its anchors.
  package struct Prefetch: Hashable, Sendable {
    package var all: Int
    package var outside: Int
  }

  package init(_ document: VerifyDocument) {
    image = Self.image(of: document.images, orElse: document.path)
    entries = document.entries
    stale = document.staleAfterUpdate
    namesNothing = document.namesNothing
    prefetch = document.prefetch.map {
      Prefetch(
        all: $0.launch?.touched ?? $0.functions, outside: $0.launch?.outside ?? $0.outside)
    }
  }

  package init(parsing bytes: FileBytes) throws(ParseError) {
    let object = try JSONObject(document: bytes, schema: VerifyDocument.schema)
    let images: [Image] = try object.value("images")
    image = Self.image(of: images.map(\.reference), orElse: try object.value("path"))
    entries = try object.count("entries")
    let strings = try object.count("strings")
    if let update: JSONObject = try object.optional("update") {
      stale = try update.count("staleAfterUpdate")
    } else {
      stale = try object.count("stale")
    }
    namesNothing = entries == 0 && strings == 0
    if let region: JSONObject = try object.optional("prefetch") {
      if let launch: TouchedPagePrefetch = try region.optional("launch") {
        prefetch = Prefetch(all: launch.touched, outside: launch.outside)
      } else {
        prefetch = Prefetch(
          all: try region.count("functions"), outside: try region.count("outside"))
      }
    }
  }

  private static func image(of images: [ImageReference], orElse path: String) -> ImageReference {
    images.count == 1 ? images[0] : ImageReference(path: path)
  }

  private struct Image: JSONReadableObject {
    var reference: ImageReference

    init(_ object: JSONObject) throws(ParseError) {
      reference = ImageReference(
        path: try object.value("path"), architecture: try object.optional("architecture"),
        id: try object.optional("id"))
    }
  }
}
