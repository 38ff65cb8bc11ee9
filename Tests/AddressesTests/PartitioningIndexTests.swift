import Addresses
import Testing

@Suite struct PartitioningIndexTests {
  @Test func itIsTheFirstElementThatMeetsThePredicate() {
    for count in 0...33 {
      for first in 0...count {
        #expect((0..<count).partitioningIndex { $0 >= first } == first)
      }
    }
  }

  @Test func aSliceKeepsItsIndexes() {
    let slice = [1, 3, 3, 5, 7, 9][2...]
    #expect(slice.partitioningIndex { $0 >= 6 } == 4)
    #expect(slice.partitioningIndex { $0 >= 0 } == 2)
    #expect(slice.partitioningIndex { $0 >= 10 } == 6)
  }

  @Test func ofAMillionElementsItLooksAtTwenty() {
    var calls = 0
    let index = (0..<1_000_000).partitioningIndex { element in
      calls += 1
      return element >= 765_432
    }
    #expect(index == 765_432)
    #expect(calls <= 20)
  }
}
