import ArgumentParser
import Reporting

/// A word of a command line that names a subcommand.
enum CommandName {
  /// The subcommand of `root` that `word` names.
  ///
  /// - Parameter others: words that are understood in its place.
  /// - Throws: a usage error if there is none, with the name that was probably meant.
  static func subcommand(
    _ word: String, of root: any ParsableCommand.Type, or others: [String] = []
  ) throws -> any ParsableCommand.Type {
    let subcommands = root.configuration.subcommands
    if let found = subcommands.first(where: { $0.configuration.answers(to: word) }) { return found }
    let names = subcommands.compactMap { $0.configuration.commandName } + others
    let suggestion = closestName(to: word, of: names).map { ": did you mean '\($0)'?" } ?? ""
    throw ValidationError("unknown command '\(word)'\(suggestion)")
  }
}

extension CommandConfiguration {
  /// Whether `word` is the command's name or one of its aliases.
  fileprivate func answers(to word: String) -> Bool {
    commandName == word || aliases.contains(word)
  }
}
