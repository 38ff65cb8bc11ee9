import ArgumentParser

/// The first word of a command line with subcommands.
enum CommandName {
  /// The subcommand of `root` that `word` names.
  ///
  /// - Throws: a usage error if there is none, with the name that was probably meant.
  static func subcommand(
    _ word: String, of root: any ParsableCommand.Type
  ) throws -> any ParsableCommand.Type {
    let subcommands = root.configuration.subcommands
    if let found = subcommands.first(where: { $0.configuration.answers(to: word) }) { return found }
    let names = subcommands.compactMap { $0.configuration.commandName } + ["help"]
    let suggestion = closest(to: word, of: names).map { ": did you mean '\($0)'?" } ?? ""
    throw ValidationError("unknown command '\(word)'\(suggestion)")
  }

  /// The name of which `word` is a misspelling: the first with the least distance, if that is below half its length;
  /// `nil` if there is none.
  static func closest(to word: String, of names: [String]) -> String? {
    let ranked = names.map { (name: $0, distance: distance(word, $0)) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }),
      2 * best.distance < max(best.name.count, 3), best.distance <= 3
    else { return nil }
    return best.name
  }

  /// The number of letters to insert, to remove, to replace, or to exchange with the next one, each at most once
  /// (optimal string alignment).
  ///
  /// - Complexity: O(*a* *b*); of a long word only the beginning counts.
  private static func distance(_ first: String, _ second: String) -> Int {
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
}

extension CommandConfiguration {
  /// Whether `word` is the command's name or one of its aliases.
  fileprivate func answers(to word: String) -> Bool {
    commandName == word || aliases.contains(word)
  }
}
