import Addresses

/// The first touch of a few bytes of data in one launch, by reading or writing. It is measured.
///
/// A source that sees each load and store (`Trace.dataHits`) has granules of 8 bytes. A source that sees pages, such as
/// a document of `pages`, has the byte that was accessed or, if that byte is unknown, the page. A symbol counts as
/// touched from the first touch that overlaps it: all symbols in one granule count as touched, although maybe only one
/// of them was accessed.
package struct DataTouch: Hashable, Sendable {
  /// The position of the touch among all first uses of the launch, of data and of functions, from 0; gaps have no
  /// meaning.
  package var step: Int
  /// The granule in which at least one byte was accessed, in stated addresses.
  package var bytes: AddressRange
  /// The time since the process started, like `Hit.nanoseconds`; `nil` if the source does not state it.
  package var nanoseconds: UInt64?

  /// The largest granule that a trace can have, in bytes: the size of a cache line.
  package static let largestGranule: UInt64 = 64

  package init(step: Int, bytes: AddressRange, nanoseconds: UInt64? = nil) {
    self.step = step
    self.bytes = bytes
    self.nanoseconds = nanoseconds
  }
}

/// The first touch of data of an image in a trace.
package struct DataHit: Hashable, Sendable {
  /// The image that was touched, as an index into the trace's `images`.
  package var image: Int
  package var touch: DataTouch

  package init(image: Int, touch: DataTouch) {
    self.image = image
    self.touch = touch
  }
}

extension Trace {
  /// The first touches of data of an image, earliest first.
  ///
  /// - Parameter group: the indexes of that image in `images` (`imageGroups`). If it was loaded several times, the
  ///   first touch of each granule counts.
  /// - Complexity: O(*n*) for *n* first touches in the trace, on average.
  package func dataTouches(of group: [Int]) -> [DataTouch] {
    let members = Set(group)
    return DataTouch.first(of: dataHits.lazy.filter { members.contains($0.image) }.map(\.touch))
  }
}

extension DataTouch {
  /// Returns the first touch of each granule in `touches`.
  package static func first(of touches: some Sequence<DataTouch>) -> [DataTouch] {
    var isListed: Set<AddressRange> = []
    return touches.filter { isListed.insert($0.bytes).inserted }
  }
}
