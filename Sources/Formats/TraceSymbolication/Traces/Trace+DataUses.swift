import Addresses
import ImageModel

extension RecordedFunctions.DataUse {
  /// The first touches of data of one image, with names. If a granule was touched in several loads of the image, the
  /// first touch counts.
  ///
  /// - Complexity: O(*t* log *n*) for *t* touches and *n* variables, and their names once.
  static func all(_ touches: [DataTouch], in image: RecordedImage) -> [Self] {
    var known = KnownData(of: image)
    return DataTouch.first(of: touches).map { Self(touch: $0, data: known.data(in: $0.bytes)) }
  }
}

extension Trace {
  /// For each of `dataHits` the first name, bytewise, of each variable or constant in the granule.
  ///
  /// - Parameter recorded: the recorded image for each index of `images`.
  package func dataNames(in recorded: [RecordedImage]) -> [[SymbolName]] {
    precondition(recorded.count == images.count, "one for each image")
    var known = recorded.map { KnownData(of: $0) }
    return dataHits.map { hit in
      known[hit.image].data(in: hit.touch.bytes).compactMap(\.names.first)
    }
  }
}

/// Variables by their addresses, each looked up once: a large variable is touched often, and may have many names.
private struct KnownData {
  private let image: RecordedImage
  private var known: [StatedAddress: RecordedImage.Body?] = [:]

  init(of image: RecordedImage) { self.image = image }

  mutating func data(in bytes: AddressRange) -> [RecordedImage.Body] {
    image.dataStarts(overlapping: bytes).compactMap { start in
      if let body = known[start] { return body }
      let body = image.data(at: start)
      known[start] = .some(body)
      return body
    }
  }
}
