/// Returns the name that `word` misspells: the first name with the least distance from `word`. Returns `nil` if that
/// distance is above 3, or not below half the length of the name.
package func closestName(to word: String, of names: [String]) -> String? {
  let ranked = names.map { (name: $0, distance: distance(word, $0)) }
  guard let best = ranked.min(by: { $0.distance < $1.distance }),
    2 * best.distance < max(best.name.count, 3), best.distance <= 3
  else { return nil }
  return best.name
}

/// Returns the least number of letters to insert, to remove, to replace, or to exchange with the next one, each at most
/// once (optimal string alignment).
///
/// - Complexity: O(*a* *b*). Only the first 64 letters of the first word are compared.
private func distance(_ first: String, _ second: String) -> Int {
  let (a, b) = (Array(first.prefix(64)), Array(second))
  var rows = [Array(0...b.count)]
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      let replaced = rows[i][j] + (a[i] == b[j] ? 0 : 1)
      var least = min(replaced, rows[i][j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        least = min(least, rows[i - 1][j - 1] + 1)
      }
      row.append(least)
    }
    rows.append(row)
  }
  return rows[a.count][b.count]
}
