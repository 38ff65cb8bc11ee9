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

  /// Returns the order with the fewest changed lines of all acceptable orders that were tried.
  ///
  /// - Parameter accepts: returns whether an order is acceptable. The new order is.
  func keepingLines(accepts: ([Int]) -> Bool) -> [Int] {
    let unchanged = places.previous(withUnused: true)
    guard !accepts(unchanged) else { return unchanged }
    let known = places.previous(withUnused: false)
    guard !accepts(known) else { return known }
    var best = places.newOrder
    var leastLines = places.changedLines(with: best)
    /// Returns whether `order` is acceptable.
    func tried(_ order: [Int]) -> Bool {
      guard accepts(order) else { return false }
      let lines = places.changedLines(with: order)
      if lines < leastLines { (best, leastLines) = (order, lines) }
      return true
    }
    _ = tried(places.sortedGroups(onPages: false)) || tried(places.sortedGroups(onPages: true))
    let path = PricedPath(places, launches: launches, sizes: sizes, mostMoves: mostMoves)
    path.leavePrevious(until: tried)
    path.leaveNew(while: tried)
    return best
  }
}
