import ImageModel
import TestSupport
import Testing

/// Which block of another build a block is, by hand-made cases and by properties of random functions.
@Suite struct BlockMatchingTests {
  /// A block as a test writes it: `code` stands for its instructions and `opcodes` for their kinds.
  struct Block: Sendable {
    var code: String
    var opcodes: String?
    var calls: String?
    var id: UInt32
    var next: [Int] = []
    var isLandingPad = false
    var returns = false

    init(
      _ code: String, opcodes: String? = nil, calls: String? = nil, id: UInt32 = 0,
      to next: [Int] = [], isLandingPad: Bool = false, returns: Bool = false
    ) {
      self.id = id
      self.returns = returns
      self.code = code
      self.opcodes = opcodes
      self.calls = calls
      self.next = next
      self.isLandingPad = isLandingPad
    }

    var content: BlockContent {
      BlockContent(
        code: Self.hash(code), opcodes: Self.hash(opcodes ?? code), calls: calls.map(Self.hash),
        id: id, isLandingPad: isLandingPad, successors: next, returns: returns)
    }

    static func hash(_ text: String) -> UInt64 {
      var hash = ContentHash()
      for byte in text.utf8 { hash.combine(UInt64(byte)) }
      return hash.value
    }
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var recorded: [Block]
    var new: [Block]
    var found: [Int?]
  }

  @Test(arguments: [
    Case(
      testDescription: "the same function",
      recorded: [Block("a", to: [1, 2]), Block("b", to: [2]), Block("c")],
      new: [Block("a", to: [1, 2]), Block("b", to: [2]), Block("c")], found: [0, 1, 2]),
    Case(
      testDescription: "blocks in another sequence",
      recorded: [Block("a", to: [1, 2]), Block("b", to: [2]), Block("c")],
      new: [Block("a", to: [1, 2]), Block("c"), Block("b", to: [1])], found: [0, 2, 1]),
    Case(
      testDescription: "a block that was put before the others",
      recorded: [Block("a", to: [1]), Block("b")],
      new: [Block("check", to: [1, 2]), Block("a", to: [3]), Block("fail"), Block("b")],
      // The entries match although their code differs.
      found: [0, nil, nil, 1]),
    Case(
      testDescription: "an edited block between two that are found",
      recorded: [Block("a", to: [1]), Block("b", to: [2]), Block("c")],
      new: [Block("a", to: [1]), Block("other", to: [2]), Block("c")], found: [0, 1, 2]),
    Case(
      testDescription: "other registers",
      recorded: [Block("a", to: [1]), Block("b rax", opcodes: "b"), Block("c")],
      new: [Block("a", to: [2]), Block("c"), Block("b rbx", opcodes: "b")], found: [0, 2, 1]),
    Case(
      testDescription: "a call as an anchor",
      recorded: [Block("a", to: [1]), Block("b", calls: "free"), Block("c", calls: "exit")],
      new: [Block("a", to: [2]), Block("x", calls: "exit"), Block("y", calls: "free")],
      found: [0, 2, 1]),
    Case(
      testDescription: "equal blocks with other neighbors",
      recorded: [
        Block("a", to: [1, 2]), Block("return", to: [3]), Block("return", to: [4]), Block("x"),
        Block("y"),
      ],
      new: [
        Block("a", to: [1, 2]), Block("return", to: [4]), Block("return", to: [3]), Block("x"),
        Block("y"),
      ], found: [0, 2, 1, 3, 4]),
    Case(
      testDescription:
        "one of three equal blocks is gone: the two others are those with their neighbors",
      recorded: [
        Block("a", to: [1, 3]), Block("x", to: [2]), Block("z"), Block("y", to: [4]), Block("z"),
        Block("v", to: [6]), Block("z"),
      ],
      new: [
        Block("a", to: [1, 3]), Block("x", to: [2]), Block("z"), Block("v", to: [4]), Block("z"),
      ], found: [0, 1, 2, 5, 6]),
    // Another choice of registers has made the code of the first "step" equal to the code of the second.
    Case(
      testDescription: "neighbors come before equal code",
      recorded: [
        Block("a", to: [1]), Block("step rax", opcodes: "step", to: [2]), Block("x", to: [3]),
        Block("step rbx", opcodes: "step", to: [4]), Block("y"),
      ],
      new: [
        Block("a", to: [1]), Block("step rbx", opcodes: "step", to: [2]), Block("x", to: [3]),
        Block("step rcx", opcodes: "step", to: [4]), Block("y"),
      ], found: [0, 1, 2, 3, 4]),
    Case(
      testDescription: "a landing pad is no other block",
      recorded: [Block("a"), Block("b", isLandingPad: true)], new: [Block("a"), Block("b")],
      found: [0, nil]),
    Case(
      testDescription:
        "two equal blocks that the compiler has numbered as before, and ordered otherwise",
      recorded: [
        Block("a", id: 0, to: [1, 2]), Block("b", id: 2, to: [3]), Block("b", id: 1, to: [3]),
        Block("c", id: 3),
      ],
      new: [
        Block("a", id: 0, to: [1, 2]), Block("b", id: 1, to: [3]), Block("b", id: 2, to: [3]),
        Block("c", id: 4),
      ], found: [0, 2, 1, 3]),
    Case(testDescription: "nothing was recorded", recorded: [], new: [Block("a")], found: [nil]),
    Case(
      testDescription: "successors that do not exist", recorded: [Block("a", to: [-1, 9])],
      new: [Block("a", to: [7])], found: [0]),
  ])
  func blocksAreFound(_ example: Case) {
    let matching = BlockMatching(
      example.recorded.map(\.content), example.new.map(\.content))
    #expect(matching.recordedBlocks == example.found)
    #expect(matching.matchedCount == example.found.count { $0 != nil })
  }

