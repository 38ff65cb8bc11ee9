/// Equidistant places of an order, and its end. Sums for the groups before and after each stop are kept, so that the cost
/// of a change is computed only between the stops around the change.
struct OrderStops {
  private static let leastDistance = 8
  private static let most = 64

  private let length: Int
  private let distance: Int
  let count: Int

  /// - Parameter length: the number of groups in the order.
  init(_ length: Int) {
    self.length = length
    distance = max(Self.leastDistance, length / Self.most)
    count = (length + distance - 1) / distance + 1
  }

  /// Returns the number of groups before a stop.
  func place(_ stop: Int) -> Int { min(stop * distance, length) }

  /// Returns the last stop at or before the start of `places`, and the first stop at or after their end.
  func around(_ places: Range<Int>) -> (Int, Int) {
    (places.lowerBound / distance, (places.upperBound + distance - 1) / distance)
  }
}
