import FunctionOrder
import TestSupport
import Testing

@Suite struct OrderAnnealingTests {
  /// Items of 1 to 6 KiB each, and launches each of which uses half of the items.
  static func groups(_ random: inout SeededRandom, items: Int, launches: Int) -> ItemGroups {
    let sizes = (0..<items).map { _ in 16 * Int.random(in: 64...384, using: &random) }
    return ItemGroups(
      (0..<launches).map { _ in Array((0..<items).shuffled(using: &random).prefix((items + 1) / 2))
      },
      sizes: sizes)
  }

  static func permutations(_ items: [Int]) -> [[Int]] {
    items.isEmpty
      ? [[]]
      : items.flatMap { item in
        permutations(items.filter { $0 != item }).map { [item] + $0 }
      }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>) func ofFewGroupsItFindsTheBestOrder(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let groups = Self.groups(&random, items: 5, launches: 3)
    var cost = LaunchCost(groups, start: 0x2a0)
    let order = Array(groups.groups.indices)
    let least = Self.permutations(order).map { cost.cost(of: $0) }.min()
    let found = OrderAnnealing.improving(order, cost: cost, mostMoves: 2000)
    #expect(found.sorted() == order)
    #expect(cost.cost(of: found) == least)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>) func theCostNeverRises(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let groups = Self.groups(&random, items: 24, launches: 5)
    var cost = LaunchCost(groups, start: 0)
    let order = groups.groups.indices.shuffled(using: &random)
    let found = OrderAnnealing.improving(order, cost: cost, mostMoves: 500)
    #expect(found.sorted() == Array(groups.groups.indices))
    #expect(cost.cost(of: found) <= cost.cost(of: order))
    #expect(OrderAnnealing.improving(order, cost: cost, mostMoves: 500) == found)
  }

  @Test func withTooManyGroupsForTheMovesTheOrderStays() {
    var random = SeededRandom(seed: 5)
    let groups = Self.groups(&random, items: 24, launches: 5)
    let order = groups.groups.indices.shuffled(using: &random)
    let cost = LaunchCost(groups, start: 0)
    #expect(OrderAnnealing.improving(order, cost: cost, mostMoves: 100) == order)
  }
}
