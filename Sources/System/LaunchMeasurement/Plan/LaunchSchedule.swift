/// The order in which the programs are launched, round by round; each is launched once per round.
///
/// Each block of rounds contains every order once (A B and B A, or the six orders of three), in a seeded
/// random sequence. So no program always follows another, and no periodic activity of the machine can stay in
/// step with the rounds.
package struct LaunchSchedule {
  private let orders: [[Int]]
  private var block: [[Int]] = []
  private var generator: SeededGenerator

  /// - Parameter count: the number of programs, 1 to 4.
  package init(programs count: Int, seed: UInt64) {
    precondition((1...4).contains(count), "before and after, each twice at most")
    orders = Self.permutations(of: Array(0..<count))
    generator = SeededGenerator(seed: seed)
  }

  /// The indexes of the programs in the order of the next round.
  package mutating func nextRound() -> [Int] {
    if block.isEmpty { block = orders.shuffled(using: &generator) }
    return block.removeLast()
  }

  private static func permutations(of numbers: [Int]) -> [[Int]] {
    guard numbers.count > 1 else { return [numbers] }
    return numbers.flatMap { first in
      permutations(of: numbers.filter { $0 != first }).map { [first] + $0 }
    }
  }
}
