/// The way between a previous order and the new order, on which lines that change have a price.
///
/// Items move in groups: a group consists of adjacent items of the previous order that the same launches use.
struct PricedPath {
  /// The prices of a line, in 1/256 of a page, on the way from the previous order.
  private static let fallingPrices = stride(from: 18, through: 8, by: -2).map { 1 << $0 }
  /// The prices on the way from the new order. At higher prices, the other way has the better orders.
  private static let risingPrices = stride(from: 8, through: 14, by: 2).map { 1 << $0 }

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

  /// The orders on the way from the previous order, with falling prices, and on the way from the new order, with rising
  /// prices.
  var orders: [[Int]] {
    orders(from: Array(groups.indices), Self.fallingPrices)
      + orders(from: places.inNewOrder(groups), Self.risingPrices)
  }

  private func orders(from first: [Int], _ prices: [Int]) -> [[Int]] {
    var order = first
    return prices.map { price in
      order = OrderAnnealing.improving(
        order, cost: cost, lines: PricedLines(lines, price: price), mostMoves: mostMoves,
        from: .mild)
      return places.withoutUnusedEnd(order.map { groups[$0] })
    }
  }
}
