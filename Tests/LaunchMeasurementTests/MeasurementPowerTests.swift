import Foundation
import LaunchMeasurement
import TestSupport
import Testing

/// Tests the verdicts about launches that were measured on a busy machine: 400 rounds of a program, of the same program
/// again, and of a slower program. A simulated report draws its rounds from these.
@Suite struct MeasurementPowerTests {
  struct Recording: Decodable {
    struct Side: Decodable {
      var cpuMicroseconds, wallMicroseconds: [UInt64]

      var launches: [MeasuredLaunch] {
        zip(wallMicroseconds, cpuMicroseconds).map {
          MeasuredLaunch(wallNanoseconds: $0 * 1000, userMicroseconds: $1)
        }
      }
    }
    /// The program, the same program again, and the slower program.
    var before, again, other: Side
  }

  /// Under load: `Tests/Fixtures/statistics/README.md`.
  static let recordings: [String: Recording] = {
    guard let bytes = try? fixture("statistics/launches.json") else { return [:] }
    return (try? JSONDecoder().decode([String: Recording].self, from: Data(bytes))) ?? [:]
  }()

  static func launches(
    _ name: String
  ) throws -> (before: [MeasuredLaunch], again: [MeasuredLaunch], other: [MeasuredLaunch]) {
    let recording = try #require(recordings[name])
    #expect(recording.before.cpuMicroseconds.count == 400)
    return (recording.before.launches, recording.again.launches, recording.other.launches)
  }

  /// The verdicts of a report with one state for each of `states`, of as many rounds as `rounds` has.
  private func verdicts(
    _ states: [(before: [MeasuredLaunch], after: [MeasuredLaunch])], rounds: [Int]
  ) throws -> [ProgramComparison.Verdict] {
    var comparisons: [ProgramComparison] = []
    for state in states {
      for metric in [LaunchMetric.wallTime, .cpuTime] {
        comparisons.append(
          try #require(
            ProgramComparison(
              metric, rounds.map { state.before[$0] }, rounds.map { state.after[$0] })))
      }
    }
    let corrected = ProgramComparison.corrected(comparisons.map(\.p))
    for index in comparisons.indices { comparisons[index].correctedP = corrected[index] }
    return comparisons.map(\.verdict)
  }

  private func someRounds(_ count: Int, _ random: inout SeededRandom) -> [Int] {
    Array((0..<400).shuffled(using: &random)[..<count])
  }

  /// The reports have two states and two metrics. If two programs are equal, each launch of a round could as well be a
  /// launch of the other program. So the two launches are exchanged at random, to make all reports different.
  @Test(.needs(.time)) func equalProgramsAreSaidToDifferInLessThanOneReportOfAHundred() throws {
    let recorded = [try Self.launches("takes 20% more"), try Self.launches("takes twice as much")]
    var random = SeededRandom(seed: 20)
    var wrong = 0
    for _ in 0..<400 {
      let states = recorded.map { recording in
        var (before, after) = (recording.before, recording.again)
        for round in before.indices where Bool.random(using: &random) {
          (before[round], after[round]) = (after[round], before[round])
        }
        return (before: before, after: after)
      }
      let found = try verdicts(
        states, rounds: someRounds(MeasurementPlan.usualRounds, &random))
      if found.contains(where: { $0 != .notShown }) { wrong += 1 }
    }
    #expect(wrong <= 4, "\(wrong) of 400")
  }

  /// The rounds are in the order in which they were measured, while the machine became more and less busy.
  @Test func theRecordedControlsAreNotSaidToDiffer() throws {
    let recorded = [try Self.launches("takes 20% more"), try Self.launches("takes twice as much")]
    for first in stride(from: 0, through: 300, by: 50) {
      let found = try verdicts(
        recorded.map { ($0.before, $0.again) }, rounds: Array(first..<first + 100))
      #expect(found.allSatisfy { $0 == .notShown }, "rounds from \(first): \(found)")
    }
  }

  /// The least number of rounds must be enough to find twice the time, and the usual number a time that is a fifth
  /// longer.
  @Test(arguments: [
    ("takes twice as much", MeasurementPlan.leastRounds, 20),
    ("takes 20% more", MeasurementPlan.usualRounds, 15),
  ])
  func slowerProgramsAreSaidToBe(name: String, rounds: Int, least: Int) throws {
    let recorded = try Self.launches(name)
    // The other state shows no difference, but counts in the correction for several comparisons.
    let states = [(recorded.before, recorded.other), (recorded.before, recorded.again)]
    var random = SeededRandom(seed: 21)
    var found = 0
    for _ in 0..<20 {
      let verdicts = try verdicts(states, rounds: someRounds(rounds, &random))
      #expect(!verdicts[..<2].contains(.less))
      if verdicts[1] == .more { found += 1 }
    }
    #expect(found >= least, "\(found) of 20")
  }
}
