import ArgumentParser
import Demangling
import Prediction

struct CargoOptimizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "optimize",
    abstract:
      "Build the program or library in the order of the recorded launches, and predict the pages that this saves.",
    discussion: """
      EXAMPLES
        $ cargo orderfile optimize
        $ cargo orderfile optimize --bin app --profile dist

      The next 'cargo build' links in the default order again. To keep the order, put it into the project's own build with 'orderfile init'.
      """)
  @OptionGroup var options: CargoOptions

  func validate() throws { try options.check(for: self) }

  func run() throws {
    let ordering = try options.ordering
    let ordered = try ordering.optimize()
    let document = ordered.diff.document
    try Console.print(
      DiffText(
        document, width: Console.width,
        names: Demangler(.short, of: ordered.diff.imageFormat).demangle
      ).text)
    options.messages.print(note: "ordered \(ordered.image.path) by \(ordered.order)")
    options.messages.print(ordering.warnings + ordered.warnings + document.warnings)
  }
}
