/// How different two adjacent parts of a series are, by the distances between their values.
///
/// For parts X of *n* and Y of *m* values, with the distance |a - b|, the energy distance is twice the mean distance
/// between the parts, minus the mean distance within each part. Multiplied by *nm* / (*n* + *m*), which makes parts of
/// different sizes comparable, it is
///
///     Q = 2 / (n + m) Σ |x - y|  -  2m / ((n + m)(n - 1)) Σ |x - x'|  -  2n / ((n + m)(m - 1)) Σ |y - y'|
///
/// where the second and third sums contain each pair once, and are 0 for a part of one value. (Matteson and James 2014,
/// equations 5 and 7 with α = 1.) The second part may end before the series does: otherwise a change back would hide a
/// change.
///
/// Running sums of distances give Q in constant time for each pair of places.
package struct EnergyStatistic {
  /// A place at which the second part can begin, and the value of Q for this place.
  package struct Candidate {
    package var index: Int
    package var value: Double
  }

  private let start: Int
  private let count: Int
  /// `count` + 1 numbers for each value: the sums of its distances from the first 0, 1, ... values.
  private let sums: [Double]

  /// - Complexity: O(*n*²) for *n* values, in time and memory.
  package init(_ series: ArraySlice<Double>) {
    start = series.startIndex
    count = series.count
    var sums: [Double] = []
    sums.reserveCapacity(count * (count + 1))
    for value in series {
      var sum = 0.0
      sums.append(sum)
      for other in series {
        sum += abs(value - other)
        sums.append(sum)
      }
    }
    self.sums = sums
  }

  /// The sum of the distances of the value at `index` from the values in `range`.
  private func distance(_ index: Int, _ range: Range<Int>) -> Double {
    let row = (index - start) * (count + 1) - start
    return sums[row + range.upperBound] - sums[row + range.lowerBound]
  }

  /// Returns the place in `range` where Q is greatest; the first of several such places. `nil` if there are fewer than
  /// two values.
  ///
  /// - Complexity: O(*n*²) for a range of *n*.
  package func best(in range: Range<Int>) -> Candidate? {
    var best: Candidate?
    var withinFirst = 0.0
    for place in range.dropFirst() {
      let n = Double(place - range.lowerBound)
      withinFirst += distance(place - 1, range.lowerBound..<(place - 1))
      var (between, withinSecond) = (0.0, 0.0)
      for last in place..<range.upperBound {
        let m = Double(last - place + 1)
        between += distance(last, range.lowerBound..<place)
        withinSecond += distance(last, place..<last)
        var value = 2 / (n + m) * between
        if n > 1 { value -= 2 * m / ((n + m) * (n - 1)) * withinFirst }
        if m > 1 { value -= 2 * n / ((n + m) * (m - 1)) * withinSecond }
        if best.map({ value > $0.value }) ?? true { best = Candidate(index: place, value: value) }
      }
    }
    return best
  }
}
