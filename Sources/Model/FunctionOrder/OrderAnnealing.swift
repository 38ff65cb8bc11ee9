// Annealing of an order
// =====================
//
// The idea. An order that no single move makes better can still be far from the best: to gain, several groups have to
// move, and the first of these moves alone makes the order worse. So a move that makes the order a little worse is
// sometimes accepted: often at first, and hardly ever later. The best order that was seen is the result.
//
// An example. A group that is moved to the front pushes all other groups to other places on their pages, and launches
// touch more pages. The other groups return to their places only when another group of about the same size leaves the
// front.
//
// The method. A move takes one to six adjacent groups to another place, sometimes in reverse order, or exchanges two
// groups. It is accepted if the cost rises by no more than a temperature times the binary logarithm of one over a
// random number. The temperature falls from twelve pages to a tenth of a page. It begins at one page if most groups are
// to stay where they are. At the end, single groups are moved as long as that gains.
//
// The bound. There is none for so few moves. The result is the same on each machine: random numbers have a fixed seed,
// and all numbers are integers.
//
// What was tried and not kept, on thirteen sets of 4, 8 or 10 recorded launches of sqlite3. Only the best moves of
// single groups: 9 of 100 recorded launches touched over two pages and 2 % more than in the best order of first hits,
// `llvm-profdata order` and lld; with annealing, 3 launches did. Groups cut into pieces of 32 KiB, so that they can be
// placed more freely: twice as many launches did. Functions that two, three ... launches use counted as further
// launches, as an estimate of launches that nobody recorded: such launches touched no fewer pages (6987 instead of
// 6977). Five times as many moves: no improvement.
//
// Paper: Kirkpatrick, Gelatt, Vecchi, "Optimization by Simulated Annealing", Science 220 (1983).

