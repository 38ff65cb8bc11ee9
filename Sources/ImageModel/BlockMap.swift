import Addresses

/// The basic blocks of an image, as far as it was compiled with a map of them: code that runs from its first
/// byte to its last if it runs at all.
package struct BlockMap: Sendable {
  /// Ascending, not empty, and without overlap.
  package let blocks: [AddressRange]

  /// - Parameter blocks: in any order. Empty ones are dropped. Of two that overlap, the one that begins first
  ///   is kept; of two that begin at the same address, the longer.
  /// - Complexity: O(*n* log *n*).
  package init(_ blocks: [AddressRange]) {
    var disjoint: [AddressRange] = []
    disjoint.reserveCapacity(blocks.count)
    for block in blocks.sorted(by: { ($0.start, $1.size) < ($1.start, $0.size) })
    where block.size > 0 && disjoint.last?.end ?? block.start <= block.start {
      disjoint.append(block)
    }
    self.blocks = disjoint
  }

  /// Whether `block` is in the map, with the same size.
  ///
  /// - Complexity: O(log *n*).
  package func contains(_ block: AddressRange) -> Bool {
    self.block(at: block.start) == block
  }

  /// The block that begins at `address`.
  ///
  /// - Complexity: O(log *n*).
  package func block(at address: StatedAddress) -> AddressRange? {
    let index = blocks.partitioningIndex { $0.start >= address }
    return index < blocks.count && blocks[index].start == address ? blocks[index] : nil
  }
}
