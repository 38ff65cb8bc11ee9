// Which blocks of an edited function may run?
//
// The objective is to miss no block that runs: a block that runs in a cold part costs a page, and a block that does not
// run costs only its bytes.
//
// 1. A block runs if the same block of the recorded build ran.
// 2. A block also runs if a block with the same kinds of instructions and the same calls ran, and no block of this build
//    matches that block. Compilers make copies of code, one for each way to reach it, and merge copies again. If only
//    one of two copies ran, and the edited function has one copy, it may match the other copy.
// 3. A block that is not matched may run if control can reach it from a block that runs, through blocks that are not
//    matched.
// 4. Control reached each recorded block from the entry, and went on to an end of the function. If the blocks found so
//    far do not connect a block with the entry and with an end, the cheapest paths that do may run, too. On a path, a
//    block that runs costs nothing, a block that is not matched costs 1, and a block that did not run costs 2.
//
// An example of step 4. In the recorded build, `open`, `read` and `close` ran. `skip` is matched, and did not run:
//
//     recorded     open -> read -> close          this build   open -> skip -> read -> close
//                  open -> skip -> close                       open -> fail -> exit
//
// Now the path from `open` to `read` leads through `skip`, so `skip` may run.
//
// Profile inference (Profi: W. He, J. Mestre, S. Pupyrev, L. Wang, H. Yu, POPL 2022) finds counts of blocks that keep
// the flow, by a minimum-cost flow. Here a block runs or does not run, so shortest paths are enough.

/// The blocks of an edited function that may run.
package struct RunningBlocks: Sendable {
  /// For each block of this build, whether it may run.
  package private(set) var mayRun: [Bool]
  /// For each block of this build, whether it runs if the launch is still the recorded launch: blocks that ran, and
  /// blocks that control must reach from them.
  package private(set) var isSure: [Bool]

  /// - Parameters:
  ///   - matching: the blocks of the function in both builds.
  ///   - ran: which blocks of the recorded build ran.
  /// - Complexity: O(*n*) on average for *n* blocks and successors.
  package init(_ matching: BlockMatching, ran: [Bool]) {
    isSure = matching.recordedBlocks.map { $0.map { ran[$0] } ?? false }
    mayRun = isSure
    guard ran.contains(true) else { return }
    for block in matching.copies(of: ran) { isSure[block] = true }
    mayRun = isSure
    matching.spread(&mayRun)
    for direction in [Relation.after, .before] {
      let connected = matching.recorded.connected(by: direction, through: ran)
      let needed = matching.recordedBlocks.indices.filter { block in
        matching.recordedBlocks[block].map { ran[$0] && connected[$0] } ?? false
      }
      for block in matching.paths(to: needed, direction, mayRun) { mayRun[block] = true }
    }
    matching.spread(&mayRun)
    addForced(matching.new)
  }

  /// Adds blocks to the sure blocks: the only block that may run before or after a sure block.
  private mutating func addForced(_ side: Side) {
    var pending = isSure.indices.filter { isSure[$0] }
    while let block = pending.popLast() {
      let content = side.blocks[block]
      for direction in [Relation.after, .before] {
        let isOpen =
          direction == .after
          ? content.returns || content.jumpsIndirectly : block == 0 || content.isLandingPad
        let others = side.neighbors(of: block, direction).filter { $0 != block && mayRun[$0] }
        guard !isOpen, others.count == 1, !isSure[others[0]] else { continue }
        isSure[others[0]] = true
        pending.append(others[0])
      }
    }
  }
}

extension BlockMatching {
  /// Returns blocks that are copies of a recorded block that ran and that no block matches.
  fileprivate func copies(of ran: [Bool]) -> [Int] {
    let matched = Set(recordedBlocks.compactMap { $0 })
    let lost = Set(
      ran.indices.filter { ran[$0] && !matched.contains($0) }
        .compactMap { CopyKey(recorded.blocks[$0]) })
    guard !lost.isEmpty else { return [] }
    return new.blocks.indices.filter { block in
      CopyKey(new.blocks[block]).map(lost.contains) ?? false
    }
  }

