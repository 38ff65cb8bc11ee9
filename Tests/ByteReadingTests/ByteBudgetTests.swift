import Addresses
import ByteReading
import Testing

@Suite struct ByteBudgetTests {
  @Test func bytesAreTakenUntilNothingIsLeft() {
    var budget = ByteBudget(limit: 10)
    let takes = [budget.take(10), budget.take(0), budget.take(1)]
    #expect(takes == [true, true, false])
    #expect(budget.isSpent)
  }

  @Test func whoWantsTooMuchLeavesNothing() {
    var budget = ByteBudget(limit: 10)
    let isTaken = budget.take(11)
    #expect(!isTaken && budget.isSpent)
  }

  @Test func theErrorNamesTheLimit() {
    var budget = ByteBudget(limit: 10)
    let error = #expect(throws: ParseError.self) {
      try budget.take(11, "names", at: FileOffset(rawValue: 0x20))
    }
    #expect(error?.description == "names too large: expected at most 10, found 11 (at offset 0x20)")
  }

  @Test(arguments: [([], 0), ([1], 1), ([6], 0), ([1, 2, 5, 6], 2), ([4, 4, 4], 3), ([5, 5], 0)])
  func thePartitioningIndexIsTheFirstOfTheSecondPart(numbers: [Int], index: Int) {
    #expect(numbers.partitioningIndex { $0 > 4 } == index)
  }
}
