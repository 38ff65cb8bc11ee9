import ArgumentParser
import ImageModel

/// `--quiet`: silences everything on standard error except errors.
struct Messages: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print no notes and warnings, only results and errors.")
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
