import FunctionOrder
import ImageModel
import TestSupport
import Testing

@Suite struct KeptOrderTests {
  /// Functions of 2 KiB each: two on a page.
  private let layout = BalancedOrderTests.layout

  private func kept(
    _ order: [Int], previous: [Int], _ launches: [[Int]], lostPages: Int? = nil
  ) -> [Int] {
    keptOrder(order, previous: previous, launches, lostPages: lostPages).parts.map(\.function)
  }

  private func keptOrder(
    _ order: [Int], previous: [Int], _ launches: [[Int]], lostPages: Int?
  ) -> KeptOrder {
    KeptOrder(
      order.map { Part($0) }, previous: previous.map { Part($0) },
      launches: launches.map { $0.map { Part($0) } }, layout: layout, lostPages: lostPages,
      mostMoves: 1000)
  }

  /// Formats the pages of each launch, each page as the number of functions that the launch uses there.
  private func pages(_ order: [Int], _ launches: [[Int]], functionsOnPage: Int) -> [Int] {
    launches.map { launch in
      Set(launch.compactMap { order.firstIndex(of: $0).map { $0 / functionsOnPage } }).count
    }
  }

  @Test func withoutAPreviousOrderTheNewOneStays() {
    #expect(kept([3, 1, 2], previous: [], [[3, 1, 2]]) == [3, 1, 2])
    #expect(kept([], previous: [], []) == [])
    #expect(kept([], previous: [4, 5], []) == [4, 5])
  }

  @Test func thePreviousOrderStaysWhereNoLaunchGains() {
    #expect(kept([1, 0, 2, 3], previous: [0, 1, 2, 3], [[1, 0, 2, 3]]) == [0, 1, 2, 3])
    // Function 9 is no longer used. It stays, because it fills a page that the launch uses anyway.
    #expect(kept([0, 1, 2], previous: [0, 1, 2, 9], [[0, 1, 2]]) == [0, 1, 2, 9])
  }

  @Test func aNewFunctionFollowsTheOneThatItFollowsInTheNewOrder() {
    let launch = [[7, 1, 8, 9, 0, 2, 3]]
    #expect(kept(launch[0], previous: [0, 1, 2, 3], launch) == [7, 0, 1, 8, 9, 2, 3])
  }

  @Test func aFunctionThatIsNoLongerUsedIsLeftOutIfThatSavesAPage() {
    let launches = [[0, 1, 2, 3], [0, 1]]
    #expect(kept([0, 1, 2, 3], previous: [0, 9, 1, 2, 3], launches) == [0, 1, 2, 3])
    #expect(kept([0, 1, 2, 3], previous: [1, 0, 9, 8, 3, 2], launches) == [1, 0, 9, 8, 3, 2])
  }

  @Test func whatLaunchesCannotTellApartStaysIfTheRestMoves() {
    // The second launch saves a page if function 0 moves next to 1. Only the first launch uses 4 to 7.
    let launches = [[0, 1, 4, 5, 6, 7], [0, 1]]
    let order = kept(
      [0, 1, 4, 5, 6, 7], previous: [0, 7, 6, 5, 1, 4], launches)
    #expect(order == [0, 1, 7, 6, 5, 4])
  }

  @Test func aSingleLaunchKeepsWhatSharesAPageIfReadAheadGains() {
    // The layout has 64 pages. The model reads 32 pages at once, only forward.
    let layout = OrderedPartsTests.layout(
      (0..<128).map { ("f\($0)", 0x1000 + UInt64($0) * 0x800, 0x800) })
    let order = Array(0..<128)
    let previous: [Int] = (0..<64).reversed().flatMap { [2 * $0 + 1, 2 * $0] }
    let expected: [Int] = (0..<64).flatMap { [2 * $0 + 1, 2 * $0] }
    let kept = KeptOrder(
      order.map { Part($0) }, previous: previous.map { Part($0) },
      launches: [order.map { Part($0) }], layout: layout,
      mostMoves: 1000)
    #expect(kept.parts.map(\.function) == expected)
  }

