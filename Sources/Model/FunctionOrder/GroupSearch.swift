/// Searches an order that keeps places of a previous order.
struct GroupSearch {
  /// What an order costs all launches together.
  struct Cost {
    /// As `LaunchCost` computes it.
    let all: Int
    /// The number of pages of 4 KiB.
    let pages: Int
    /// The number of faults of cold launches.
    let faults: Int
  }

  let launches: [[Int]]
  let sizes: OrderedSizes
  let places: PreviousPlaces
  let mostMoves: Int

  func cost(of order: [Int]) -> Cost {
    let groups = ItemGroups(launches, sizes: sizes.sizes, adjacentIn: order)
    var cost = LaunchCost(groups, start: sizes.start)
    let all = cost.cost(of: Array(groups.groups.indices))
    return Cost(all: all, pages: cost.pages.reduce(0, +), faults: cost.faults)
  }

  /// Returns the order with the fewest changed lines of all acceptable orders.
  ///
  /// The orders do not depend on what is acceptable. So if more is acceptable, no more lines change.
  ///
  /// - Parameter accepts: returns whether an order is acceptable. The new order is.
  func keepingLines(accepts: ([Int]) -> Bool) -> [Int] {
    let unchanged = places.previous(withUnused: true)
    guard !accepts(unchanged) else { return unchanged }
    let path = PricedPath(places, launches: launches, sizes: sizes, mostMoves: mostMoves)
    let orders =
      [
        places.previous(withUnused: false), places.sortedGroups(onPages: false),
        places.sortedGroups(onPages: true),
      ] + path.orders
    var best = places.newOrder
    var leastLines = places.changedLines(with: best)
    for order in orders where accepts(order) {
      let lines = places.changedLines(with: order)
      if lines < leastLines { (best, leastLines) = (order, lines) }
    }
    return best
  }
}
