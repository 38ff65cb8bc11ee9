import TestSupport

/// Returns levels with approximately normal noise. The same seed gives the same values on each machine.
///
/// - Parameter noise: the standard deviation, as a share of the level.
func noisySeries(
  seed: UInt64, _ steps: [(count: Int, level: Double)], noise: Double
) -> [Double] {
  var random = SeededRandom(seed: seed)
  return steps.flatMap { step in
    (0..<step.count).map { _ in
      // The sum of twelve uniform numbers has a variance of 1.
      let sum = (0..<12).reduce(0.0) { sum, _ in sum + Double(random.next() >> 11) * 0x1p-53 }
      return step.level * (1 + noise * (sum - 6))
    }
  }
}
