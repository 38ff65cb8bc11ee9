import ArgumentParser
import ImageModel

/// `--quiet`: silences everything on standard error except errors.
struct Messages: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print only results and errors, no notes and warnings.")
  var quiet = false

  /// Prints a note about what was done, which is no result.
  func print(note text: String) {
    if !quiet { Console.printNote(text) }
  }

  /// Prints warnings about a result.
  func print(_ warnings: [Diagnostic]) {
    if !quiet { Console.printWarnings(warnings) }
  }
}
