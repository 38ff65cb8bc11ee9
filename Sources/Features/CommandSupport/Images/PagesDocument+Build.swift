import ImageModel
import PagesFormat
import Rendering

extension PagesDocument {
  /// Reads the document at `path`, and looks up the image of `release` in it.
  ///
  /// - Parameter option: the option that named the document, for messages.
  /// - Throws: an error if `release` is a link map, since a document knows an image by its ID; `mismatch` if the image
  ///   is not in the document.
  package static func counted(
    _ path: String, of release: ReleaseLayout, option: String
  ) throws(Diagnostic) -> (document: PagesDocument, image: Image) {
    guard let linked = release.image, let id = linked.id else {
      throw Diagnostic(
        "\(option) needs an image: a link map has no ID, by which the counted image is found",
        context: [release.path], hint: "give the linked image in place of the link map")
    }
    let bytes = try InputFile.bytes(path)
    let document: PagesDocument
    do { document = try PagesDocument(parsing: bytes) } catch {
      throw Diagnostic("\(error)", context: [path], hint: "see 'orderfile pages --help'")
    }
    guard let image = document.images.first(where: { $0.id == id.description }) else {
      throw missing(id, release, document, path)
    }
    let expected = ImageReference(
      path: release.path, architecture: linked.architecture, id: id.description)
    if let difference = image.image.difference(from: expected, ofOneBuild: true) {
      throw Diagnostic(
        "\(printable(image.path)) is of \(difference)", context: [path],
        hint: "measure this build with 'orderfile pages'", severity: .mismatch)
    }
    return (document, image)
  }

  private static func missing(
    _ id: ImageID, _ release: ReleaseLayout, _ document: PagesDocument, _ path: String
  ) -> Diagnostic {
    let name = fileName(ofPath: release.path)
    let namesake = document.images.first { fileName(ofPath: $0.path) == name }
    let found = namesake.map { $0.id ?? "none" } ?? "no image called '\(name)'"
    return Diagnostic(
      "image ID mismatch: expected \(id) of \(release.path), found \(found)", context: [path],
      hint: "measure this build with 'orderfile pages'", severity: .mismatch)
  }
}
