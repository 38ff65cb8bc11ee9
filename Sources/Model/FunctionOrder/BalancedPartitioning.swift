// Balanced partitioning
// =====================
//
// The idea. Each item has utilities: reasons to be near the other items that have them. Here an item is a function and
// a utility a launch that uses it. The items are cut into two halves so that as few utilities as possible have items in
// both halves. Each half is cut again, and so on, until each half has one item. Items with the same utilities are then
// together, and items with similar utilities are near each other, at every scale: on a page, on some pages, in a disk's
// read-ahead.
//
// An example. Four items with the utilities 1 | 2 | 1 | 2 are cut into 1 1 and 2 2. Within each half every item has the
// same utilities, so nothing is left to decide, and the input order stays: first item, third, second, fourth.
//
// The objective of one cut is the sum, over all utilities, of L log(L + 1) + R log(R + 1), where L and R are the
// numbers of the utility's items in the two halves. A larger sum is better. The sum estimates how well both halves can
// still be arranged later. So it is a better objective than the number of utilities that are cut.
//
// The method is local search. The halves begin as the first and the second half of the input. In each iteration the
// gain of moving an item to the other half is computed for all items, both halves are sorted by gain, and the pairs of
// best items change places while a pair gains. One move of ten is skipped at random, or else the same items would move
// to and fro. The search ends after 40 iterations, or when nothing moved.
//
// The bound. There is none: the problem is NP-hard, and the result depends on the input order.
//
// What it leaves out. Sizes: the halves have equal numbers of items, not of bytes. `PageSearch` starts from this order
// and counts bytes.
//
// This code makes the same decisions as LLVM's implementation of versions 20 to 22, by which `llvm-profdata order` and
// lld order functions: it has the same random numbers, computes sums in the same precision and order, and breaks ties
// in the same way. With the utilities that LLVM derives from temporal profiles the result is LLVM's
// (TemporalProfileTests).
//
// Paper: Hoag, Lee, Mestre, Pupyrev, "Optimizing Function Layout for Mobile Applications", LCTES 2023,
// <https://arxiv.org/abs/2211.09285>.

/// Orders items so that items that share utilities are near each other.
package struct BalancedPartitioning {
  /// The maximum depth of cuts.
  private static let depth = 18
  private static let iterationsPerCut = 40
  private static let skippedShare: Float = 0.1

  /// The utilities of all items; the utilities of item `i` are at `start[i]..<end[i]`.
  private var utilities: [UInt32] = []
  private var start: [Int] = []
  private var end: [Int] = []
  private var isLeft: [Bool]
  /// For each utility, its number of items while utilities are counted; otherwise 0.
  private var degree: [UInt32]
  private var cut = Cut()
  private var order: [Int] = []

  /// Returns the indexes of `items` in the new order.
  ///
  /// - Parameter items: the utilities of each item, each once. The numbers mean nothing, but should be small: memory
  ///   grows with the largest.
  /// - Complexity: O(*u* log *n*) for *n* items with *u* utilities.
  package static func order(_ items: [[UInt32]]) -> [Int] {
    var partitioning = BalancedPartitioning(items)
    partitioning.bisect(Array(items.indices), depth: 0, bucket: 1)
    return partitioning.order
  }

  private init(_ items: [[UInt32]]) {
    var count: UInt32 = 0
    for item in items {
      start.append(utilities.count)
      utilities += item
      end.append(utilities.count)
      count = max(count, item.max().map { $0 + 1 } ?? 0)
    }
    isLeft = [Bool](repeating: false, count: items.count)
    degree = [UInt32](repeating: 0, count: Int(count))
  }

  /// Appends `items`, which ascend, to `order`.
  private mutating func bisect(_ items: [Int], depth: Int, bucket: UInt32) {
    guard items.count > 1, depth < Self.depth else {
      order += items
      return
    }
    let middle = (items.count + 1) / 2
    for (place, item) in items.enumerated() { isLeft[item] = place < middle }
    countUtilities(of: items)
    var random = MersenneTwister(seed: bucket)
    for _ in 0..<Self.iterationsPerCut {
      guard exchange(items, &random) else { break }
    }
    let (left, right) = (items.filter { isLeft[$0] }, items.filter { !isLeft[$0] })
    bisect(left, depth: depth + 1, bucket: 2 * bucket)
    bisect(right, depth: depth + 1, bucket: 2 * bucket + 1)
  }

  /// Removes the utilities that only one or all of `items` have, because no cut changes their sums. Numbers the other
  /// utilities again, and counts them.
  private mutating func countUtilities(of items: [Int]) {
    var found: [Int] = []
    for item in items {
      for i in start[item]..<end[item] {
        let utility = Int(utilities[i])
        if degree[utility] == 0 { found.append(utility) }
        degree[utility] += 1
      }
    }
    var count: UInt32 = 0
    let none = UInt32.max
    for utility in found {
      let isCommon = degree[utility] == 1 || Int(degree[utility]) == items.count
      degree[utility] = isCommon ? none : count
      if !isCommon { count += 1 }
    }
    cut.reset(utilityCount: Int(count))
    for item in items {
      var kept = start[item]
      for i in start[item]..<end[item] {
        let number = degree[Int(utilities[i])]
        guard number != none else { continue }
        utilities[kept] = number
        kept += 1
        cut.add(number, toLeft: isLeft[item])
      }
      end[item] = kept
    }
    for utility in found { degree[utility] = 0 }
  }

  /// Exchanges items between the halves while that gains.
  ///
  /// - Returns: whether an item was moved.
  private mutating func exchange(_ items: [Int], _ random: inout MersenneTwister) -> Bool {
    cut.updateGains()
    var gains: [(gain: Float, item: Int)] = items.map { item in
      (cut.gain(of: utilities[start[item]..<end[item]], fromLeft: isLeft[item]), item)
    }
    let middle = partition(&gains)
    // The sorts are stable, so the order that `partition` leaves decides ties.
    let left = gains[..<middle].sorted { $0.gain > $1.gain }
    let right = gains[middle...].sorted { $0.gain > $1.gain }
    var hasMoved = false
    for (a, b) in zip(left, right) {
      guard a.gain + b.gain > 0 else { break }
      for item in [a.item, b.item] where random.nextFraction() > Self.skippedShare {
        cut.move(utilities[start[item]..<end[item]], fromLeft: isLeft[item])
        isLeft[item].toggle()
        hasMoved = true
      }
    }
    return hasMoved
  }

  /// Puts the items of the left half first. It swaps from both ends, as C++ libraries do. This reverses a part of the
  /// order within the halves.
  ///
  /// - Returns: the number of items in the left half.
  private func partition(_ gains: inout [(gain: Float, item: Int)]) -> Int {
    var (first, last) = (0, gains.count)
    while true {
      while first < last, isLeft[gains[first].item] { first += 1 }
      while first < last, !isLeft[gains[last - 1].item] { last -= 1 }
      guard first < last else { return first }
      last -= 1
      gains.swapAt(first, last)
      first += 1
    }
  }
}

