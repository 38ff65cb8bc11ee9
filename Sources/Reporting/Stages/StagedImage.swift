import ByteReading
import ImageModel
import JSON
import PagesFormat

/// An image that measured launches had in memory.
package struct StagedImage: Hashable, Sendable {
  /// Without architecture and ID if its file could not be read.
  package var image: ImageReference
  /// The mean time from the beginning of the process until it was mapped.
  package var mappedNanoseconds: Double
  /// The mean time that the loader took to find, open and map it, without the libraries before it; `nil` for what the
  /// kernel maps, which are the program and the loader.
  package var loadNanoseconds: Double?

  package init(_ image: ImageReference, mappedNanoseconds: Double, loadNanoseconds: Double?) {
    self.image = image
    self.mappedNanoseconds = mappedNanoseconds
    self.loadNanoseconds = loadNanoseconds
  }
}

extension StagedImage: JSONReadableObject {
  func write(to json: inout JSONWriter) {
    if let architecture = image.architecture { json.member("architecture", architecture) }
    if let id = image.id { json.member("id", id) }
    if let loadNanoseconds { json.member("loadNanoseconds", loadNanoseconds) }
    json.member("mappedNanoseconds", mappedNanoseconds)
    json.member("path", image.path)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      try ImageReference(object), mappedNanoseconds: try object.value("mappedNanoseconds"),
      loadNanoseconds: try object.optional("loadNanoseconds"))
    for time in [mappedNanoseconds, loadNanoseconds ?? 0] where !(0..<1e18).contains(time) {
      throw object.invalid("mappedNanoseconds", expected: "0 or more", found: "\(time)")
    }
  }
}