  @Test(.needs(.time)) func launchesTouchNoMorePagesAndMoreFunctionsStay() {
    var pages = (kept: 0, new: 0)
    var stays = pages
    for seed in 0..<8 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var launches = BalancedOrderTests.randomLaunches(&random, 5)
      let previous = BalancedOrderTests.order(launches)
      // One launch has one more function, another has one less, and a third has one at another place.
      launches[0] = BalancedOrderTests.firstHit([launches[0] + [63]])
      launches[1].removeLast()
      launches[2].swapAt(1, 4)
      let order = BalancedOrderTests.order(launches)
      let kept = kept(order, previous: previous, launches)
      #expect(Set(kept).isSuperset(of: order) && Set(kept).count == kept.count)
      pages.kept += BalancedOrderTests.pages(launches, kept)
      pages.new += BalancedOrderTests.pages(launches, order)
      stays.kept += longestCommon(kept, previous)
      stays.new += longestCommon(order, previous)
      #expect(self.kept(order, previous: previous, launches) == kept)
      #expect(self.kept(kept, previous: kept, launches) == kept)
    }
    #expect(100 * pages.kept <= 101 * pages.new)
    #expect(stays.kept > stays.new)
  }

  @Test(.needs(.time)) func theMorePagesMayBeLostTheFewerLinesChange() {
    var changed = [Int](repeating: 0, count: 5)
    for seed in 0..<8 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let previous = BalancedOrderTests.order(BalancedOrderTests.randomLaunches(&random, 5))
      let launches = BalancedOrderTests.randomLaunches(&random, 5)
      let order = BalancedOrderTests.order(launches)
      var least = Int.max
      for lostPages in changed.indices {
        let kept = keptOrder(order, previous: previous, launches, lostPages: lostPages)
        let functions = kept.parts.map(\.function)
        #expect(Set(functions).isSuperset(of: order) && Set(functions).count == functions.count)
        let pages = kept.prediction.pages
        #expect(kept.prediction.launches == launches.count)
        #expect(pages.kept == BalancedOrderTests.pages(launches, functions))
        #expect(pages.new == BalancedOrderTests.pages(launches, order))
        #expect(pages.kept <= pages.new + lostPages * launches.count)
        let lines = functions.count + previous.count - 2 * longestCommon(functions, previous)
        #expect(lines <= least)
        least = lines
        changed[lostPages] += lines
      }
    }
    #expect(changed[0] > changed[4], "\(changed)")
  }

  @Test func anyNumberOfPagesMayBeLost() {
    let launches = [[0, 1, 2, 3], [0, 1]]
    for lostPages in [1, 2, .max] {
      #expect(
        kept([0, 1, 2, 3], previous: [0, 9, 1, 2, 3], launches, lostPages: lostPages)
          == [0, 9, 1, 2, 3])
    }
    #expect(
      kept([0, 1, 2, 3], previous: [0, 9, 1, 2, 3], launches, lostPages: 0) == [0, 1, 2, 3])
    let none = keptOrder([], previous: [4, 5], [], lostPages: 0)
    #expect(none.parts.map(\.function) == [4, 5])
    #expect(none.prediction.launches == 0 && none.prediction.pages.kept == 0)
    #expect(kept([3, 1, 2], previous: [], [[3, 1, 2]], lostPages: 4) == [3, 1, 2])
    #expect(kept([1, 0], previous: [0, 0, 1, 0], [[1, 0]], lostPages: 0) == [0, 1])
  }

  /// The length of the longest common subsequence of `a` and `b`.
  private func longestCommon(_ a: [Int], _ b: [Int]) -> Int {
    var lengths = [Int](repeating: 0, count: b.count + 1)
    for item in a {
      var diagonal = 0
      for (index, other) in b.enumerated() {
        let above = lengths[index + 1]
        lengths[index + 1] = item == other ? diagonal + 1 : max(above, lengths[index])
        diagonal = above
      }
    }
    return lengths[b.count]
  }
}
