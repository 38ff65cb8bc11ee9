import Addresses
import ByteReading
import ImageModel
import OrderFileFormat
import Symbolication

/// The extent to which the data of an image follow the entries of an order file that name data or strings.
///
/// Variables and constants are compared as functions are (`OrderFileCheck`), section by section.
package struct DataOrderCheck: Sendable {
  /// The numbers of entries that name data, or of entries that name strings.
  package struct Counts: Hashable, Sendable {
    package var entries = 0
    /// The number of entries whose data or string the image has in a section that linkers order.
    package var present = 0
    /// The number of present entries that are in the requested order.
    package var inOrder = 0
  }
  package private(set) var data = Counts()
  package private(set) var strings = Counts()
  /// The first variable that would have to move; `nil` if all are in order.
  package let firstDeviation: OrderFileCheck.Deviation?

  /// - Parameters:
  ///   - check: the check of the functions that `order` lists, in the same image.
  ///   - data: the data of the image in `bytes`.
  ///   - architecture: as for `OrderFileCheck`.
  /// - Complexity: as `OrderFileCheck`, and O(*b*) for *b* bytes of strings.
  package init(
    _ order: OrderFile, _ check: OrderFileCheck, data layout: DataLayout, of bytes: FileBytes,
    architecture: Architecture?
  ) {
    let named = OrderFileCheck(
      order.keeping(check.dataIndexes), layout: layout.layout, architecture: architecture)
    data = Counts(
      entries: check.dataEntries, present: named.present, inOrder: named.inOrder)
    firstDeviation = named.firstDeviation
    strings = Self.strings(of: order, in: layout, bytes)
  }

  private static func strings(
    of order: OrderFile, in layout: DataLayout, _ bytes: FileBytes
  ) -> Counts {
    guard !order.strings.isEmpty else { return Counts() }
    var places: [UInt32: StatedAddress] = [:]
    for string in layout.strings {
      let hash = bytes.copy(string.contents).stringHash
      if places[hash] == nil { places[hash] = string.range.start }
    }
    var listed: Set<UInt32> = []
    let found = order.strings.filter { listed.insert($0.hash).inserted }
      .compactMap { places[$0.hash]?.rawValue }
    return Counts(
      entries: listed.count, present: found.count,
      inOrder: longestIncreasingSubsequence(of: found).count)
  }
}
