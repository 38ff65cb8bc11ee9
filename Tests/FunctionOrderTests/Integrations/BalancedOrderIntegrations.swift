import FunctionOrder
import TestSupport
import Testing

@Suite(.needs(.processes)) struct BalancedOrderIntegrations {
  /// Each of 120 launches uses the functions that all use, those of three features out of twelve, and some that no
  /// other launch uses.
  @Test func manyLaunchesTouchFewerPagesThanInTheOrderOfFirstUses() {
    var random = SeededRandom(seed: 3)
    let functions = 4000
    let layout = OrderedPartsTests.layout(
      (0..<functions).map { ("f\($0)", 0x1000 + UInt64($0) * 0x100, 0x100) })
    let features = (0..<12).map { _ in Array((0..<functions).shuffled(using: &random).prefix(300)) }
    let launches = (0..<120).map { _ in
      BalancedOrderTests.firstHit(
        [Array(0..<400)] + features.shuffled(using: &random).prefix(3)
          + [(0..<20).map { _ in Int.random(in: 0..<functions, using: &random) }])
    }
    let order = BalancedOrderTests.order(launches, layout: layout)
    let used = BalancedOrderTests.firstHit(launches)
    #expect(order.sorted() == used.sorted())
    func pages(_ order: [Int]) -> Int {
      BalancedOrderTests.pages(launches, order, functionsOnPage: 16)
    }
    #expect(4 * pages(order) < 3 * pages(used))
  }

  @Test func ofHundredsOfLaunchesAllFunctionsArePlaced() {
    var random = SeededRandom(seed: 4)
    let launches = (0..<300).map { _ in
      Array((0..<64).shuffled(using: &random).prefix(Int.random(in: 1...5, using: &random)))
    }
    let used = BalancedOrderTests.firstHit(launches)
    #expect(BalancedOrderTests.order(launches).sorted() == used.sorted())
    #expect(BalancedOrderTests.order(launches.reversed()) == BalancedOrderTests.order(launches))
  }
}
