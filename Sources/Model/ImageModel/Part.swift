/// A function, or some of its basic blocks, that is placed as a unit.
///
/// An order is a list of parts. If no function is split, each part is a whole function.
package struct Part: Hashable, Sendable {
  /// The function, as an index into the layout's `functions`; any alias at an address represents all aliases there.
  package var function: Int
  /// The basic blocks of the part, ascending; `nil` for the whole function.
  package var blocks: [FunctionBlock]?

  /// The whole function.
  package init(_ function: Int) { self.function = function }

  /// - Parameter blocks: the basic blocks of the part, in any order.
  package init(_ function: Int, blocks: [FunctionBlock]) {
    self.function = function
    self.blocks = blocks.sorted()
  }

  package var isWhole: Bool { blocks == nil }

  /// Whether the part contains the function's first byte.
  package var hasEntry: Bool { blocks?.contains { $0.offset == 0 } ?? true }
}

extension Part: Comparable {
  /// Orders parts by function; the whole function comes before its blocks, and blocks ascend by offset.
  package static func < (a: Self, b: Self) -> Bool {
    guard a.function == b.function else { return a.function < b.function }
    guard let blocks = b.blocks else { return false }
    return a.blocks?.lexicographicallyPrecedes(blocks) ?? true
  }
}

extension Layout {
  /// The indexes of all aliases of the function at index `function`.
  ///
  /// - Complexity: O(log *n* + *k*) for *k* aliases among *n* functions.
  package func aliases(of function: Int) -> Range<Int> {
    functions(at: functions[function].address)
  }

  /// Returns `part` with the first alias of its function: a unique value for a piece of code.
  package func canonical(_ part: Part) -> Part {
    var canonical = part
    canonical.function = aliases(of: part.function).lowerBound
    return canonical
  }

  /// Returns `part` once for each alias of its function, in the layout's order.
  package func allAliases(of part: Part) -> [Part] {
    aliases(of: part.function).map { function in
      var alias = part
      alias.function = function
      return alias
    }
  }

  /// The known size of a part in bytes.
  package func byteCount(of part: Part) -> UInt64 {
    // Aliases ascend by size: the last one covers the whole body.
    let size = functions[aliases(of: part.function).upperBound - 1].knownBytes
    return part.blocks.map { FunctionBlock.bytes(in: $0, upTo: size) } ?? size
  }

  /// The total size of `parts` in bytes; aliases count once.
  package func byteCount(of parts: [Part]) -> UInt64 {
    Set(parts.map(canonical)).sorted().map(byteCount(of:)).saturatingSum()
  }
}
