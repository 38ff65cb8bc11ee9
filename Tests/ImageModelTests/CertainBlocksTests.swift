import ImageModel
import TestSupport
import Testing

/// Which blocks run whenever their function runs and returns.
@Suite struct CertainBlocksTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// The successors of each block.
    var next: [[Int]]
    var returns: Set<Int>
    var certain: [Int]
  }

  static func blocks(_ next: [[Int]], returns: Set<Int>) -> [BlockContent] {
    next.enumerated().map { BlockContent(successors: $1, returns: returns.contains($0)) }
  }

  @Test(arguments: [
    Case(testDescription: "no blocks", next: [], returns: [], certain: []),
    Case(testDescription: "one block", next: [[]], returns: [0], certain: [0]),
    Case(
      testDescription: "a choice", next: [[1, 2], [3], [3], []], returns: [3], certain: [0, 3]),
    Case(
      testDescription: "an end without a return does not count", next: [[1, 2], [], [3], []],
      returns: [3], certain: [0, 2, 3]),
    Case(
      testDescription: "two returns", next: [[1], [2, 3], [], []], returns: [2, 3], certain: [0, 1]),
    Case(
      testDescription: "a loop", next: [[1], [2, 3], [1], []], returns: [3], certain: [0, 1, 3]),
    Case(
      testDescription: "a way past two blocks", next: [[1, 4], [2], [3], [5], [3], []],
      returns: [5], certain: [0, 3, 5]),
    Case(
      testDescription: "a search that comes back to a block before", next: [[1, 3], [2], [], [1]],
      returns: [2], certain: [0, 1, 2]),
    Case(testDescription: "no return", next: [[1], [0]], returns: [], certain: [0]),
    Case(
      testDescription: "a return in the middle", next: [[1], [2], []], returns: [1, 2],
      certain: [0, 1]),
    Case(
      testDescription: "no such blocks", next: [[-1, 9, 1], []], returns: [1], certain: [0, 1]),
  ])
  func blocksOnAllPathsAreCertain(_ example: Case) {
    let found = CertainBlocks(of: Self.blocks(example.next, returns: example.returns)).isCertain
    #expect(found.indices.filter { found[$0] } == example.certain)
  }

  /// A block is certain if and only if no return can be reached without it.
  @Test(arguments: 0..<100) func withoutACertainBlockThereIsNoReturn(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let count = Int.random(in: 1...14, using: &random)
    let next = (0..<count).map { _ in
      (0..<Int.random(in: 0...3, using: &random)).map { _ in
        Int.random(in: 0..<count, using: &random)
      }
    }
    let returns = Set((0..<count).filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
    func reachesReturn(without block: Int?) -> Bool {
      var pending = block == 0 ? [] : [0]
      var seen: Set<Int> = Set([block].compactMap { $0 })
      while let one = pending.popLast() {
        guard seen.insert(one).inserted else { continue }
        if returns.contains(one) { return true }
        pending += next[one]
      }
      return false
    }
    let found = CertainBlocks(of: Self.blocks(next, returns: returns)).isCertain
    for block in 0..<count {
      let isCertain = reachesReturn(without: nil) ? !reachesReturn(without: block) : block == 0
      #expect(found[block] == isCertain, "block \(block) of \(next), which return: \(returns)")
    }
  }

  @Test func manyBlocksCostNoSquares() {
    let growth = costGrowth(from: 4_000, by: 8) { count in
      _ = CertainBlocks(
        of: Self.blocks(
          (0..<count).map { $0 == 0 ? Array(1..<count) : [0, min($0 + 1, count - 1)] },
          returns: [count - 1]))
    }
    #expect(growth < 20, "\(growth) times for 8 times as many")
  }
}
