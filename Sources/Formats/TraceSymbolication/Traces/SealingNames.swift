import Addresses
import ImageModel
import TraceFormat

extension Trace {
  /// The names that make this trace independent of the recorded images: all aliases of every function that a
  /// hit entered or ran, or that contains a block that ran, and of all data that was touched.
  ///
  /// - Parameter recorded: the recorded image for each index of `images`, or `nil`.
  package func namesForSealing(_ recorded: [RecordedImage?]) -> [TraceName] {
    precondition(recorded.count == images.count, "one for each image")
    struct Place: Hashable {
      var image: Int
      var start: StatedAddress
    }
    var names: [TraceName] = []
    var known: Set<Place> = []
    func add(_ body: RecordedImage.Body?, of image: Int) {
      guard let body else { return }
      names += body.names.map {
        TraceName(
          image: images[image].number, address: body.address, size: body.size, name: $0.bytes)
      }
    }
    func add(_ address: StatedAddress?, of image: Int) {
      guard let address, let start = recorded[image]?.bodyStart(holding: address),
        known.insert(Place(image: image, start: start)).inserted
      else { return }
      add(recorded[image]?.body(holding: address), of: image)
    }
    for hit in hits {
      add(hit.entry, of: hit.image)
      add(hit.calledFrom, of: hit.image)
    }
    for hit in blockHits { add(hit.block.start, of: hit.image) }
    for hit in dataHits {
      guard let image = recorded[hit.image] else { continue }
      for start in image.dataStarts(overlapping: hit.touch.bytes)
      where known.insert(Place(image: hit.image, start: start)).inserted {
        add(image.data(at: start), of: hit.image)
      }
    }
    return names
  }

  /// The number of hits before the program's `main`; `nil` if `main` was not hit.
  ///
  /// - Parameter counted: the indexes of the hits that count; if it is `nil`, all hits count.
  package func hitsBeforeMain(_ recorded: [RecordedImage?], counted: [Int]? = nil) -> Int? {
    precondition(recorded.count == images.count, "one for each image")
    var known: Set<StatedAddress> = []
    return (counted ?? Array(hits.indices)).firstIndex { index in
      let hit = hits[index]
      guard let address = hit.entry ?? hit.calledFrom, images[hit.image].path == program,
        let image = recorded[hit.image], let start = image.bodyStart(holding: address),
        known.insert(start).inserted
      else { return false }
      return image.body(holding: address)?.names.contains(where: \.isMain) ?? false
    }
  }
}

extension SymbolName {
  /// Whether this is the name of a program's entry function: C's `main`, or the `main` at the top of a Rust
  /// crate, `_ZN3app4main17h0123456789abcdefE` or `_RNvCs1234_3app4main`; Mach-O names have another
  /// underscore in front.
  fileprivate var isMain: Bool {
    Self.isMain(bytes[...]) || bytes.first == UInt8(ascii: "_") && Self.isMain(bytes.dropFirst())
  }

  private static func isMain(_ name: ArraySlice<UInt8>) -> Bool {
    var rest = name
    func skip(_ text: StaticString) -> Bool {
      let prefix = text.withUTF8Buffer { Array($0) }
      guard rest.starts(with: prefix) else { return false }
      rest = rest.dropFirst(prefix.count)
      return true
    }
    if skip("main") { return rest.isEmpty }
    let isLegacy = skip("_ZN")
    guard isLegacy || skip("_RNvC") else { return false }
    if !isLegacy, skip("s") {
      rest = rest.drop { $0 != UInt8(ascii: "_") }.dropFirst()  // the crate's disambiguator
    }
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard let size = Int(String(decoding: digits, as: UTF8.self)) else { return false }
    rest = rest.dropFirst(digits.count)
    // an underscore precedes an identifier that begins with a digit or an underscore
    if !isLegacy { _ = skip("_") }
    rest = rest.dropFirst(size)
    guard skip("4main") else { return false }
    return isLegacy ? skip("17h") && rest.count == 17 : rest.isEmpty
  }
}
