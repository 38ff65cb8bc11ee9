import ChangePoints
import TestSupport
import Testing

private func levels(_ levels: (count: Int, value: Double)...) -> [Double] {
  levels.flatMap { [Double](repeating: $0.value, count: $0.count) }
}

/// Noise of a share of the level, in which some values are outliers: up to twice as large.
private struct Noise: Sendable, CustomTestStringConvertible {
  var count: Int
  var noise: Double
  var outliers: Double
  /// The least number of 100 series in which a step of 4% is found.
  var found: Int

  var testDescription: String { "\(count) values, noise \(noise), outliers \(outliers)" }

  /// - Parameter step: the change in the middle, as a share.
  func series(seed: Int, step: Double) -> [Double] {
    let half = count / 2
    var random = SeededRandom(seed: UInt64(seed) &+ 1_000_000)
    return noisySeries(
      seed: UInt64(seed), [(half, 100), (count - half, 100 * (1 + step))], noise: noise
    ).map { value in
      Double.random(in: 0..<1, using: &random) < outliers
        ? value * Double.random(in: 1.2..<2, using: &random) : value
    }
  }
}

private let noises = [
  Noise(count: 60, noise: 0.02, outliers: 0, found: 95),
  Noise(count: 60, noise: 0.02, outliers: 0.05, found: 90),
  Noise(count: 100, noise: 0.03, outliers: 0.05, found: 90),
  Noise(count: 200, noise: 0.05, outliers: 0.05, found: 75),
]

@Suite struct LevelChangeDetectionTests {
  @Test(.needs(.time), arguments: noises) private func noiseIsToldFromAStepOfFourPercent(
    _ noise: Noise
  ) {
    func changed(_ step: Double) -> [[Int]] {
      (0..<100).map { seed in
        LevelChangeDetection().changes(in: noise.series(seed: seed, step: step)).map(\.index)
      }.filter { !$0.isEmpty }
    }
    #expect(changed(0).count <= 1)
    let steps = changed(0.04)
    #expect(steps.count >= noise.found)
    // At least half of the changes are found within a twentieth of the series from the step.
    let dated = steps.count { indices in
      indices.contains { abs($0 - noise.count / 2) <= noise.count / 20 }
    }
    #expect(dated * 2 > steps.count)
  }

  /// Otava's t-test finds changes of the mean where there are only outliers.
  @Test func otavaFindsChangesInOutliers() {
    let noise = Noise(count: 60, noise: 0.02, outliers: 0.05, found: 0)
    let found = (0..<100).count { seed in
      !ChangePointDetection().changePoints(in: noise.series(seed: seed, step: 0)).isEmpty
    }
    #expect(found > 5)
  }

  @Test(arguments: [
    (levels((40, 143), (3, 145), (20, 152)), [40, 43]),
    (levels((25, 143), (1, 146)), [25]),
    (levels((8, 33), (3, 58), (9, 33)), [8, 11]),
    (levels((10, 0), (10, 3), (10, 0)), [10, 20]),
    (levels((2, 143), (1, 146)), [2]),
    (levels((30, 100), (1, 900), (30, 100)), []),
    (levels((40, 143)), []),
    ([143, 146], []), ([5], []), ([], []),
  ])
  func aCountThatRepeatsExactlyChangesAtOnce(series: [Double], indices: [Int]) {
    let changes = LevelChangeDetection(isMeasured: false).changes(in: series)
    #expect(changes.map(\.index) == indices)
    #expect(changes.allSatisfy { $0.p == 0 })
  }

  @Test func measuredValuesThatHappenToBeEqualAreNoise() {
    #expect(LevelChangeDetection().changes(in: levels((25, 143), (1, 146))).isEmpty)
    let changes = LevelChangeDetection().changes(in: levels((12, 143), (13, 146)))
    #expect(changes.map(\.index) == [12])
    #expect(changes.allSatisfy { $0.p <= LevelChangeDetection.greatestP })
  }

  /// A count that goes up and down by one from commit to commit.
  @Test func aCountThatFlickersIsNoise() {
    let flicker = (0..<60).map { Double(143 + ($0 % 7 == 3 ? 1 : 0)) }
    let detection = LevelChangeDetection(isMeasured: false)
    #expect(detection.changes(in: flicker).isEmpty)
    let step = flicker.enumerated().map { $0.offset < 30 ? $0.element : $0.element + 3 }
    #expect(detection.changes(in: step).map(\.index) == [30])
  }

  @Test func anOutlierChangesNoLevel() throws {
    var series = noisySeries(seed: 2, [(40, 100), (40, 110)], noise: 0.01)
    series[20] = 1000
    let change = try #require(LevelChangeDetection().changes(in: series).first)
    #expect(change.index == 40)
    #expect(abs(change.before - 100) < 1 && abs(change.after - 110) < 1)
  }

  @Test func aChangeUpAndBackIsTwoChanges() {
    let series = noisySeries(seed: 2, [(30, 100), (12, 110), (40, 100)], noise: 0.02)
    let indices = LevelChangeDetection().changes(in: series).map(\.index)
    // The last value before the change back may be as low as the values after it, so the date may differ by one.
    #expect(indices.count == 2 && zip(indices, [30, 42]).allSatisfy { abs($0 - $1) <= 1 })
  }

  @Test func aChangeThatIsTooSmallIsLeftOut() {
    let series = levels((10, 1000), (10, 1001), (10, 1030))
    func found(_ change: Double, _ share: Double) -> [Int] {
      LevelChangeDetection(isMeasured: false, leastChange: change, leastShare: share)
        .changes(in: series).map(\.index)
    }
    #expect(found(0, 0) == [10, 20] && found(2, 0) == [20] && found(0, 0.01) == [20])
    #expect(found(31, 0).isEmpty && found(0, 0.05).isEmpty)
  }

  /// Small changes in one direction are found when they add up.
  @Test func smallChangesAddUp() {
    let series = levels((10, 1000), (10, 1001), (10, 1002), (10, 1003), (10, 1004))
    let changes = LevelChangeDetection(isMeasured: false, leastChange: 2).changes(in: series)
    #expect(!changes.isEmpty && changes.allSatisfy { $0.after - $0.before >= 2 })
  }

  @Test func theSameSeriesHasTheSameChanges() {
    let series = noisySeries(seed: 7, [(40, 100), (40, 104)], noise: 0.02)
    let first = LevelChangeDetection().changes(in: series)
    #expect(!first.isEmpty && LevelChangeDetection().changes(in: series) == first)
  }
}
