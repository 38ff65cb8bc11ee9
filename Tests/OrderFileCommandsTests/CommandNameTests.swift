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
      ("bench", nil),
    ] as [(String, String?)])
  func aMisspeltVerbOfCargoIsCorrected(word: String, meant: String?) {
    let error = #expect(throws: (any Error).self) {
      try OrderFileCommand.parse(cargoCommandLine: ["cargo-orderfile", "orderfile", word])
    }
    let text = error.map { OrderFileCommand.message(for: $0) }
    let suggestion = meant.map { ": did you mean '\($0)'?" } ?? ""
    #expect(text == "unknown command '\(word)'\(suggestion)")
  }

  @Test func aLongWordIsNoCommand() {
    let word = String(repeating: "record", count: 100_000)
    #expect(throws: (any Error).self) {
      try OrderFileCommand.parse(commandLine: ["orderfile", word])
    }
  }
}
