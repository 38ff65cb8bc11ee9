import ByteReading
import ImageModel
import JSON

/// The figures of a `CheckDocument`. A later check reads nothing else of it.
package struct CheckFigures: Hashable, Sendable {
  package var images: [CheckedImage]

  package init(parsing bytes: FileBytes) throws(ParseError) {
    images = try JSONObject(document: bytes, schema: CheckDocument.schema).value("images")
  }
}

extension [CheckedImage] {
  /// Adds a document of a base, which an earlier check or another command wrote.
  ///
  /// - Throws: an error whose context is `path`.
  package mutating func addBase(_ bytes: FileBytes, path: String) throws(Diagnostic) {
    let schema: String?
    do {
      var cursor = JSONCursor(bytes)
      schema = try JSONObject(parsing: &cursor, "document").optional("schema")
    } catch { throw Diagnostic("\(error)", context: [path]) }
    guard schema == CheckDocument.schema else {
      let document = try CommittedDocument(parsing: bytes, path: path)
      if case .measure = document.content {
        throw Diagnostic(
          "times of another job can't be compared with this build", context: [path],
          hint:
            "launch both builds in one 'orderfile measure', and give the document without --base")
      }
      return try add(document, path: path)
    }
    let images: [CheckedImage]
    do { images = try CheckFigures(parsing: bytes).images } catch {
      throw Diagnostic("\(error)", context: [path])
    }
    guard count + images.count <= CheckedImage.mostImages else {
      throw Diagnostic(
        "too many images: expected at most \(CheckedImage.mostImages)", context: [path])
    }
    for image in images {
      if contains(where: { $0.name == image.name }) {
        throw Diagnostic(
          "duplicate image: another document of the base has \(image.name)", context: [path])
      }
      append(image)
    }
  }
}
