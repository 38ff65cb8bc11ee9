import ArgumentParser
import ImageModel

/// `--quiet`, and what it silences: everything on standard error except errors.
struct Messages: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print no notes and warnings, only results and errors.")
  var quiet = false

  /// Prints what was done: a note is no result.
  func print(note text: String) {
    if !quiet { Console.printNote(text) }
  }

  /// Prints what a result may suffer from.
  func print(_ warnings: [Diagnostic]) {
    if !quiet { Console.printWarnings(warnings) }
  }
}
