import Addresses
import FaultEstimate
import TestSupport
import Testing

@Suite struct FaultCurveTests {
  @Test(
    arguments: [
      ([], 0, [], 0),
      ([], 2, [0, 0], 0),
      ([(0, 5...5), (1, 6...6), (2, 7...7), (3, 5...5)], 4, [1, 2, 3, 3], 9),
      ([(0, 5...5), (1, 5...5), (2, 6...6), (3, 7...7)], 4, [1, 1, 2, 3], 7),
      ([(0, 2...4), (1, 0...9), (3, 8...12)], 4, [3, 10, 10, 13], 36),
      ([(1, 1...1), (1, 3...3), (1, 2...2)], 3, [0, 3, 3], 6),
    ] as [([(Int, ClosedRange<StatedPage>)], Int, [Int], UInt64)])
  func risesByTheNewPagesOfEachStep(
    touches: [(Int, ClosedRange<StatedPage>)], stepCount: Int, expected: [Int], area: UInt64
  ) {
    let curve = FaultCurve(touches.map { ($0.0, $0.1) }, stepCount: stepCount)
    #expect(curve.pagesAfterStep == expected)
    #expect(curve.pageCount == expected.last ?? 0)
    #expect(curve.area == area)
  }

  @Test func agreesWithASetOfPages() {
    var random = SeededRandom(seed: 21)
    for _ in 0..<200 {
      let stepCount = Int.random(in: 1...40, using: &random)
      let touches = (0..<Int.random(in: 0...60, using: &random)).map { _ in
        let first = StatedPage(rawValue: .random(in: 0...50, using: &random))
        let last = first + UInt64.random(in: 0...9, using: &random)
        return (step: Int.random(in: 0..<stepCount, using: &random), pages: first...last)
      }.sorted { $0.step < $1.step }
      var seen: Set<StatedPage> = []
      let expected = (0..<stepCount).map { step in
        for touch in touches where touch.step == step { seen.formUnion(touch.pages) }
        return seen.count
      }
      #expect(FaultCurve(touches, stepCount: stepCount).pagesAfterStep == expected, "seed 21")
    }
  }

  @Test func anAreaThatWouldOverflowStaysAtTheTop() {
    let all = StatedPage.first...StatedPage(rawValue: (1 << 55) - 1)
    let curve = FaultCurve([(step: 0, pages: all)], stepCount: 1000)
    #expect(curve.area == .max)
  }
}