  /// Adds the blocks that are not matched and that control can reach from `runs` through such blocks.
  fileprivate func spread(_ runs: inout [Bool]) {
    var pending = runs.indices.filter { runs[$0] }
    var isReached = false
    while let block = pending.popLast() {
      var next = new.neighbors(of: block, .after)
      if new.blocks[block].jumpsIndirectly, !isReached {
        isReached = true
        next += new.indirectTargets
      }
      for other in next where recordedBlocks[other] == nil && !runs[other] {
        runs[other] = true
        pending.append(other)
      }
    }
  }

  /// Returns the blocks on the cheapest paths that connect `needed` with the entry (`after`) or with an end (`before`).
  /// All equally cheap paths count.
  fileprivate func paths(to needed: [Int], _ direction: Relation, _ runs: [Bool]) -> Set<Int> {
    func cost(_ block: Int) -> Int { runs[block] ? 0 : recordedBlocks[block] == nil ? 1 : 2 }
    var distances = [Int?](repeating: nil, count: runs.count)
    /// The blocks at each distance.
    var found: [[Int]] = [[]]
    func reach(_ block: Int, at distance: Int) {
      guard distances[block].map({ distance < $0 }) ?? true else { return }
      distances[block] = distance
      while found.count <= distance { found.append([]) }
      found[distance].append(block)
    }
    for (block, extra) in new.sources(direction, runs) { reach(block, at: extra + cost(block)) }
    var distance = 0
    while distance < found.count {
      var place = 0
      while place < found[distance].count {
        let block = found[distance][place]
        place += 1
        guard distances[block] == distance else { continue }
        for next in new.neighbors(of: block, direction) { reach(next, at: distance + cost(next)) }
      }
      distance += 1
    }
    var onPath = Set(needed)
    var pending = needed
    let back: Relation = direction == .after ? .before : .after
    while let block = pending.popLast() {
      guard let distance = distances[block], distance > 0 else { continue }
      for other in new.neighbors(of: block, back)
      where distances[other] == distance - cost(block) && onPath.insert(other).inserted {
        pending.append(other)
      }
    }
    return onPath
  }
}

/// What copies of a block have in common.
private struct CopyKey: Hashable {
  var opcodes: UInt64
  var calls: UInt64?
  var isLandingPad: Bool

  /// - Returns: `nil` for a block with unknown code, or with jumps alone.
  init?(_ block: BlockContent) {
    guard let opcodes = block.opcodes, opcodes != ContentHash().value else { return nil }
    self.opcodes = opcodes
    calls = block.calls
    isLandingPad = block.isLandingPad
  }
}

extension Side {
  /// The blocks without a predecessor to which a jump through a register or a table may lead.
  fileprivate var indirectTargets: [Int] {
    blocks.indices.dropFirst().filter {
      neighbors(of: $0, .before).isEmpty && !blocks[$0].isLandingPad
    }
  }

  /// Returns where paths through the function begin (`after`) or end (`before`), and what it costs to begin or end
  /// there, if `runs` states which blocks run.
  fileprivate func sources(_ direction: Relation, _ runs: [Bool]) -> [(block: Int, cost: Int)] {
    guard direction == .after else {
      return blocks.indices.compactMap { block in
        if blocks[block].returns || blocks[block].jumpsIndirectly { return (block, 0) }
        // A call that does not return.
        return neighbors(of: block, .after).isEmpty ? (block, 4) : nil
      }
    }
    var starts = blocks.indices.filter { $0 == 0 || runs[$0] && blocks[$0].isLandingPad }
    if blocks.indices.contains(where: { runs[$0] && blocks[$0].jumpsIndirectly }) {
      starts += indirectTargets
    }
    return starts.map { ($0, 0) }
  }

  /// Returns which blocks of `ran` are connected with the entry (`after`) or with an end (`before`) through `ran`.
  fileprivate func connected(by direction: Relation, through ran: [Bool]) -> [Bool] {
    var isConnected = [Bool](repeating: false, count: blocks.count)
    var pending: [Int] = []
    func reach(_ block: Int) {
      guard ran[block], !isConnected[block] else { return }
      isConnected[block] = true
      pending.append(block)
    }
    for (block, _) in sources(direction, ran) { reach(block) }
    while let block = pending.popLast() {
      neighbors(of: block, direction).forEach(reach)
    }
    return isConnected
  }
}
