// How many functions have guards?
//
// With `-fsanitize-coverage=func` each instrumented function has one guard. With `edge` (the default) or `bb`, each edge or
// basic block has a guard, and all guards are recorded. The guards then show no functions. The addresses from which
// instrumented code calls the callback show the functions.

import Addresses
import ByteReading
import ImageModel
import Symbolication

/// The functions of an image in which the compiler gave guards to basic blocks.
package struct GuardedFunctions: Sendable {
  package let count: Int

  /// - Parameters:
  ///   - image: the recorded image.
  ///   - bytes: the image's file.
  /// - Returns: `nil` if each function has one guard, or if the image does not show the guards' functions.
  /// - Complexity: O(*n* log *n*) for *n* guards; O(*b*) for *b* bytes of code if an image has no table of guards.
  package init?(of image: Image, in bytes: FileBytes) {
    guard let guards = image.guards?.size, guards > 4 else { return nil }
    var places = image.callbackPlaces ?? []
    if UInt64(places.count) < guards / 4 { places = image.callbackSites(in: bytes) }
    var starts: Set<StatedAddress> = []
    var isShared = false
    for place in Set(places) {
      guard let function = image.layout.functions(containing: place).last else { continue }
      if !starts.insert(image.layout.functions[function].address).inserted { isShared = true }
    }
    guard isShared else { return nil }
    count = starts.count
  }
}

extension Trace {
  /// Returns the indexes of the hits that are the first hits of their functions. All hits are first hits, except in
  /// images whose basic blocks have guards of their own.
  ///
  /// - Parameters:
  ///   - blockImages: the indexes of these images.
  ///   - recorded: the recorded image for each index of `images`, or `nil`.
  /// - Complexity: O(*h* log *n*) for *h* hits and *n* functions.
  package func functionHits(
    blockImages: Set<Int>, _ recorded: [RecordedImage?]
  ) -> [Int] {
    guard !blockImages.isEmpty else { return Array(hits.indices) }
    struct Place: Hashable {
      var image: Int
      var start: StatedAddress
    }
    var known: Set<Place> = []
    return hits.indices.filter { index in
      let hit = hits[index]
      guard blockImages.contains(hit.image), let address = hit.entry ?? hit.calledFrom,
        let start = recorded[hit.image]?.bodyStart(holding: address)
      else { return true }
      return known.insert(Place(image: hit.image, start: start)).inserted
    }
  }
}
