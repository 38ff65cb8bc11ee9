// Matching blocks
// ===============
//
// The idea. A recording shows which blocks of a function ran. Then the function is edited, and the compiler gives its
// blocks other numbers. Most blocks are still there, with the same code. They are found by their content, and by their
// neighbors in the graph of control flow. So the recording remains useful for the edited function.
//
// An example. The second build checks the length first. The blocks `read`, `log` and `close` are found by their code,
// `test` by its neighbors: the blocks before and after it are found. `check` and `fail` are new.
//
//     recorded     open -> test -> read -> close
//                          test -> log  -> close
//     this build   open -> check -> test' -> read -> close
//                                   test' -> log  -> close
//                          check -> fail
//
// The objective is to match many blocks, and no block wrongly. Blocks are matched in rounds, by weaker and weaker keys:
//
// 1. the code, and the code of all neighbors;
// 2. the names of the called functions, and the names of the functions that all neighbors call;
// 3. the kinds of the instructions, and the kinds of the instructions of all neighbors;
// 4. the names of the called functions;
// 5. the code;
// 6. the kinds of the instructions.
//
// Neighbors come before the code alone: a function has several short blocks that differ only in registers, and another
// choice of registers makes one of them equal to another one.
//
// In a round, two blocks match if they are the only unmatched blocks with their key. Then matches spread: if two blocks
// match, so do their successors, predecessors and neighbors in the code that are alone among these with their key. The
// neighbors in the order of the compiler's numbers count, too, because this order is nearer to the source. If as many
// blocks of both functions are left with a key of code or of kinds after round 6, they match in the order of the numbers,
// and these matches spread. After the last round, a block between matched blocks matches the block at the same place,
// whatever its code: an edited block.
//
// The entries always match. A landing pad matches only a landing pad.
//
// Stale profile matching (A. Ayupov, M. Panchenko, S. Pupyrev, CC 2024) introduced hashes of blocks of several degrees
// of strictness, for BOLT (StaleProfileMatching.cpp). BOLT takes the block with the nearest hash, block by block, and
// later versions also the names of called functions. LLVM's Propeller writes such hashes into the map of blocks
// (MachineBlockHashInfo.cpp, clang 22).
//
// What the matching leaves out. It has no counts: only whether a block ran matters here. It does not search for blocks
// that moved to another function, by inlining or by hand.

/// The blocks of a function in two builds.
package struct BlockMatching: Sendable {
  /// For each block of this build, the same block of the recorded build; `nil` for a block that is not found.
  package private(set) var recordedBlocks: [Int?]
  let recorded: Side
  let new: Side
  private var newBlocks: [Int?]
  /// The matched pairs, in the order in which they were found.
  private var pairs: [(recorded: Int, new: Int)] = []

  /// - Parameters:
  ///   - recorded, new: the blocks of the function in the order of the code, the entry first. Numbers in `successors`
  ///     that are not the index of a block are ignored.
  /// - Complexity: O(*n* log *n*) on average for *n* blocks and successors of both builds.
  package init(_ recorded: [BlockContent], _ new: [BlockContent]) {
    self.recorded = Side(recorded)
    self.new = Side(new)
    newBlocks = [Int?](repeating: nil, count: recorded.count)
    recordedBlocks = [Int?](repeating: nil, count: new.count)
    if !recorded.isEmpty, !new.isEmpty { match(0, 0) }
    for (key, areUnique) in Key.rounds {
      let keys = (self.recorded.keys(key), self.new.keys(key))
      matchEqual(keys, areUnique: areUnique)
      spread(keys)
    }
    spread(nil)
  }

  /// The number of blocks of this build that are found in the recorded build.
  package var matchedCount: Int { pairs.count }

  private mutating func match(_ a: Int, _ b: Int) {
    newBlocks[a] = b
    recordedBlocks[b] = a
    pairs.append((a, b))
  }

  /// Matches the unmatched blocks with a key: if only one block of each build has the key or, unless `areUnique`, if as
  /// many blocks of both builds have it.
  private mutating func matchEqual(_ keys: (recorded: [UInt64?], new: [UInt64?]), areUnique: Bool) {
    var byKey: [UInt64: [Int]] = [:]
    for block in new.byNumber where recordedBlocks[block] == nil {
      if let key = keys.new[block] { byKey[key, default: []].append(block) }
    }
    var recordedByKey: [UInt64: [Int]] = [:]
    var order: [UInt64] = []
    for block in recorded.byNumber where newBlocks[block] == nil {
      guard let key = keys.recorded[block] else { continue }
      if recordedByKey[key] == nil { order.append(key) }
      recordedByKey[key, default: []].append(block)
    }
    for key in order {
      guard let these = recordedByKey[key], let those = byKey[key], these.count == those.count,
        !areUnique || these.count == 1
      else { continue }
      for (a, b) in zip(these, those) { match(a, b) }
    }
  }

  /// Matches neighbors of matched blocks: neighbors with the same key or, without keys, neighbors at the same place.
  private mutating func spread(_ keys: (recorded: [UInt64?], new: [UInt64?])?) {
    var place = 0
    while place < pairs.count {
      let (a, b) = pairs[place]
      place += 1
      for relation in Relation.allCases {
        let these = recorded.neighbors(of: a, relation).filter { newBlocks[$0] == nil }
        guard !these.isEmpty else { continue }
        let those = new.neighbors(of: b, relation).filter { recordedBlocks[$0] == nil }
        guard !those.isEmpty else { continue }
        if let keys {
          let alone = Self.alone(those, keys.new)
          let aloneRecorded = Self.alone(these, keys.recorded)
          for block in these {
            guard let key = keys.recorded[block], aloneRecorded[key] == .some(block),
              let other = alone[key] ?? nil
            else { continue }
            match(block, other)
          }
        } else if these.count == 1, those.count == 1, areAtSamePlace(these[0], those[0]) {
          match(these[0], those[0])
        }
      }
    }
  }

  /// Returns for each key the only block with this key; `nil` for a key of several blocks.
  private static func alone(_ blocks: [Int], _ keys: [UInt64?]) -> [UInt64: Int?] {
    var alone: [UInt64: Int?] = [:]
    for block in blocks {
      guard let key = keys[block] else { continue }
      alone[key] = .some(alone[key] == nil ? block : nil)
    }
    return alone
  }

  /// The most neighbors of a block that are compared with the neighbors of another block.
  private static let mostNeighbors = 16

  /// Whether a predecessor of one block matches a predecessor of the other block, and a successor a successor.
  private func areAtSamePlace(_ a: Int, _ b: Int) -> Bool {
    guard recorded.blocks[a].isLandingPad == new.blocks[b].isLandingPad else { return false }
    func match(_ relation: Relation) -> Bool {
      let those = new.neighbors(of: b, relation).prefix(Self.mostNeighbors)
      return recorded.neighbors(of: a, relation).prefix(Self.mostNeighbors).contains {
        newBlocks[$0].map(those.contains) ?? false
      }
    }
    return match(.before) && match(.after)
  }
}

