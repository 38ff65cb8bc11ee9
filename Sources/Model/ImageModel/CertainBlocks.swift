// Which blocks does each run of a function pass?
//
// The idea. Nothing is known about the blocks of a function that no launch ran. But if the function runs and returns,
// some blocks run for certain: the blocks through which all paths from the entry to a return lead.
//
// An example. `entry`, `test` and `return` are certain. `fail` ends the program, so it is no end of a path.
//
//     entry -> test -> log  -> return
//              test -> skip -> return
//              test -> fail
//
// One path is enough to find them, because each certain block is on every path. The path is followed from the entry.
// From each of its blocks, the blocks beside the path are searched, each block once. If no search before a block has
// found a way past the block, the block is certain.

/// The blocks of a function that run whenever the function runs and returns.
package struct CertainBlocks: Sendable {
  /// For each block, whether all paths from the entry to an exit lead through the block.
  package private(set) var isCertain: [Bool]

  /// - Parameter blocks: the blocks of a function, the entry first. Numbers in `successors` that are not the index of a
  ///   block are ignored.
  /// - Complexity: O(*n*) for *n* blocks and successors.
  package init(of blocks: [BlockContent]) {
    isCertain = [Bool](repeating: false, count: blocks.count)
    guard !blocks.isEmpty else { return }
    isCertain[0] = true
    let exits = blocks.map { $0.returns || $0.jumpsIndirectly }
    guard let path = Self.path(through: blocks, exits) else { return }
    var placeOnPath: [Int: Int] = [:]
    for (place, block) in path.enumerated() { placeOnPath[block] = place }
    var isSeen = [Bool](repeating: false, count: blocks.count)
    /// The place on the path that the searches have reached; the place after the path is the exit.
    var reached = 0
    for (place, block) in path.enumerated() {
      if reached <= place { isCertain[block] = true }
      var pending = [block]
      while let block = pending.popLast() {
        if exits[block] { reached = path.count }
        for next in blocks[block].successors where blocks.indices.contains(next) {
          if let place = placeOnPath[next] {
            reached = max(reached, place)
          } else if !isSeen[next] {
            isSeen[next] = true
            pending.append(next)
          }
        }
      }
    }
  }

  /// Returns a shortest path from the entry to one of `exits`; `nil` if no path leads to an exit.
  private static func path(through blocks: [BlockContent], _ exits: [Bool]) -> [Int]? {
    var before = [Int?](repeating: nil, count: blocks.count)
    var queue = [0]
    var place = 0
    while place < queue.count {
      let block = queue[place]
      place += 1
      if exits[block] {
        var path = [block]
        while let last = path.last, last != 0, let previous = before[last] { path.append(previous) }
        return path.reversed()
      }
      for next in blocks[block].successors
      where blocks.indices.contains(next) && next != 0 && before[next] == nil {
        before[next] = block
        queue.append(next)
      }
    }
    return nil
  }
}
