/// The ranks of values, from 1; equal values share their mean rank.
struct Ranks {
  /// The ranks, parallel to the values.
  private(set) var ranks: [Double]
  /// The number of equal values, for each value that occurs more than once.
  private(set) var tieSizes: [Int] = []

  init(_ values: [Double]) {
    ranks = [Double](repeating: 0, count: values.count)
    let order = values.indices.sorted { (values[$0], $0) < (values[$1], $1) }
    var first = 0
    while first < order.count {
      var end = first + 1
      while end < order.count, values[order[end]] == values[order[first]] { end += 1 }
      for place in first..<end { ranks[order[place]] = Double(first + 1 + end) / 2 }
      if end - first > 1 { tieSizes.append(end - first) }
      first = end
    }
  }
}
