import LaunchMeasurement
import Testing

@Suite struct LaunchScheduleTests {
  static func rounds(_ count: Int, programs: Int, seed: UInt64) -> [[Int]] {
    var schedule = LaunchSchedule(programs: programs, seed: seed)
    return (0..<count).map { _ in schedule.nextRound() }
  }

  @Test(arguments: [1, 2, 3]) func eachRoundHasEachProgramOnce(programs: Int) {
    for round in Self.rounds(50, programs: programs, seed: 4) {
      #expect(round.sorted() == Array(0..<programs))
    }
  }

  /// After each block of rounds, each program has been at each place as often as each other program.
  @Test(arguments: [(2, 2), (3, 6)], [1, 2, 3] as [UInt64])
  func placesAreBalancedInEachBlock(_ programsAndBlock: (Int, Int), seed: UInt64) {
    let (programs, block) = programsAndBlock
    let rounds = Self.rounds(block * 10, programs: programs, seed: seed)
    for start in stride(from: 0, to: rounds.count, by: block) {
      for place in 0..<programs {
        let here = rounds[start..<start + block].map { $0[place] }.sorted()
        let each = block / programs
        #expect(here == (0..<programs).flatMap { Array(repeating: $0, count: each) })
      }
    }
  }

  @Test func theSeedDecides() {
    #expect(Self.rounds(40, programs: 2, seed: 1) == Self.rounds(40, programs: 2, seed: 1))
    #expect(Self.rounds(40, programs: 2, seed: 1) != Self.rounds(40, programs: 2, seed: 2))
    let rounds = Self.rounds(40, programs: 2, seed: 1)
    #expect(Set(rounds) == [[0, 1], [1, 0]], "no fixed order")
  }
}
