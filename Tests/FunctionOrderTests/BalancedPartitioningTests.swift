import FunctionOrder
import TestSupport
import Testing

@Suite struct BalancedPartitioningTests {
  @Test func itemsWithTheSameUtilitiesStandTogether() {
    #expect(BalancedPartitioning.order([[1], [2], [1], [2]]) == [0, 2, 1, 3])
  }

  @Test(
    arguments: [[], [[]], [[], []], [[5]], [[1], [1], [1]], [[1], [2], [3]]] as [[[UInt32]]])
  func withoutASharedUtilityTheInputOrderStays(items: [[UInt32]]) {
    #expect(BalancedPartitioning.order(items) == Array(items.indices))
  }

  @Test(arguments: 0..<10 as Range<UInt64>) func everyItemIsInTheOrderOnce(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let items = (0..<Int.random(in: 0...200, using: &random)).map { _ in
      (0..<20 as Range<UInt32>).filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
    }
    #expect(BalancedPartitioning.order(items).sorted() == Array(items.indices), "seed \(seed)")
  }
}