/// What must be equal for two blocks to match, the strictest key first.
private enum Key {
  case codeAndNeighbors, callsAndNeighbors, opcodesAndNeighbors, calls, code, opcodes

  /// The keys of all rounds, and whether only blocks match that are alone with their key.
  static let rounds: [(key: Key, areUnique: Bool)] =
    [
      (.codeAndNeighbors, true), (.callsAndNeighbors, true), (.opcodesAndNeighbors, true),
      (.calls, true), (.code, true), (.opcodes, true),
      (.codeAndNeighbors, false), (.code, false), (.opcodesAndNeighbors, false), (.opcodes, false),
    ]
}

enum Relation: CaseIterable {
  /// Successors and predecessors.
  case after, before
  /// The neighbors in the order of the compiler's numbers, which is nearer to the source than the order of the code.
  case nextNumber, previousNumber
  /// The neighbors in the order of the code.
  case next, previous
}

/// The blocks of one build.
struct Side: Sendable {
  let blocks: [BlockContent]
  private var successors: [[Int]]
  private var predecessors: [[Int]]
  /// The blocks in the order of the compiler's numbers, and the place of each block in this order.
  let byNumber: [Int]
  private var places: [Int]

  init(_ blocks: [BlockContent]) {
    self.blocks = blocks
    successors = blocks.map { block in
      var seen: Set<Int> = []
      return block.successors.filter { blocks.indices.contains($0) && seen.insert($0).inserted }
    }
    byNumber = blocks.indices.sorted { (blocks[$0].id, $0) < (blocks[$1].id, $1) }
    places = [Int](repeating: 0, count: blocks.count)
    for (place, block) in byNumber.enumerated() { places[block] = place }
    predecessors = [[Int]](repeating: [], count: blocks.count)
    for (block, next) in successors.enumerated() {
      for successor in next { predecessors[successor].append(block) }
    }
  }

  func neighbors(of block: Int, _ relation: Relation) -> [Int] {
    switch relation {
    case .after: successors[block]
    case .before: predecessors[block]
    case .next: block + 1 < blocks.count ? [block + 1] : []
    case .previous: block > 0 ? [block - 1] : []
    case .nextNumber: Array(byNumber.dropFirst(places[block] + 1).prefix(1))
    case .previousNumber: places[block] > 0 ? [byNumber[places[block] - 1]] : []
    }
  }

  /// The keys of all blocks; `nil` for a block without a key of this kind.
  fileprivate func keys(_ key: Key) -> [UInt64?] {
    switch key {
    case .code: ownKeys(\.code)
    case .opcodes: ownKeys(\.opcodes)
    case .calls: ownKeys(\.calls)
    case .codeAndNeighbors: addingNeighbors(ownKeys(\.code))
    case .callsAndNeighbors: addingNeighbors(ownKeys(\.calls))
    case .opcodesAndNeighbors: addingNeighbors(ownKeys(\.opcodes))
    }
  }

  private func ownKeys(_ hash: KeyPath<BlockContent, UInt64?>) -> [UInt64?] {
    blocks.map { block in
      block[keyPath: hash].map { block.isLandingPad ? ~$0 : $0 }
    }
  }

  private func addingNeighbors(_ keys: [UInt64?]) -> [UInt64?] {
    keys.indices.map { block in
      guard let own = keys[block] else { return nil }
      var hash = ContentHash()
      hash.combine(own)
      for relation in [Relation.after, .before] {
        let others = neighbors(of: block, relation).map { keys[$0] ?? 0 }.sorted()
        hash.combine(UInt64(others.count))
        for other in others { hash.combine(other) }
      }
      return hash.value
    }
  }
}
