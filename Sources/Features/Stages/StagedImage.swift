import ByteReading
import ImageModel
import JSON
import PagesFormat

/// An image that measured launches had in memory.
package struct StagedImage: Hashable, Sendable {
  /// The identity of the image, without architecture and ID if its file could not be read.
  package var image: ImageReference
  /// The mean time from the start of the process until the image was mapped.
  package var mappedNanoseconds: Double
  /// The mean time that the loader took to find, open and map the image, without the libraries that were mapped before
  /// it; `nil` for the program and the loader, which the kernel maps.
  package var loadNanoseconds: Double?

  package init(_ image: ImageReference, mappedNanoseconds: Double, loadNanoseconds: Double?) {
    self.image = image
    self.mappedNanoseconds = mappedNanoseconds
    self.loadNanoseconds = loadNanoseconds
  }
}

extension StagedImage: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, inlineMembers(\.image), nanosecondsMember("mappedNanoseconds", \.mappedNanoseconds),
    JSONMember("loadNanoseconds") { (object, key) throws(ParseError) in
      try object.optionalNanoseconds(key)
    } write: {
      $2.optional($1, $0.loadNanoseconds)
    })
}

/// Returns a member of a JSON object with a time in nanoseconds.
func nanosecondsMember<Object>(
  _ key: StaticString, _ time: @escaping @Sendable (Object) -> Double
) -> JSONMember<Object, Double> {
  JSONMember(key) { (object, key) throws(ParseError) in
    try object.nanoseconds(key)
  } write: {
    $2.member($1, time($0))
  }
}

extension JSONObject {
  /// Reads the time of the member `key`.
  ///
  /// - Throws: also `invalid` if the time is negative, or 10^18 or more, which is 31 years.
  package func nanoseconds(_ key: String) throws(ParseError) -> Double {
    let time: Double = try value(key)
    guard (0..<1e18).contains(time) else {
      throw invalid(key, expected: "0 to 1e+18 nanoseconds", found: "\(time)")
    }
    return time
  }

  /// Reads the time of the member `key`; `nil` if the member is missing or `null`.
  func optionalNanoseconds(_ key: String) throws(ParseError) -> Double? {
    guard let _: Double = try optional(key) else { return nil }
    return try nanoseconds(key)
  }
}
