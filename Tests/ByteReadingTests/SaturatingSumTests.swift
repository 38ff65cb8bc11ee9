import Addresses
import Testing

@Suite struct SaturatingSumTests {
  @Test(
    arguments: [
      ([], 0), ([1, 2, 3], 6), ([.max], .max), ([.max - 1, 1], .max), ([.max, 1, 5], .max),
    ] as [([UInt64], UInt64)])
  func sumsStayAtTheTop(numbers: [UInt64], expected: UInt64) {
    #expect(numbers.saturatingSum() == expected)
  }

  @Test func itIsTheTopOfTheirOwnType() {
    #expect([Int.max, 1].saturatingSum() == Int.max)
    #expect([UInt8(200), 100].saturatingSum() == 255)
  }
}
