/// Bytes of a function that run together.
package struct FunctionPart: Hashable, Sendable {
  /// From the function's first byte, in bytes.
  package var offset: UInt64
  /// In bytes.
  package var size: UInt64

  package init(offset: UInt64, size: UInt64) {
    self.offset = offset
    self.size = size
  }

  /// How many of the first `limit` bytes are in at least one of `parts`.
  ///
  /// - Complexity: O(*n* log *n*) for *n* parts.
  package static func bytes(in parts: [FunctionPart], upTo limit: UInt64) -> UInt64 {
    var counted: UInt64 = 0
    var end: UInt64 = 0
    for part in parts.sorted(by: { $0.offset < $1.offset }) {
      let (sum, overflow) = part.offset.addingReportingOverflow(part.size)
      let partEnd = min(overflow ? .max : sum, limit)
      let start = max(part.offset, end)
      guard start < partEnd else { continue }
      counted += partEnd - start
      end = partEnd
    }
    return counted
  }
}
