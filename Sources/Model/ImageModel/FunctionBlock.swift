/// A basic block, relative to its function.
package struct FunctionBlock: Hashable, Sendable {
  /// The distance of the block from the function's first byte, in bytes.
  package var offset: UInt64
  /// The size of the block in bytes.
  package var size: UInt64

  package init(offset: UInt64, size: UInt64) {
    self.offset = offset
    self.size = size
  }

  /// The number of bytes among the first `limit` that are in at least one of `blocks`.
  ///
  /// - Complexity: O(*n* log *n*) for *n* blocks.
  package static func bytes(in blocks: [FunctionBlock], upTo limit: UInt64) -> UInt64 {
    var counted: UInt64 = 0
    var end: UInt64 = 0
    for block in blocks.sorted() {
      let (sum, overflow) = block.offset.addingReportingOverflow(block.size)
      let blockEnd = min(overflow ? .max : sum, limit)
      let start = max(block.offset, end)
      guard start < blockEnd else { continue }
      counted += blockEnd - start
      end = blockEnd
    }
    return counted
  }
}

extension FunctionBlock: Comparable {
  package static func < (a: Self, b: Self) -> Bool { (a.offset, a.size) < (b.offset, b.size) }
}
