import Addresses
import ImageModel

/// The sizes of parts that are to be placed one after the other, as linkers place them.
struct OrderedSizes: Sendable {
  /// The bytes of a function that count at most. No launch is expected to run all of a larger one.
  private static let mostBytes: UInt64 = 1 << 18
  /// Where functions begin, as compilers for the usual architectures have it.
  private static let alignment: UInt64 = 16

  /// In bytes, at least 1, with what aligns the next part.
  let sizes: [Int]
  /// The address of the first part, as far as it matters for pages.
  let start: Int

  /// - Parameter size: the bytes of a part that launches run.
  init(_ parts: [Part], in layout: Layout, size: (Part) -> UInt64) {
    sizes = parts.map { part in
      let bytes = max(1, min(size(part), Self.mostBytes))
      return Int((bytes + Self.alignment - 1) / Self.alignment * Self.alignment)
    }
    let section = parts.first.map { layout.sections[Int(layout.functions[$0.function].section)] }
    start = Int((section?.range.start.rawValue ?? 0) % (1 << 16))
  }
}
