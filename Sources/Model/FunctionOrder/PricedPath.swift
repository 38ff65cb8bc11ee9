/// The way between a previous order and the new order, on which the price of a line that changes falls or rises.
///
/// Items move in groups: a group consists of adjacent items of the previous order that the same launches use.
struct PricedPath {
  /// The lowest and the highest price, in 1/256 of a page.
  private static let prices = 1 << 8...1 << 18

  private let places: PreviousPlaces
  private let groups: [[Int]]
  /// For each group the number of lines that change if the group leaves its place.
  private let lines: [Int]
  private let cost: LaunchCost
  private let mostMoves: Int

  init(_ places: PreviousPlaces, launches: [[Int]], sizes: OrderedSizes, mostMoves: Int) {
    let groups = ItemGroups(
      launches, sizes: sizes.sizes, adjacentIn: places.previous(withUnused: true))
    self.places = places
    self.groups = groups.groups.map(\.items)
    lines = self.groups.map(places.changedLines(ifMoving:))
    cost = LaunchCost(groups, start: sizes.start)
    self.mostMoves = mostMoves / 4
  }

  /// Begins with the previous order. The price falls, so that more and more lines change.
  func leavePrevious(until accepts: ([Int]) -> Bool) {
    var order = Array(groups.indices)
    var price = Self.prices.upperBound
    while price >= Self.prices.lowerBound {
      order = annealed(order, price)
      if accepts(items(order)) { return }
      price /= 4
    }
  }

  /// Begins with the new order. The price rises, so that more and more lines stay.
  ///
  /// - Parameter accepts: returns whether to go on from an order, with a higher price.
  func leaveNew(while accepts: ([Int]) -> Bool) {
    var order = places.inNewOrder(groups)
    var (price, factor) = (Self.prices.lowerBound, 4)
    while factor > 1, price <= Self.prices.upperBound {
      let candidate = annealed(order, price)
      if accepts(items(candidate)) {
        order = candidate
        price *= factor
      } else {
        factor /= 2
        price /= 2
      }
    }
  }

  private func annealed(_ order: [Int], _ price: Int) -> [Int] {
    OrderAnnealing.improving(
      order, cost: cost, lines: PricedLines(lines, price: price), mostMoves: mostMoves,
      from: .mild)
  }

  private func items(_ order: [Int]) -> [Int] { places.withoutUnusedEnd(order.map { groups[$0] }) }
}
