import FunctionOrder
import TestSupport
import Testing

@Suite struct LaunchCostTests {
  /// The cost of `launches`, if each item is a group of its own and each launch uses the listed items.
  static func cost(_ launches: [[Int]], sizes: [Int], start: Int = 0, order: [Int]) -> Int {
    var cost = LaunchCost(ItemGroups(launches, sizes: sizes), start: start)
    return cost.cost(of: order)
  }

  @Test func itIsPagesOfTwoSizesAndSixteenForEachColdFault() {
    // The cost is a page of 4 KiB, a page of 16 KiB, and a fault.
    #expect(Self.cost([[0]], sizes: [4096], order: [0]) == 1 + 1 + 16)
    // The item has the same size, but is on two pages of 4 KiB.
    #expect(Self.cost([[0]], sizes: [4096], start: 0x800, order: [0]) == 2 + 1 + 16)
  }

  @Test func whatIsNotUsedInBetweenCostsAsWherePagesBeginIsChance() {
    let launches = [[0, 2], [1]]
    let sizes = [1024, 2048, 1024]
    // All items are on one page. But with half of the possible start offsets, the first launch would use two pages.
    let groups = ItemGroups(launches, sizes: sizes, adjacentIn: [0, 1, 2])
    #expect(groups.groups.map(\.items) == [[0], [1], [2]])
    var cost = LaunchCost(groups, start: 0)
    #expect(cost.cost(of: [0, 1, 2]) == cost.cost(of: [0, 2, 1]) + 3 * 2048 / 4096)
  }

  @Test func readAheadGoesForwardsOnly() {
    // 40 pages in the order of first uses cost two faults. In the reverse order, the last page is read first.
    let sizes = [4096, 39 * 4096]
    let launches = [[0, 1], [0]]
    let forwards = Self.cost(launches, sizes: sizes, order: [0, 1])
    let backwards = Self.cost(launches, sizes: sizes, order: [1, 0])
    #expect(backwards - forwards == 16)
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>) func aLimitChangesNoCostBelowIt(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let groups = OrderAnnealingTests.groups(&random, items: 20, launches: 4)
    var cost = LaunchCost(groups, start: 0)
    for _ in 0..<20 {
      let order = groups.groups.indices.shuffled(using: &random)
      let exact = cost.cost(of: order)
      #expect(cost.cost(of: order, below: exact + 1) == exact)
      #expect(cost.cost(of: order, below: exact) >= exact)
      #expect(cost.cost(of: order, below: 1) >= 1)
    }
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>) func aSettledOrderChangesNoCost(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let groups = OrderAnnealingTests.groups(&random, items: 40, launches: 5)
    var cost = LaunchCost(groups, start: 0x123)
    var other = cost
    var order = groups.groups.indices.shuffled(using: &random)
    cost.settle(order, changedIn: order.indices)
    for move in 0..<100 {
      var candidate = order
      let first = Int.random(in: order.indices, using: &random)
      let places = first..<Int.random(in: first...order.count, using: &random)
      candidate[places].shuffle(using: &random)
      let sum = cost.cost(of: candidate, changedIn: places, below: .max)
      #expect(sum == other.cost(of: candidate))
      guard move.isMultiple(of: 4) else { continue }
      order = candidate
      cost.settle(order, changedIn: places)
    }
  }
}
