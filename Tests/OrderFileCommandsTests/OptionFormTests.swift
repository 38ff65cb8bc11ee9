import ArgumentParser
import Foundation
import OrderFileCommands
import TestSupport
import Testing

/// The messages about option values of the wrong form.
@Suite struct OptionFormTests {
  private struct Command {
    /// The words of the command, without the name of the tool.
    var words: [String]
    /// The options that take a value.
    var options: [String]
  }

  /// Returns all commands that have no subcommands, as the tool itself describes them.
  private static func commands() throws -> [Command] {
    let description = OrderFileCommand._dumpHelp()
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(description.utf8)) as? [String: Any])
    func all(_ command: [String: Any], below path: [String]) -> [Command] {
      let subcommands = command["subcommands"] as? [[String: Any]] ?? []
      guard subcommands.isEmpty else {
        return subcommands.flatMap { all($0, below: path + [$0["commandName"] as? String ?? ""]) }
      }
      let options = (command["arguments"] as? [[String: Any]] ?? [])
        .filter { $0["kind"] as? String == "option" }
        .compactMap { ($0["preferredName"] as? [String: Any])?["name"] as? String }
      return [Command(words: path, options: options.filter { $0.count > 1 })]
    }
    return all(try #require(json["command"] as? [String: Any]), below: [])
  }

  /// Only options that take any text accept this value.
  @Test(.needs(.time)) func aValueOfAnotherFormIsAnsweredWithTheForm() throws {
    var refused = 0
    for command in try Self.commands() {
      for option in command.options {
        let words = command.words + ["--\(option)", "\n?\n"]
        guard let message = Self.error(words), message.contains("is invalid for") else { continue }
        refused += 1
        let place = try #require(message.firstRange(of: "is invalid for '--\(option)"))
        let rest = message[place.upperBound...].drop { $0 != "'" }.dropFirst()
        #expect(
          rest.hasPrefix(": expected ") || rest.hasPrefix(". Please provide one of"), "\(message)")
      }
    }
    #expect(refused > 30)
  }

  private static func error(_ words: [String]) -> String? {
    do {
      _ = try OrderFileCommand.parse(commandLine: ["orderfile"] + words)
      return nil
    } catch { return OrderFileCommand.message(for: error) }
  }

  @Test(
    arguments: [
      ("8080", "port=8080"), (":8080", "port=8080"), ("localhost:80", "port=80"),
      ("Listening on", "line=Listening on"), ("99999", "line=99999"),
    ])
  func aSignWithoutItsKindIsSuggestedWithIt(value: String, meant: String) throws {
    for command in ["record", "measure --before a --after b"] {
      let words = command.split(separator: " ").map(String.init)
      let message = Self.error(words + ["--until-ready", value]) ?? ""
      #expect(message.contains("did you mean '\(meant)'?"), "\(message)")
    }
    let port = Self.error(["record", "--until-ready", "port=http"]) ?? ""
    #expect(port.hasSuffix("expected port=NUMBER, line=TEXT or mark=NAME"), "\(port)")
  }

  /// The help of each command states the conditions that end its launches.
  @Test func theHelpOfALaunchIsThatOfTheCommand() {
    for command in ["record", "pages", "measure", "stages", "faults", "refine", "advise", "auto"] {
      let text = Self.help(of: command).split(whereSeparator: \.isWhitespace)
        .joined(separator: " ")
      let takesMarks = ["record", "pages"].contains(command)
      #expect(
        text.contains("mark=NAME when it calls orderfile_mark() with that name") == takesMarks,
        "\(command)")
      let limit = command == "auto" ? "(default: 60)" : "(default: none; 60 with --until-ready)"
      #expect(text.contains("SIGKILL 2 s later. \(limit)"), "\(command)")
      #expect(!text.contains("and for auto") && !text.contains("for record and pages"))
    }
  }

  private static func help(of command: String) -> String {
    let type = OrderFileCommand.configuration.subcommands
      .first { $0.configuration.commandName == command }
    return type.map { OrderFileCommand.helpMessage(for: $0) } ?? ""
  }
}
