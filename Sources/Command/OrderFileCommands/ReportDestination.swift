import ArgumentParser

/// `--output`: where a report goes.
struct ReportDestination: ParsableArguments {
  @Option(
    name: .shortAndLong, help: ArgumentHelp("The file to write, - for stdout.", valueName: "file"),
    completion: .file())
  var output = "-"

  /// - Parameter inputs: the paths of what the report is made of.
  func open(madeOf inputs: [String]) throws -> Output { try Output(output, madeOf: inputs) }

  /// The columns of the terminal; `nil` if it is none, or if the report goes to a file.
  var width: Int? { output == "-" ? Console.width : nil }

  var isColoured: Bool { output == "-" ? Console.outputIsColoured : Console.colourIsForced }
}
