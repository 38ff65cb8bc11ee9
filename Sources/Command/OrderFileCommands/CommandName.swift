import ArgumentParser
import Rendering

/// A word of a command line that names a subcommand.
enum CommandName {
  /// Returns the subcommand of `root` with the name `word`.
  ///
  /// - Parameter others: further words to suggest.
  /// - Throws: an error if there is no such subcommand. It has the name that was probably meant, or all names.
  static func subcommand(
    _ word: String, of root: any ParsableCommand.Type, or others: [String] = []
  ) throws(UnknownCommand) -> any ParsableCommand.Type {
    let subcommands = root.configuration.subcommands
    if let found = subcommands.first(where: { $0.configuration.answers(to: word) }) { return found }
    let names = subcommands.compactMap { $0.configuration.commandName }
    let parent = root.configuration.commandName ?? ""
    var advice = ""
    if let name = closestName(to: word, of: names + others) {
      advice = ": did you mean '\(name)'?"
    } else if names.isEmpty {
      advice = ": '\(parent)' has no commands"
    } else if names.count <= 12 {
      advice = ": '\(parent)' has \(names.joined(separator: ", "))"
    }
    throw UnknownCommand(message: "unknown command '\(word)'\(advice)", parent: root)
  }
}

/// A usage error: a word that is not the name of a subcommand.
package struct UnknownCommand: Error, CustomStringConvertible {
  let message: String
  /// The command that has no subcommand of the name.
  let parent: any ParsableCommand.Type

  package var description: String { message }

  /// Returns the message in the form of ArgumentParser's own errors, with the usage of `parent`.
  ///
  /// - Parameter root: the command of the process.
  func text(in root: any ParsableCommand.Type) -> String {
    let usage = root.usageString(for: parent)
    let command = usage.prefix { $0 != "<" && $0 != "[" }.split(separator: " ")
      .joined(separator: " ")
    return """
      Error: \(message)
      Usage: \(usage)
        See '\(command) --help' for more information.

      """
  }
}

extension CommandConfiguration {
  /// Whether `word` is the command's name or one of its aliases.
  fileprivate func answers(to word: String) -> Bool {
    commandName == word || aliases.contains(word)
  }
}