/// How many items of each utility are in the halves of one cut.
private struct Cut {
  private struct Utility {
    var left: UInt32 = 0
    var right: UInt32 = 0
    /// The amount by which the objective grows if one item of the utility moves to the other half.
    var gainFromLeft: Float = 0
    var gainFromRight: Float = 0
    var isUpToDate = false
  }
  private var utilities: [Utility] = []
  private let logarithms = BinaryLogarithms()

  mutating func reset(utilityCount: Int) {
    utilities = [Utility](repeating: Utility(), count: utilityCount)
  }

  mutating func add(_ utility: UInt32, toLeft: Bool) {
    if toLeft { utilities[Int(utility)].left += 1 } else { utilities[Int(utility)].right += 1 }
  }

  mutating func updateGains() {
    for i in utilities.indices where !utilities[i].isUpToDate {
      let (left, right) = (utilities[i].left, utilities[i].right)
      let cost = cost(left, right)
      utilities[i].gainFromLeft = left > 0 ? cost - self.cost(left - 1, right + 1) : 0
      utilities[i].gainFromRight = right > 0 ? cost - self.cost(left + 1, right - 1) : 0
      utilities[i].isUpToDate = true
    }
  }

  private func cost(_ left: UInt32, _ right: UInt32) -> Float {
    -(Float(left) * logarithms[left + 1] + Float(right) * logarithms[right + 1])
  }

  func gain(of item: ArraySlice<UInt32>, fromLeft: Bool) -> Float {
    var sum: Float = 0
    if fromLeft {
      for utility in item { sum += utilities[Int(utility)].gainFromLeft }
    } else {
      for utility in item { sum += utilities[Int(utility)].gainFromRight }
    }
    return sum
  }

  mutating func move(_ item: ArraySlice<UInt32>, fromLeft: Bool) {
    for utility in item {
      if fromLeft {
        utilities[Int(utility)].left -= 1
        utilities[Int(utility)].right += 1
      } else {
        utilities[Int(utility)].left += 1
        utilities[Int(utility)].right -= 1
      }
      utilities[Int(utility)].isUpToDate = false
    }
  }
}
