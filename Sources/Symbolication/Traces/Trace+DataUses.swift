import Addresses
import ImageModel

extension RecordedFunctions.DataUse {
  /// The first touches of data of one image, with names. If a granule was touched in several loads of the image, the first
  /// counts.
  ///
  /// - Complexity: O(*t* log *n*) for *t* touches and *n* variables, and their names once.
  static func all(_ touches: [DataTouch], in image: RecordedImage) -> [Self] {
    var names = DataNames(of: image)
    return DataTouch.first(of: touches).map { Self(touch: $0, names: names.names(in: $0.bytes)) }
  }
}

extension Trace {
  /// The names of the data in each of `dataHits`, as in `RecordedFunctions.DataUse`.
  ///
  /// - Parameter recorded: the recorded image for each index of `images`.
  package func dataNames(in recorded: [RecordedImage]) -> [[SymbolName]] {
    precondition(recorded.count == images.count, "one for each image")
    var names = recorded.map { DataNames(of: $0) }
    return dataHits.map { names[$0.image].names(in: $0.touch.bytes) }
  }
}

/// The names of variables by their addresses, each looked up once: a large one is touched often, and may have many names.
private struct DataNames {
  private let image: RecordedImage
  private var known: [StatedAddress: SymbolName?] = [:]

  init(of image: RecordedImage) { self.image = image }

  mutating func names(in bytes: AddressRange) -> [SymbolName] {
    image.dataStarts(overlapping: bytes).compactMap { start in
      if let name = known[start] { return name }
      let name = image.data(at: start)?.names.first
      known[start] = .some(name)
      return name
    }
  }
}