  /// A function whose blocks have few kinds of code, so that many are equal.
  private func function(of count: Int, _ random: inout SeededRandom) -> [BlockContent] {
    (0..<count).map { block in
      Block(
        "\(Int.random(in: 0..<max(2, count / 2), using: &random))",
        calls: Bool.random(using: &random) ? "f\(Int.random(in: 0..<4, using: &random))" : nil,
        to: (0..<Int.random(in: 0...2, using: &random)).map { _ in
          Int.random(in: 0..<count, using: &random)
        } + (block + 1 < count ? [block + 1] : [])
      ).content
    }
  }

  @Test(arguments: 0..<50) func eachBlockIsFoundInTheSameFunction(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let blocks = function(of: Int.random(in: 1...60, using: &random), &random)
    #expect(BlockMatching(blocks, blocks).recordedBlocks == blocks.indices.map { $0 })
  }

  @Test(arguments: 0..<50) func noBlockIsFoundTwice(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let recorded = function(of: Int.random(in: 0...60, using: &random), &random)
    let new = function(of: Int.random(in: 0...60, using: &random), &random)
    let found = BlockMatching(recorded, new).recordedBlocks.compactMap { $0 }
    #expect(Set(found).count == found.count && found.allSatisfy(recorded.indices.contains))
  }

  /// A function with distinct blocks, of which one is edited, one is new and one is gone.
  @Test(arguments: 0..<50) func allOtherBlocksAreFoundAfterAnEdit(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let count = Int.random(in: 4...60, using: &random)
    let recorded = (0..<count).map {
      Block("\($0)", to: $0 + 1 < count ? [$0 + 1] : []).content
    }
    var new = recorded
    let edited = Int.random(in: 1..<count, using: &random)
    new[edited].code = 1
    new[edited].opcodes = 1
    new.append(Block("new").content)
    let found = BlockMatching(recorded, new).recordedBlocks
    #expect(found.last == .some(nil))
    for block in 0..<count where block != edited { #expect(found[block] == block) }
  }

  /// Thousands of equal blocks, or of blocks with thousands of successors, may be in a crafted image.
  @Test(.needs(.time), arguments: [false, true]) func manyBlocksCostNoSquares(areEqual: Bool) {
    let growth = costGrowth(from: 4_000, by: 8) { count in
      let blocks = (0..<count).map {
        Block(areEqual ? "a" : "\($0)", to: $0 == 0 ? Array(1..<count) : [0]).content
      }
      let matching = BlockMatching(blocks, Array(blocks.dropLast()))
      _ = RunningBlocks(matching, ran: blocks.indices.map { $0.isMultiple(of: 3) })
    }
    #expect(growth < 20, "\(growth) times for 8 times as many")
  }
}
