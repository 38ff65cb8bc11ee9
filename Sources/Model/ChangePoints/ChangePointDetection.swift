/// Finds the commits at which the level of a metric changed, in a series of one value a commit.
///
/// A commit that makes a launch slower stays in the history: all later values are higher, too. So the detection
/// compares the values before a commit with the values after it. A comparison with the previous value alone would not
/// do, because noise makes single values high or low.
///
/// **The statistic.** `EnergyStatistic` measures how different two adjacent parts of a series are. It makes no
/// assumption about their distribution. The candidate is the place at which two parts differ most.
///
/// **The test.** The original method estimates by permutations how probable such a difference is by chance. This takes
/// long and is random. Student's t-test of the two parts is quick and gives the same answer each time (`StudentTest`).
/// A significant candidate divides the series in two. Both parts are searched in turn, until no candidate is
/// significant.
///
/// **Windows.** In a long series many changes up and down hide a single change. So windows of `window` values are
/// searched. Each window begins half a window after the previous window, or at the last change point in the previous
/// window if that is later.
///
/// **Weak points.** A true change may first look insignificant, because another change lies in the same part. So the
/// search accepts points up to ten times `maximumP`. Then it removes the weakest point and tests that point's
/// neighbours again, between their new neighbours. This repeats until all points are significant and above
/// `minimumChange`.
///
/// Sources: Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data",
/// Journal of the American Statistical Association 109 (2014), <https://arxiv.org/abs/1306.4933>, for the statistic and
/// the division; Fleming and others, "Hunter: Using Change Point Detection to Hunt for Performance Regressions", ICPE
/// 2023, <https://doi.org/10.1145/3578244.3583719>, for the test, the windows and weak points. Apache Otava 0.8.0,
/// which was Hunter, finds the same points with the same settings, with one exception. After it removes a point, it
/// tests the next two points again, although the second of them has the same neighbours as before, and does not test
/// the previous point. So it keeps some points that its own limits exclude (18 of 1,200 seeded series have such a
/// point).
///
/// A change in spread alone is not detected. A change is detected only with values after it: one value if the values
/// repeat exactly, ten or more if they vary by several percent.
package struct ChangePointDetection: Hashable, Sendable {
  /// The number of values that are searched together; at least 2.
  package var window: Int
  /// A point stays if the probability that `StudentTest` gives for its two sides is below this limit; above 0, at most
  /// 1.
  package var maximumP: Double
  /// A point stays if its change, as a share of the lower of the two means, is above this limit.
  package var minimumChange: Double

  /// - Precondition: each parameter is within the bounds that its property states.
  package init(window: Int = 50, maximumP: Double = 0.001, minimumChange: Double = 0) {
    precondition(window >= 2 && maximumP > 0 && maximumP <= 1 && minimumChange >= 0)
    self.window = window
    self.maximumP = maximumP
    self.minimumChange = minimumChange
  }

  /// The change points of a series, in ascending order.
  ///
  /// - Precondition: all values are finite.
  /// - Complexity: O(*n* *w* *c* + *k*²) for *n* values, windows of *w* values with at most *c* points each, and *k*
  ///   weak points.
  package func changePoints(in series: [Double]) -> [ChangePoint] {
    precondition(series.allSatisfy(\.isFinite), "a series has finite values")
    var points = weakPoints(of: series)
    removeWeak(&points, of: series)
    return points
  }

  /// The limit for `p` before the neighbours of a point are known.
  private var weakP: Double {
    switch maximumP {
    case ..<0.05: maximumP * 10
    case ..<0.5: maximumP * 2
    default: maximumP
    }
  }
}

/// The first value after a change, and the values on both sides up to the neighbouring change points.
package struct ChangePoint: Hashable, Sendable {
  package var index: Int
  package var before: SampleMoments
  package var after: SampleMoments
  /// The probability that `StudentTest` gives for both sides.
  package var p: Double

  fileprivate init(_ index: Int, before: ArraySlice<Double>, after: ArraySlice<Double>) {
    self.index = index
    self.before = SampleMoments(before)
    self.after = SampleMoments(after)
    p = StudentTest.probability(self.before, self.after)
  }

  /// - Parameters:
  ///   - place: the place of the change point's index in `indices`.
  ///   - indices: the change points, in ascending order.
  fileprivate init(_ place: Int, of indices: [Int], in series: [Double]) {
    let start = place > 0 ? indices[place - 1] : 0
    let end = place + 1 < indices.count ? indices[place + 1] : series.count
    let index = indices[place]
    self.init(index, before: series[start..<index], after: series[index..<end])
  }

  /// The change of the mean as a share of the mean before; `nil` if the mean before is 0.
  package var change: Double? {
    before.mean == 0 ? nil : after.mean / before.mean - 1
  }

  /// The change as a share of the lower mean, so that equal changes up and down have the same value.
  fileprivate var magnitude: Double {
    let back = after.mean == 0 ? 0 : before.mean / after.mean - 1
    return max(abs(change ?? 0), abs(back))
  }
}

// MARK: Steps

extension ChangePointDetection {
  /// The points that are found in any window, each tested between its neighbours.
  private func weakPoints(of series: [Double]) -> [ChangePoint] {
    var found: Set<Int> = []
    var start = 0
    while start < series.count {
      let points = divide(series[start..<min(start + window, series.count)])
      found.formUnion(points)
      start = max(points.last ?? 0, start + window / 2)
    }
    let indices = found.sorted()
    return indices.indices.map { ChangePoint($0, of: indices, in: series) }
  }

  /// Divides a part of a series at its best candidate as long as the candidate is significant.
  private func divide(_ part: ArraySlice<Double>) -> [Int] {
    let statistic = EnergyStatistic(part)
    var candidates = [part.startIndex: statistic.best(in: part.indices)]
    var bounds = [part.startIndex, part.endIndex]
    while true {
      // Returns the best candidate; of equally good candidates, the first.
      var best: (place: Int, candidate: EnergyStatistic.Candidate)?
      for place in bounds.indices.dropLast() {
        guard let candidate = candidates[bounds[place]] ?? nil else { continue }
        if best.map({ candidate.value > $0.candidate.value }) ?? true { best = (place, candidate) }
      }
      guard let (place, candidate) = best else { break }
      let (start, end) = (bounds[place], bounds[place + 1])
      let point = ChangePoint(
        candidate.index, before: part[start..<candidate.index], after: part[candidate.index..<end])
      guard point.p <= weakP else { break }
      bounds.insert(point.index, at: place + 1)
      candidates[start] = statistic.best(in: start..<point.index)
      candidates[point.index] = statistic.best(in: point.index..<end)
    }
    return Array(bounds.dropFirst().dropLast())
  }

  /// Removes the weakest point, and tests its neighbours again, until no point is too weak.
  private func removeWeak(_ points: inout [ChangePoint], of series: [Double]) {
    func first(where isWeaker: (ChangePoint, ChangePoint) -> Bool) -> Int {
      points.indices.dropFirst().reduce(0) { isWeaker(points[$1], points[$0]) ? $1 : $0 }
    }
    while !points.isEmpty {
      var weakest = first { $0.p > $1.p }
      if points[weakest].p < maximumP {
        weakest = first { $0.magnitude < $1.magnitude }
        if points[weakest].magnitude > minimumChange { return }
      }
      points.remove(at: weakest)
      let indices = points.map(\.index)
      for neighbour in max(weakest - 1, 0)..<min(weakest + 1, points.count) {
        points[neighbour] = ChangePoint(neighbour, of: indices, in: series)
      }
    }
  }
}
