// Which blocks of this build ran in another build?
//
// Functions are found by name, and a name may have many functions in both builds. Any two of them may be the same
// function: they are if they have the same blocks, hashes and sizes, where both builds state these (`BlockMap.drift`).
// Comparing each pair would take the square of their number. So the functions that ran are filed under keys, and each
// function of this build is looked up under the keys that fit it. A key has the IDs, the hash and the size; hash and
// size are as stated, or `any`:
//
//     a function that ran         this build's            finds it under
//     hash 7, 30 bytes            hash 7, 30 bytes        hash 7, 30 bytes
//     hash 7, split               hash 7, 30 bytes        hash 7, size unknown
//     hash 7, 30 bytes            no hash, 30 bytes       any hash, 30 bytes
//
// A function that ran is filed under four keys, and a function is looked up under at most four keys.

import ImageModel

/// The functions of a name that ran in another build, each with the blocks that ran. Functions of this build are looked
/// up among them.
struct MatchedBlocks {
  private var ran: [Key: Set<UInt32>] = [:]

  private struct Key: Hashable {
    var blocks: [BlockShape.Block]
    var hash: Fact
    var size: Fact
  }

  private enum Fact: Hashable {
    case any, unknown
    case known(UInt64)

    init(_ value: UInt64?) { self = value.map { .known($0) } ?? .unknown }

    /// The keys under which a function with this hash or size is filed.
    var filed: [Fact] { [self, .any] }
    /// The keys under which a function with this hash or size is looked up.
    var fitting: [Fact] { self == .unknown ? [.any] : [self, .unknown] }
  }

  /// Adds a function that ran.
  ///
  /// - Complexity: O(*n*) on average for *n* blocks of the function.
  mutating func add(_ shape: BlockShape, ids: Set<UInt32>) {
    for key in Self.keys(shape, \.filed) { ran[key, default: []].formUnion(ids) }
  }

  /// The IDs of the blocks that ran in functions that may be one of `shape`; `nil` if there is no such function.
  ///
  /// - Complexity: O(*n*) on average for *n* blocks of the function.
  func ids(of shape: BlockShape) -> Set<UInt32>? {
    let found = Self.keys(shape, \.fitting).compactMap { ran[$0] }
    return found.first.map { first in found.dropFirst().reduce(first) { $0.union($1) } }
  }

  private static func keys(_ shape: BlockShape, _ facts: (Fact) -> [Fact]) -> [Key] {
    facts(Fact(shape.hash)).flatMap { hash in
      facts(Fact(shape.size)).map { Key(blocks: shape.blocks, hash: hash, size: $0) }
    }
  }
}
