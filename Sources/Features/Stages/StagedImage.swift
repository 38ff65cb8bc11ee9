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
      try ImageReference(object),
      mappedNanoseconds: try object.nanoseconds("mappedNanoseconds"),
      loadNanoseconds: try object.optionalNanoseconds("loadNanoseconds"))
  }
}

extension JSONObject {
  /// The time at `key`.
  ///
  /// - Throws: also `invalid` if it is negative, or 10^18 or more, which is 31 years.
  package func nanoseconds(_ key: String) throws(ParseError) -> Double {
    let time: Double = try value(key)
    guard (0..<1e18).contains(time) else {
      throw invalid(key, expected: "0 to 1e+18 nanoseconds", found: "\(time)")
    }
    return time
  }

  /// The time at `key`; `nil` if it is missing or `null`.
  func optionalNanoseconds(_ key: String) throws(ParseError) -> Double? {
    guard let _: Double = try optional(key) else { return nil }
    return try nanoseconds(key)
  }
}