/// Improves an order of groups by moves that are chosen at random, and then by the best moves of single groups.
package struct OrderAnnealing {
  package static let usualMoves = 600_000
  /// The approximate number of steps that all moves may take.
  private static let steps = 2_000_000_000
  /// The minimum number of moves for each group. Fewer moves would reach only a part of the good orders.
  private static let leastMovesPerGroup = 8
  /// The maximum number of moves for each pair of groups. Fewer groups have fewer orders.
  private static let mostMovesPerPair = 400
  private static let mostMovedTogether = 6
  private static let halvings = 7

  /// The first temperature, in 1/256 of a page.
  package enum Temperature: Int {
    /// Hardly any group stays where it is.
    case hot = 0xC00
    /// Most groups stay where they are.
    case mild = 0x100
  }

  private var cost: LaunchCost
  private var lines: PricedLines?
  private var random = MersenneTwister(seed: 1)
  private var best: [Int]
  /// The order whose cost is computed. Except for one move, it is the order that `cost` and `lines` settled.
  private var candidate: [Int]
  private var leastCost: Int

  /// - Returns: an order that costs no more than `order`; with thousands of groups, `order`.
  /// - Complexity: O(*u*) for *u* uses, with a large factor, which is smaller if there are many uses.
  package static func improving(
    _ order: [Int], cost: LaunchCost, mostMoves: Int = usualMoves,
    from temperature: Temperature = .hot
  ) -> [Int] {
    improving(order, cost: cost, lines: nil, mostMoves: mostMoves, from: temperature)
  }

  /// - Parameter lines: lines that also cost something if they change.
  /// - Returns: as the other function of this name.
  static func improving(
    _ order: [Int], cost: LaunchCost, lines: PricedLines?, mostMoves: Int,
    from temperature: Temperature
  ) -> [Int] {
    let moves = min(
      mostMoves, steps / max(1, cost.steps + (lines?.steps ?? 0)),
      mostMovesPerPair * order.count * order.count)
    guard order.count > 2, moves >= leastMovesPerGroup * order.count else { return order }
    var annealing = OrderAnnealing(order, cost, lines)
    annealing.anneal(moves, from: temperature)
    annealing.descend(moves)
    return annealing.best
  }

  private init(_ order: [Int], _ cost: LaunchCost, _ lines: PricedLines? = nil) {
    self.cost = cost
    self.lines = lines
    best = order
    candidate = order
    leastCost = 0
    settle(order.indices)
    leastCost = sum(changedIn: order.indices)
  }

  /// Returns the cost of the candidate with the price of its lines; if it is at least `limit`, it may be `Int.max`.
  ///
  /// - Parameter places: the places before and after which the candidate is the settled order.
  private mutating func sum(changedIn places: Range<Int>, below limit: Int = .max) -> Int {
    let price = lines?.cost(of: candidate, changedIn: places) ?? 0
    guard price < limit else { return .max }
    let sum = cost.cost(of: candidate, changedIn: places, below: limit - price)
    return sum == .max ? .max : sum + price
  }

  /// Settles the candidate.
  private mutating func settle(_ places: Range<Int>) {
    cost.settle(candidate, changedIn: places)
    lines?.settle(candidate, changedIn: places)
  }

  private mutating func anneal(_ moves: Int, from first: Temperature) {
    var order = best
    var orderCost = leastCost
    for move in 0..<moves {
      let places = moveGroups(of: order)
      let limit = orderCost + tolerance(Self.temperature(move, of: moves, from: first))
      let sum = sum(changedIn: places, below: limit + 1)
      guard sum <= limit else {
        for place in places { candidate[place] = order[place] }
        continue
      }
      settle(places)
      for place in places { order[place] = candidate[place] }
      orderCost = sum
      if sum < leastCost { (best, leastCost) = (order, sum) }
    }
    candidate = best
    settle(best.indices)
  }

  /// The temperature is halved after equal numbers of moves, and falls linearly in between.
  private static func temperature(_ move: Int, of moves: Int, from first: Temperature) -> Int {
    let time = (move * halvings) << 8 / moves
    return (first.rawValue * (512 - time & 255)) >> (9 + time >> 8)
  }

  /// The temperature times -log₂ of a random number between 0 and 1. The logarithm is interpolated between powers of
  /// two.
  private mutating func tolerance(_ temperature: Int) -> Int {
    let word = random.nextWord()
    let zeros = word.leadingZeroBitCount
    let fraction = Int((word << UInt32(zeros + 1)) >> 24)
    return (temperature * ((zeros + 1) << 8 - fraction)) >> 16
  }

  private mutating func number(below limit: Int) -> Int {
    Int((UInt64(random.nextWord()) * UInt64(limit)) >> 32)
  }

  /// Changes the candidate by one move of `order`.
  ///
  /// - Returns: the places whose groups may have changed.
  private mutating func moveGroups(of order: [Int]) -> Range<Int> {
    let kind = number(below: 20)
    let place = number(below: order.count)
    if kind < 4 {
      let other = number(below: order.count)
      candidate.swapAt(place, other)
      return min(place, other)..<max(place, other) + 1
    }
    let isSingle = kind < 14
    let count = isSingle ? 1 : min(1 + number(below: Self.mostMovedTogether), order.count - place)
    let target = number(below: order.count - count + 1)
    if target < place {
      for i in target..<place { candidate[i + count] = order[i] }
    } else {
      for i in place..<target { candidate[i] = order[i + count] }
    }
    for i in 0..<count {
      candidate[target + i] = order[place + (kind < 17 ? i : count - 1 - i)]
    }
    return min(place, target)..<max(place, target) + count
  }

  /// Moves each group to the place where the cost is least, until no move helps or the moves are used up.
  private mutating func descend(_ moves: Int) {
    var movesLeft = moves
    var hasImproved = true
    while hasImproved, movesLeft > 0 {
      hasImproved = false
      for group in best where movesLeft > 0 {
        guard let place = best.firstIndex(of: group) else { continue }
        var others = best
        others.remove(at: place)
        candidate = [group] + others
        var target: Int?
        for i in candidate.indices {
          if i > 0 { candidate.swapAt(i - 1, i) }
          guard i != place else { continue }
          movesLeft -= 1
          let sum = sum(changedIn: min(i, place)..<max(i, place) + 1, below: leastCost)
          if sum < leastCost { (leastCost, target) = (sum, i) }
        }
        guard let target else { continue }
        others.insert(group, at: target)
        best = others
        candidate = best
        settle(min(target, place)..<max(target, place) + 1)
        hasImproved = true
      }
    }
  }
}
