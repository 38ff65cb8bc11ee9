#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The number of values, their mean, and their standard deviation as a population.
package struct SampleMoments: Hashable, Sendable {
  package var count: Int
  package var mean: Double
  package var deviation: Double

  /// - Precondition: `values` has at least one value.
  package init(_ values: ArraySlice<Double>) {
    precondition(!values.isEmpty, "a sample has values")
    count = values.count
    let mean = values.reduce(0, +) / Double(count)
    self.mean = mean
    deviation =
      (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count)).squareRoot()
  }
}

/// Student's t-test of two samples with the same variance, two-sided.
///
/// With the pooled variance s² = ((n-1) s₁² + (m-1) s₂²) / (n+m-2), t = (x₁ - x₂) / (s √(1/n + 1/m)) has Student's
/// distribution with ν = n+m-2 degrees of freedom, and the probability of a greater |t| is I(ν / (ν + t²); ν/2, 1/2), the
/// regularized incomplete beta function. (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.1 and 26.5.2.)
///
/// As in Apache Otava, s₁ and s₂ are the deviations of populations, not estimates from samples: short sides get a
/// probability that is too small. The probability is smaller still for a place that was chosen because its sides differ
/// most. So it can rank places and be compared with a limit, but it is not the probability of a false alarm.
package enum StudentTest {
  /// The probability that the means differ by chance as much as they do: 1 for equal means and for two values, 0 for
  /// different means without any spread.
  package static func probability(_ a: SampleMoments, _ b: SampleMoments) -> Double {
    let freedom = a.count + b.count - 2
    guard freedom > 0, a.mean != b.mean else { return 1 }
    func square(_ moments: SampleMoments) -> Double {
      Double(moments.count - 1) * moments.deviation * moments.deviation
    }
    let variance = (square(a) + square(b)) / Double(freedom)
    let difference = a.mean - b.mean
    let t2 = difference * difference / (variance * (1 / Double(a.count) + 1 / Double(b.count)))
    guard t2.isFinite else { return 0 }
    return incompleteBeta(Double(freedom) / 2, 0.5, at: Double(freedom) / (Double(freedom) + t2))
  }

  /// The regularized incomplete beta function, to at least ten correct digits. Its continued fraction (Handbook,
  /// 26.5.8) converges fast for x below (a + 1) / (a + b + 2); above this bound, its symmetry is used.
  package static func incompleteBeta(_ a: Double, _ b: Double, at x: Double) -> Double {
    guard x > 0 else { return 0 }
    guard x < 1 else { return 1 }
    if x > (a + 1) / (a + b + 2) { return 1 - incompleteBeta(b, a, at: 1 - x) }
    let factor = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    // Lentz's method: the quotients of successive numerators and of successive denominators.
    let tiny = 1e-300
    var (fraction, numerator, denominator) = (1.0, 1.0, 0.0)
    for step in 1...1000 {
      let m = Double(step / 2)
      let coefficient =
        step.isMultiple(of: 2)
        ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
      denominator = 1 / nonzero(1 + coefficient * denominator)
      numerator = nonzero(1 + coefficient / numerator)
      fraction *= numerator * denominator
      if abs(numerator * denominator - 1) < 1e-15 { break }
    }
    return factor / fraction

    func nonzero(_ value: Double) -> Double { abs(value) < tiny ? tiny : value }
  }
}
