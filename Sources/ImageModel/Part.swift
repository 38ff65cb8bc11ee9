/// A function, or some of its basic blocks: what a linker places as one, and what a launch uses.
///
/// An order is a list of parts. As long as no function is split, each part is a whole function.
package struct Part: Hashable, Sendable {
  /// Index into the layout's `functions`; any of the aliases at an address stands for all.
  package var function: Int
  /// Ascending; `nil` is the whole function.
  package var blocks: [FunctionBlock]?

  /// The whole function.
  package init(_ function: Int) { self.function = function }

  /// - Parameter blocks: in any order.
  package init(_ function: Int, blocks: [FunctionBlock]) {
    self.function = function
    self.blocks = blocks.sorted()
  }

  package var isWhole: Bool { blocks == nil }
}

extension Part: Comparable {
  /// By function; the whole one before its blocks, and these by their places.
  package static func < (a: Self, b: Self) -> Bool {
    guard a.function == b.function else { return a.function < b.function }
    guard let blocks = b.blocks else { return false }
    return a.blocks?.lexicographicallyPrecedes(blocks) ?? true
  }
}

extension Layout {
  /// All names of the body of the function at that index.
  ///
  /// - Complexity: O(log *n* + *k*) for *k* aliases among *n* functions.
  package func aliases(of function: Int) -> Range<Int> {
    functions(at: functions[function].address)
  }

  /// The same part of the first of its function's aliases: one value for one piece of code.
  package func canonical(_ part: Part) -> Part {
    var canonical = part
    canonical.function = aliases(of: part.function).lowerBound
    return canonical
  }

  /// The same part of each of its function's aliases, in the layout's order.
  package func allAliases(of part: Part) -> [Part] {
    aliases(of: part.function).map { function in
      var alias = part
      alias.function = function
      return alias
    }
  }

  /// The bytes of a part, as far as they are known.
  package func byteCount(of part: Part) -> UInt64 {
    // Aliases ascend by size: the last one knows the whole body.
    let size = functions[aliases(of: part.function).upperBound - 1].knownBytes
    return part.blocks.map { FunctionBlock.bytes(in: $0, upTo: size) } ?? size
  }

  /// The bytes of `parts` together; aliases count once.
  package func byteCount(of parts: [Part]) -> UInt64 {
    Set(parts.map(canonical)).sorted().map(byteCount(of:)).saturatingSum()
  }
}
