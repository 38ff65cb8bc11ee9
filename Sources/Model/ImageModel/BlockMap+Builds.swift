// The same block in two builds
//
// A block of one build is the same as a block of another build if their functions are the same and the blocks have the
// same ID. Compilers give IDs in the order in which they create blocks, so code that was compiled from another source,
// with other options or by another compiler may have other blocks under the same IDs. The maps show this where the
// functions have different numbers of blocks, other IDs, other landing pads or, if the compiler wrote them, other
// hashes. A change that leaves all of these as they are remains unseen.

/// How the blocks of a function differ between two builds.
package enum BlockDifference: Hashable, Sendable, CustomStringConvertible {
  case count(Int, Int)
  case ids
  case landingPads
  /// The code of the two blocks is equal, according to hashes.
  case code
  /// The size of the function in each build, in bytes, if the function is split in neither build.
  case size(UInt64, UInt64)

  /// The difference as one phrase in lower case, without a full stop.
  package var description: String {
    switch self {
    case .count(let a, let b): "\(a) and \(b) basic blocks"
    case .ids: "other block IDs"
    case .landingPads: "other landing pads"
    case .code: "other code hashes"
    case .size(let a, let b): "\(a) and \(b) bytes"
    }
  }
}

/// The properties of a function that stay the same from build to build, wherever its blocks lie.
package struct BlockShape: Hashable, Sendable {
  package struct Block: Hashable, Sendable {
    package var id: UInt32
    package var isLandingPad: Bool
  }

  /// The blocks, ascending by ID.
  package var blocks: [Block]
  /// The hash of the code; `nil` if the compiler wrote no hash.
  package var hash: UInt64?
  /// The size of all blocks, in bytes; `nil` if the function is split.
  package var size: UInt64?
}

extension BlockMap {
  /// Returns how the blocks of `function` differ from the blocks of `other`, a function of `map`; `nil` if they do not
  /// differ.
  ///
  /// - Complexity: O(*n* log *n*) for *n* blocks of the function.
  package func difference(
    of function: Function, from other: Function, in map: BlockMap
  ) -> BlockDifference? {
    let (own, others) = (blocks(of: function), map.blocks(of: other))
    guard own.count == others.count else { return .count(own.count, others.count) }
    let (a, b) = (Self.sorted(own), Self.sorted(others))
    for (a, b) in zip(a, b) {
      if a.id != b.id { return .ids }
      if a.isLandingPad != b.isLandingPad { return .landingPads }
    }
    if let hash = function.hash, let otherHash = other.hash, hash != otherHash { return .code }
    return nil
  }

  /// Like `difference(of:from:in:)`, but also compares the sizes of functions that are in one piece in both builds:
  /// splitting changes sizes, ordering does not.
  package func drift(
    of function: Function, from other: Function, in map: BlockMap
  ) -> BlockDifference? {
    if let difference = difference(of: function, from: other, in: map) { return difference }
    guard !function.isSplit, !other.isSplit else { return nil }
    let (size, otherSize) = (byteCount(of: function), map.byteCount(of: other))
    return size == otherSize ? nil : .size(size, otherSize)
  }

  /// Returns the shape by which `function` is found in another build. Two functions have equal shapes, apart from
  /// properties that one of them does not state, if and only if neither has drifted from the other.
  ///
  /// - Complexity: O(*n* log *n*) for *n* blocks of the function.
  package func shape(of function: Function) -> BlockShape {
    BlockShape(
      blocks: Self.sorted(blocks(of: function)).map {
        BlockShape.Block(id: $0.id, isLandingPad: $0.isLandingPad)
      },
      hash: function.hash, size: function.isSplit ? nil : byteCount(of: function))
  }

  /// The blocks of `function` by ID; of two blocks with the same ID, the first.
  package func blocksByID(of function: Function) -> [UInt32: Block] {
    Dictionary(blocks(of: function).map { ($0.id, $0) }) { first, _ in first }
  }

  /// The size of all blocks, in bytes.
  package func byteCount(of function: Function) -> UInt64 {
    blocks(of: function).reduce(0) { $0 + UInt64($1.size) }
  }

  private static func sorted(_ blocks: ArraySlice<Block>) -> [Block] {
    blocks.sorted { ($0.id, $0.start) < ($1.id, $1.start) }
  }
}
