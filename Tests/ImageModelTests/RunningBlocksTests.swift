import ImageModel
import TestSupport
import Testing

/// Which blocks of an edited function may run, by hand-made cases.
@Suite struct RunningBlocksTests {
  typealias Block = BlockMatchingTests.Block

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var recorded: [Block]
    /// The recorded blocks that ran.
    var ran: Set<Int>
    var new: [Block]
    var mayRun: [Int]
    var sure: [Int]
  }

  @Test(arguments: [
    // "new" is on the way from the entry to "b", "log" on the way from "new" to "c", "behind" on the way from "c".
    Case(
      testDescription: "what a new block reaches may run",
      recorded: [Block("a", to: [1, 2]), Block("b"), Block("c", to: [3]), Block("d")], ran: [0, 1],
      new: [
        Block("a", to: [1, 2]), Block("new", to: [3, 4]), Block("c", to: [5]), Block("b"),
        Block("log", to: [2]), Block("behind", to: [6, 3]), Block("d"),
      ], mayRun: [0, 1, 3, 4], sure: [0, 1, 3]),
    // The recorded launch went from "a" to "b" to "d". Now only "c" leads to "d".
    Case(
      testDescription: "control reaches each block that runs",
      recorded: [Block("a", to: [1, 2]), Block("b", to: [3]), Block("c"), Block("d")],
      ran: [0, 1, 3], new: [Block("a", to: [1, 2]), Block("b"), Block("c", to: [3]), Block("d")],
      mayRun: [0, 1, 2, 3], sure: [0, 1, 2, 3]),
    Case(
      testDescription: "the launch ended in the function",
      recorded: [Block("a", to: [1, 2]), Block("b", to: [3]), Block("c"), Block("d")], ran: [0, 1],
      new: [Block("a", to: [1, 2]), Block("b", to: [2]), Block("c", to: [3]), Block("d")],
      mayRun: [0, 1], sure: [0, 1]),
    Case(
      testDescription:
        "control goes on to a return by the shortest way, not to a call that ends the program",
      recorded: [
        Block("a", to: [1, 2, 3]), Block("b", returns: true), Block("c"), Block("d", to: [1]),
      ],
      ran: [0, 1],
      new: [
        Block("a", to: [2, 3, 4]), Block("b", returns: true), Block("c"), Block("d", to: [1]),
        Block("e", to: [5, 2]), Block("f", to: [2]),
      ], mayRun: [0, 1, 3, 4, 5], sure: [0, 1, 3]),
    Case(
      testDescription: "two ways are equally short",
      recorded: [Block("a", to: [1, 2, 3]), Block("b", to: [3]), Block("c", to: [3]), Block("d")],
      ran: [0, 3],
      new: [Block("a", to: [1, 2]), Block("b", to: [3]), Block("c", to: [3]), Block("d")],
      mayRun: [0, 1, 2, 3], sure: [0, 3]),
    // The recorded build has a copy of "copy" for each way to it, and only one of them ran.
    Case(
      testDescription: "copies were merged",
      recorded: [
        Block("a", to: [1, 3]), Block("b", to: [2]), Block("copy rax", opcodes: "copy", to: [5]),
        Block("c", to: [4]), Block("copy rbx", opcodes: "copy", to: [5]), Block("d", returns: true),
      ], ran: [0, 3, 4, 5],
      new: [
        Block("a", to: [1, 2]), Block("b", to: [3]), Block("c", to: [3]),
        Block("copy rax", opcodes: "copy", to: [4]), Block("d", returns: true),
      ], mayRun: [0, 2, 3, 4], sure: [0, 2, 3, 4]),
    Case(
      testDescription: "a loop alone does not lead on",
      recorded: [
        Block("a", to: [1]), Block("b", to: [1, 3]), Block("c", to: [3]), Block("d", returns: true),
      ],
      ran: [0, 1, 3],
      new: [
        Block("a", to: [1]), Block("b", to: [1, 2]), Block("c", to: [3]), Block("d", returns: true),
      ],
      mayRun: [0, 1, 2, 3], sure: [0, 1, 2, 3]),
    Case(
      testDescription: "nothing ran", recorded: [Block("a", to: [1]), Block("b")], ran: [],
      new: [Block("a", to: [1]), Block("new")], mayRun: [], sure: []),
  ])
  func blocksMayRun(_ example: Case) {
    let matching = BlockMatching(example.recorded.map(\.content), example.new.map(\.content))
    let running = RunningBlocks(
      matching, ran: example.recorded.indices.map { example.ran.contains($0) })
    #expect(running.mayRun.indices.filter { running.mayRun[$0] } == example.mayRun)
    #expect(running.isSure.indices.filter { running.isSure[$0] } == example.sure)
  }

  @Test func aJumpThroughATableReachesWhatNothingElseReaches() {
    var new = [Block("a"), Block("b"), Block("case"), Block("pad", isLandingPad: true)].map(
      \.content)
    new[1].jumpsIndirectly = true
    let matching = BlockMatching([Block("a").content, Block("b").content], new)
    #expect(RunningBlocks(matching, ran: [true, true]).mayRun == [true, true, true, false])
    #expect(RunningBlocks(matching, ran: [true, false]).mayRun == [true, false, false, false])
  }
}
