import Addresses

/// The lines that stay when items are placed one after the other: for each item that can be the last of an ascending
/// subsequence, the most lines of such a subsequence.
struct AscendingLines {
  private struct Step {
    var item: Int
    var lines: Int
  }

  /// The last items, ascending. An item is left out if a subsequence with a lower last item has as many lines.
  private var steps: [Step] = []

  /// The most lines of a subsequence.
  var most: Int { steps.last?.lines ?? 0 }

  /// Appends an item to the sequence.
  ///
  /// - Complexity: O(log *n*) for *n* items, and O(*n*) if steps have to move.
  mutating func append(_ item: Int, lines: Int) {
    guard lines > 0 else { return }
    // In a nearly ascending sequence, the item is mostly the last.
    let isLast = steps.last.map { $0.item < item } ?? true
    let place = isLast ? steps.count : steps.partitioningIndex { $0.item >= item }
    let step = Step(item: item, lines: lines + (place > 0 ? steps[place - 1].lines : 0))
    guard place < steps.count else { return steps.append(step) }
    var end = place
    while end < steps.count, steps[end].lines <= step.lines { end += 1 }
    guard end > place else { return steps.insert(step, at: place) }
    steps[place] = step
    steps.removeSubrange(place + 1..<end)
  }

  /// Makes this sequence equal to `other`, and keeps its memory.
  mutating func copy(_ other: Self) {
    steps.removeAll(keepingCapacity: true)
    steps.append(contentsOf: other.steps)
  }

  /// Returns the most lines of a subsequence to which items of another sequence are added.
  ///
  /// - Parameter following: for each item, the most lines of an ascending subsequence of the other sequence whose items
  ///   are all at least this item; then 0.
  func most(with following: [Int]) -> Int {
    var most = following[0]
    for step in steps { most = max(most, step.lines + following[step.item + 1]) }
    return most
  }

  /// Returns for each item below `count` the most lines of a subsequence whose items are at most this item.
  func mostLines(count: Int) -> [Int] {
    var result: [Int] = []
    var most = 0
    for step in steps {
      while result.count < step.item { result.append(most) }
      most = step.lines
    }
    while result.count < count { result.append(most) }
    return result
  }
}
