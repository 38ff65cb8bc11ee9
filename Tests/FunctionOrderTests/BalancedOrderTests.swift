import Addresses
import FunctionOrder
import ImageModel
import TestSupport
import Testing

@Suite struct BalancedOrderTests {
  /// Functions of 2 KiB each: two on a page.
  static let layout = OrderedPartsTests.layout(
    (0..<64).map { ("f\($0)", 0x1000 + UInt64($0) * 0x800, 0x800) })

  static func order(
    _ launches: [[Int]], layout: Layout = layout, size: ((Part) -> UInt64)? = nil
  ) -> [Int] {
    let uses = launches.map { $0.map { Part($0) } }
    return BalancedOrder(uses, layout: layout, size: size, mostMoves: 1000).parts.map(\.function)
  }

  /// The number of pages that the launches touch if the functions of `order` begin at the start of a page.
  static func pages(_ launches: [[Int]], _ order: [Int], functionsOnPage: Int = 2) -> Int {
    launches.reduce(0) { sum, launch in
      sum + Set(launch.compactMap { order.firstIndex(of: $0).map { $0 / functionsOnPage } }).count
    }
  }

  static func firstHit(_ launches: [[Int]]) -> [Int] {
    var isListed: Set<Int> = []
    return launches.joined().filter { isListed.insert($0).inserted }
  }

  static func randomLaunches(_ random: inout SeededRandom, _ count: Int) -> [[Int]] {
    let features = (0..<8).map { _ in (0..<64).shuffled(using: &random).prefix(8) }
    return (0..<count).map { _ in
      firstHit([Array(0..<6)] + features.shuffled(using: &random).prefix(2).map(Array.init))
    }
  }

  @Test func whatTheSameLaunchesUseStandsTogether() {
    let order = Self.order([[0, 1, 4], [0, 2, 4], [0, 4]])
    #expect(order.count == 4)
    #expect(Set(order[..<2]) == [0, 4])
  }

  @Test(arguments: [[], [[]], [[], []], [[7, 3, 5]], [[7, 3, 5], [7, 3, 5]]] as [[[Int]]])
  func oneLaunchGivesTheOrderOfFirstUses(launches: [[Int]]) {
    #expect(Self.order(launches) == Self.firstHit(launches))
  }

  @Test func launchesTouchFewerPagesThanInTheOrderOfFirstUses() {
    var random = SeededRandom(seed: 1)
    var (pages, pagesByFirstHit) = (0, 0)
    for _ in 0..<4 {
      let launches = Self.randomLaunches(&random, 6)
      let order = Self.order(launches)
      #expect(order.sorted() == Set(launches.joined()).sorted())
      pages += Self.pages(launches, order)
      pagesByFirstHit += Self.pages(launches, Self.firstHit(launches))
    }
    #expect(pages < pagesByFirstHit)
  }

  @Test(arguments: 0..<3 as Range<UInt64>) func theOrderOfLaunchesDoesNotMatter(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let launches = Self.randomLaunches(&random, 5)
    let order = Self.order(launches)
    for _ in 0..<2 {
      #expect(Self.order(launches.shuffled(using: &random)) == order, "seed \(seed)")
    }
  }

  @Test func aliasesAreOneBodyAndUnknownSizesCount() {
    let layout = OrderedPartsTests.layout([
      ("a", 0x1000, 0x10), ("b", 0x1000, 0x20), ("c", 0x2000, 0), ("d", 0x3000, 0x10),
    ])
    #expect(Self.order([[1, 2], [0, 3]], layout: layout).sorted() == [0, 2, 3])
  }

  @Test(arguments: [0, 1, 1 << 18, 1 << 40, .max] as [UInt64])
  func sizesMayBeOfAnyMagnitude(size: UInt64) {
    let launches = [[0, 1, 2], [0, 2, 3], [4, 1]]
    #expect(Self.order(launches) { _ in size }.sorted() == [0, 1, 2, 3, 4])
  }
}
