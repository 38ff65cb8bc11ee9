import Addresses
import ImageModel

/// The sizes of parts that are to be placed one after the other, as linkers place them.
struct OrderedSizes: Sendable {
  /// The maximum number of bytes of a part that count. No launch is expected to run all of a larger part.
  private static let mostBytes: UInt64 = 1 << 18

  /// The sizes of the parts in bytes, each at least 1, with the padding that aligns the next part.
  let sizes: [Int]
  /// The address of the first part within 64 KiB, which is all that matters for pages.
  let start: Int

  /// - Parameters:
  ///   - size: the bytes of a part.
  ///   - precedingBytes: the bytes between the beginning of the section and the first part.
  init(
    _ parts: [Part], in layout: Layout, size: (Part) -> UInt64, precedingBytes: UInt64 = 0
  ) {
    let section = parts.first.map { Int(layout.functions[$0.function].section) }
    let alignment = section.map(layout.alignment(inSection:)) ?? 1
    sizes = parts.map { part in
      Int(max(1, min(size(part), Self.mostBytes)).aligned(to: alignment))
    }
    let address = section.map { layout.sections[$0].range.start.rawValue } ?? 0
    start = Int((address % (1 << 16) + precedingBytes % (1 << 16)) % (1 << 16))
  }
}
