import ChangePoints
import Foundation
import TestSupport
import Testing

/// The change points of `ChangePointDetection` must equal those of Apache Otava.
@Suite(.needs(.python("otava"))) struct OtavaIntegrations {
  /// A script that reads one series a line, and prints the change points of each series with their probabilities. It
  /// changes Otava so that the two neighbours of a removed point are tested again, and not the next two points
  /// (`ChangePointDetection`).
  private static let script = """
    import inspect, sys, warnings
    import otava.analysis
    warnings.filterwarnings("ignore")
    merge = inspect.getsource(otava.analysis.merge)
    assert merge.count("recompute(weakest_cp_index + 1)") == 1
    merge = merge.replace("recompute(weakest_cp_index + 1)", "recompute(weakest_cp_index - 1)")
    exec(merge, otava.analysis.__dict__)
    for line in sys.stdin:
        series = [float(word) for word in line.split()]
        points = otava.analysis.compute_change_points(series)[0] if series else []
        print(" ".join(f"{int(p.index)}:{float(p.stats.pvalue)!r}" for p in points))
    """

  /// Returns a random series: counts, noise of some percent, jumps between levels, long tails, or zeros.
  private static func series(seed: UInt64) -> [Double] {
    var random = SeededRandom(seed: seed)
    let count = [0, 1, 2, 3, 5, 10, 30, 49, 50, 51, 75, 76, 100, 120, 160]
      .randomElement(using: &random)!
    var level = Double.random(in: 10...1000, using: &random)
    return (0..<count).map { _ in
      if Double.random(in: 0...1, using: &random) < 0.03 {
        level *= Double.random(in: 0.8...1.25, using: &random)
      }
      return switch seed % 6 {
      case 0: level.rounded()
      case 1: level * Double.random(in: 0.9...1.1, using: &random)
      case 2: level * Double.random(in: 0.98...1.02, using: &random)
      case 3: [140, 141, 150].randomElement(using: &random)!
      case 4: level / Double.random(in: 0.2...1, using: &random)
      default: Bool.random(using: &random) ? 0 : level.rounded()
      }
    }
  }

  @Test func findsTheSamePointsIn600Series() throws {
    let seeds = Array(UInt64(0)..<600)
    let all = seeds.map(Self.series)
    let input = all.map { $0.map { "\($0)" }.joined(separator: " ") + "\n" }.joined()
    let run = try RunningProcess(
      try #require(toolPath("python3")), ["-c", Self.script], input: Array(input.utf8),
      environment: ProcessInfo.processInfo.environment.merging(pythonEnvironment) { $1 }
    ).end()
    try #require(run.status == 0, "\(run.errors)")
    let lines = run.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    try #require(lines.count == all.count)
    var points = 0
    for (seed, (series, line)) in zip(seeds, zip(all, lines)) {
      let expected = line.split(separator: " ").map { $0.split(separator: ":") }
      let found = ChangePointDetection().changePoints(in: series)
      #expect(found.map { "\($0.index)" } == expected.map { String($0[0]) }, "seed \(seed)")
      for (point, p) in zip(found, expected.compactMap { Double($0[1]) }) where p > 1e-14 {
        #expect(abs(point.p / p - 1) < 1e-9, "seed \(seed), index \(point.index)")
      }
      points += found.count
    }
    #expect(points > 200)
  }
}
