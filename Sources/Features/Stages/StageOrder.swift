// The order of rows
//
// Each launch has its stages in order, but not every launch has all of them. So mean times do not show the order: a
// mark that only fast launches reach would come before marks that all launches reach earlier. The rows have the order
// of the launches instead. In each launch, every stage comes before the next: these pairs are the edges of a graph,
// which is sorted topologically. Where the pairs leave a choice, because no launch has both rows, and where launches
// contradict each other, the row with the smaller mean time comes first.
//
// Kahn, "Topological sorting of large networks", 1962: <https://doi.org/10.1145/368996.369025>

/// Puts the rows of several launches into one order.
struct StageOrder {
  /// For each row, the rows that come directly after it in a launch; once for each launch.
  private var followers: [[Int]]
  /// For each row, the number of pairs in which it comes second.
  private var pairsBefore: [Int]

  init(rows: Int) {
    followers = Array(repeating: [], count: rows)
    pairsBefore = Array(repeating: 0, count: rows)
  }

  /// Notes that a launch has `row` directly before `next`.
  mutating func add(_ row: Int, before next: Int) {
    followers[row].append(next)
    pairsBefore[next] += 1
  }

  /// Returns all rows in their order.
  ///
  /// - Parameter preference: all rows, in the order that decides where the launches leave a choice.
  /// - Complexity: O((*r* + *p*) log *r*) for *r* rows and *p* pairs.
  func sorted(_ preference: [Int]) -> [Int] {
    var rank = Array(repeating: 0, count: followers.count)
    for (place, row) in preference.enumerated() { rank[row] = place }
    var left = pairsBefore
    var isSorted = Array(repeating: false, count: left.count)
    var free = MinimumHeap()
    for row in left.indices where left[row] == 0 { free.insert(rank[row]) }
    var sorted: [Int] = []
    var unsorted = 0
    while sorted.count < left.count {
      let place: Int
      if let least = free.removeMinimum() {
        place = least
      } else {
        while isSorted[preference[unsorted]] { unsorted += 1 }
        place = unsorted
      }
      let row = preference[place]
      guard !isSorted[row] else { continue }
      isSorted[row] = true
      sorted.append(row)
      for next in followers[row] {
        left[next] -= 1
        if left[next] == 0, !isSorted[next] { free.insert(rank[next]) }
      }
    }
    return sorted
  }
}

/// A binary heap of numbers.
private struct MinimumHeap {
  private var values: [Int] = []

  mutating func insert(_ value: Int) {
    values.append(value)
    var place = values.count - 1
    while place > 0, values[place] < values[(place - 1) / 2] {
      values.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  mutating func removeMinimum() -> Int? {
    guard let minimum = values.first, let last = values.popLast() else { return nil }
    if values.isEmpty { return minimum }
    values[0] = last
    var place = 0
    while true {
      let children = [2 * place + 1, 2 * place + 2].filter { $0 < values.count }
      guard let least = children.min(by: { values[$0] < values[$1] }),
        values[least] < values[place]
      else { return minimum }
      values.swapAt(place, least)
      place = least
    }
  }
}
