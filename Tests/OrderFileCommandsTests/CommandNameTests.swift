import ArgumentParser
import OrderFileCommands
import TestSupport
import Testing

@Suite struct CommandNameTests {
  @Test(
    arguments: [
      ("recrod", "record"), ("mesure", "measure"), ("doc", nil), ("docter", "doctor"),
      ("help?", "help"), ("x", nil), ("", nil), ("generate", nil), ("dif", "diff"),
    ] as [(String, String?)])
  func aMisspeltCommandIsCorrected(word: String, meant: String?) {
    let error = #expect(throws: (any Error).self) {
      try OrderFileCommand.parse(commandLine: ["orderfile", word, "-x"])
    }
    let text = error.map { OrderFileCommand.message(for: $0) }
    let suggestion = meant.map { ": did you mean '\($0)'?" } ?? ""
    #expect(text == "unknown command '\(word)'\(suggestion)")
  }

  @Test(
    arguments: [
      ("optimise", "optimize"), ("biuld", "build"), ("rnu", "run"), ("cleam", "clean"),
    ] as [(String, String?)])
  func aMisspeltVerbOfCargoIsCorrected(word: String, meant: String?) {
    let error = #expect(throws: (any Error).self) {
      try OrderFileCommand.parse(cargoCommandLine: ["cargo-orderfile", "orderfile", word])
    }
    let text = error.map { OrderFileCommand.message(for: $0) }
    let suggestion = meant.map { ": did you mean '\($0)'?" } ?? ""
    #expect(text == "unknown command '\(word)'\(suggestion)")
  }

  @Test(
    arguments: [
      (["history", "trendd", "h"], "trendd", "trend"), (["import", "symbol"], "symbol", "symbols"),
      (["import", "adresses", "--help"], "adresses", "addresses"),
      (["help", "history", "trendd"], "trendd", "trend"),
    ] as [([String], String, String?)])
  func aMisspeltCommandOfACommandIsCorrected(words: [String], word: String, meant: String?) {
    let error = #expect(throws: (any Error).self) {
      try OrderFileCommand.parse(commandLine: ["orderfile"] + words)
    }
    let text = error.map { OrderFileCommand.message(for: $0) }
    let suggestion = meant.map { ": did you mean '\($0)'?" } ?? ""
    #expect(text == "unknown command '\(word)'\(suggestion)")
  }

  @Test(arguments: [["history", "lst"], ["help", "history", "lst"], ["history", "help"]])
  func whereAFewCommandsCanBeMeantAllAreNamed(words: [String]) {
    let error = #expect(throws: UnknownCommand.self) {
      try OrderFileCommand.parse(commandLine: ["orderfile"] + words)
    }
    #expect(
      error?.description
        == "unknown command '\(words.last ?? "")': 'history' has add, trend")
  }

  @Test func helpOnAnArgumentSaysThatTheCommandHasNoCommands() {
    let error = #expect(throws: UnknownCommand.self) {
      try OrderFileCommand.parse(commandLine: ["orderfile", "help", "export", "perfetto"])
    }
    #expect(error?.description == "unknown command 'perfetto': 'export' has no commands")
  }

  /// Words that are names of files are not corrected to names of commands.
  @Test(arguments: [["record", "recrod"], ["history", "trend", "trendd"], ["import"], ["help"]])
  func wordsOfACommandAreNotCorrected(words: [String]) throws {
    _ = try OrderFileCommand.parse(commandLine: ["orderfile"] + words)
  }

  @Test(arguments: ["auto", "init --print make"]) func onlyLinkersOfELFAreOffered(command: String) {
    let words = command.split(separator: " ").map(String.init)
    let rest = command == "auto" ? [] : ["--program", "app"]
    let error = #expect(throws: (any Error).self) {
      try OrderFileCommand.parse(
        commandLine: ["orderfile"] + words + rest + ["--linker", "ld-prime"])
    }
    let text = error.map { OrderFileCommand.message(for: $0) } ?? ""
    #expect(text.contains("gnu-ld") && !text.contains("ld64"), "\(text)")
  }

  @Test func aLongWordIsNoCommand() {
    let word = String(repeating: "record", count: 100_000)
    #expect(throws: (any Error).self) {
      try OrderFileCommand.parse(commandLine: ["orderfile", word])
    }
  }
}
