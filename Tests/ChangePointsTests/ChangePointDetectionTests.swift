import ChangePoints
import Testing

/// The change points that Apache Otava 0.8.0 finds, with its default settings and with other settings, if it tests both
/// neighbours of a removed point again (`ChangePointDetection`).
private struct Golden: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var series: [Double]
  var indices: [Int]
  /// The change points with windows of 20 values, p below 0.01, and changes above 2%.
  var eager: [Int]

  init(_ name: String, _ series: [Double], _ indices: [Int], eager: [Int]) {
    testDescription = name
    self.series = series
    self.indices = indices
    self.eager = eager
  }
}

private func levels(_ levels: (count: Int, value: Double)...) -> [Double] {
  levels.flatMap { [Double](repeating: $0.value, count: $0.count) }
}

private let goldens = [
  Golden("counts", levels((40, 143), (3, 145), (20, 152)), [40, 43], eager: [43]),
  Golden(
    "a step of 4%", noisySeries(seed: 1, [(60, 100), (60, 104)], noise: 0.02), [60],
    eager: [60, 71, 75]),
  Golden(
    "up and down", noisySeries(seed: 2, [(30, 100), (12, 110), (40, 100)], noise: 0.02), [30, 42],
    eager: [30, 42]),
  Golden(
    "noise alone", noisySeries(seed: 3, [(150, 1000)], noise: 0.05), [91, 100],
    eager: [65, 71, 91, 100, 134]),
  Golden(
    "many levels",
    noisySeries(
      seed: 4, [(20, 100), (20, 120), (20, 90), (20, 91), (40, 130), (40, 128)], noise: 0.01),
    [20, 40, 57, 80, 119], eager: [20, 40, 51, 52, 80]),
  Golden("from zero and back", levels((10, 0), (10, 3), (10, 0)), [10, 20], eager: [10, 20]),
  Golden("two values", [1, 2], [], eager: []),
  Golden("one value", [5], [], eager: []),
  Golden("no value", [], [], eager: []),
  Golden("alternating", (0..<80).map { $0 % 2 == 0 ? 10 : 20 }, [], eager: []),
  Golden(
    "a ramp", (0..<60).map { Double($0) }, [6, 12, 19, 25, 31, 37, 44, 52],
    eager: [5, 10, 15, 18, 23, 28, 33, 36, 41, 46, 51, 57]),
  Golden(
    "a step of 1%", noisySeries(seed: 5, [(100, 1000), (60, 1010)], noise: 0.005), [100], eager: []),
  Golden("one outlier", levels((30, 100), (1, 900), (30, 100)), [], eager: []),
]

@Suite struct ChangePointDetectionTests {
  @Test(arguments: goldens) private func findsWhatOtavaFinds(_ golden: Golden) {
    let found = ChangePointDetection().changePoints(in: golden.series)
    #expect(found.map(\.index) == golden.indices)
    let eager = ChangePointDetection(window: 20, maximumP: 0.01, minimumChange: 0.02)
    #expect(eager.changePoints(in: golden.series).map(\.index) == golden.eager)
  }

  /// The probability of a point equals the probability that Otava computes.
  @Test func aPointHasBothSidesUpToItsNeighbours() throws {
    let series = noisySeries(seed: 2, [(30, 100), (12, 110), (40, 100)], noise: 0.02)
    let points = ChangePointDetection().changePoints(in: series)
    try #require(points.count == 2)
    #expect(points[0].before == SampleMoments(series[..<30]))
    #expect(points[0].after == SampleMoments(series[30..<42]))
    #expect(points[1].before == SampleMoments(series[30..<42]))
    #expect(points[1].after == SampleMoments(series[42...]))
    #expect(abs(points[0].p / 1.2054419365587472e-21 - 1) < 1e-9)
    #expect(try #require(points[0].change) > 0.09 && points[1].change ?? 0 < -0.08)
  }

  /// Removing a point changes the sides of both its neighbours.
  @Test(arguments: 0..<60) func noPointIsBeyondTheLimits(seed: Int) {
    let series = noisySeries(seed: UInt64(seed), [(200, 1000)], noise: 0.05)
    for detection in [
      ChangePointDetection(), ChangePointDetection(maximumP: 0.01, minimumChange: 0.02),
    ] {
      let points = detection.changePoints(in: series)
      for (place, point) in points.enumerated() {
        let start = place > 0 ? points[place - 1].index : 0
        let end = place + 1 < points.count ? points[place + 1].index : series.count
        #expect(point.before == SampleMoments(series[start..<point.index]))
        #expect(point.after == SampleMoments(series[point.index..<end]))
        #expect(point.p < detection.maximumP)
        let (low, high) = (
          min(point.before.mean, point.after.mean), max(point.before.mean, point.after.mean)
        )
        #expect(high / low - 1 > detection.minimumChange)
      }
    }
  }

  @Test func aChangeFromZeroIsNoShare() {
    let points = ChangePointDetection().changePoints(in: levels((10, 0), (10, 3)))
    #expect(points.map(\.change) == [nil] && points.map(\.p) == [0])
  }

  /// The energy statistic equals the sum of its definition, which is computed pair by pair.
  @Test(arguments: 0..<20) func theStatisticIsThatOfItsDefinition(seed: Int) throws {
    let series = noisySeries(seed: UInt64(seed), [(7, 10), (5, 12)], noise: 0.1)
    func sum(_ a: ArraySlice<Double>, _ b: ArraySlice<Double>) -> Double {
      a.reduce(0) { sum, x in b.reduce(sum) { $0 + abs(x - $1) } }
    }
    var best = (value: -Double.infinity, index: 0)
    for place in 1..<series.count {
      for end in (place + 1)...series.count {
        let (x, y) = (series[..<place], series[place..<end])
        let (n, m) = (Double(x.count), Double(y.count))
        var energy = 2 / (n * m) * sum(x, y)
        if n > 1 { energy -= sum(x, x) / (n * (n - 1)) }
        if m > 1 { energy -= sum(y, y) / (m * (m - 1)) }
        let value = n * m / (n + m) * energy
        if value > best.value { best = (value, place) }
      }
    }
    let found = try #require(EnergyStatistic(series[...]).best(in: series.indices))
    #expect(found.index == best.index && abs(found.value - best.value) < 1e-9, "seed \(seed)")
  }
}

@Suite struct StudentTestTests {
  /// Values of the two-sided test from tables of Student's distribution: t with a probability of 5%, 1% and 0.1%.
  @Test(arguments: [
    (1, 12.7062, 0.05), (1, 636.619, 0.001), (2, 9.92484, 0.01), (5, 2.57058, 0.05),
    (10, 3.16927, 0.01), (30, 3.64596, 0.001), (120, 1.97993, 0.05),
  ])
  func agreesWithTables(freedom: Int, t: Double, p: Double) {
    let nu = Double(freedom)
    let found = StudentTest.incompleteBeta(nu / 2, 0.5, at: nu / (nu + t * t))
    #expect(abs(found / p - 1) < 1e-4)
  }

  @Test func samplesWithoutSpreadDifferOrNot() {
    func p(_ a: [Double], _ b: [Double]) -> Double {
      StudentTest.probability(SampleMoments(a[...]), SampleMoments(b[...]))
    }
    #expect(p([1, 1], [1, 1]) == 1)
    #expect(p([1, 1], [2, 2]) == 0)
    #expect(p([1], [2]) == 1, "two values say nothing")
    #expect(p([1], [2, 2]) == 0)
  }
}
