/// The ascending subsequences of a sequence of items: for each last item, the subsequence with the most lines.
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
  /// - Complexity: O(log *n*) for *n* items if the sequence is nearly ascending.
  mutating func append(_ item: Int, lines: Int) {
    guard lines > 0 else { return }
    var place = steps.count
    if let last = steps.last, last.item > item {
      var low = 0
      while low < place {
        let middle = (low + place) / 2
        if steps[middle].item < item { low = middle + 1 } else { place = middle }
      }
    }
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
  /// - Parameter following: for each item the most lines that items of at least this number add; then 0.
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
