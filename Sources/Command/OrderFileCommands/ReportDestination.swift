import ArgumentParser

/// `--output`: the destination of a report.
struct ReportDestination: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write the result to; - writes to stdout.", valueName: "file"),
    completion: .file())
  var output = "-"

  /// - Parameter inputs: the paths of the files that the report is made of.
  func open(madeOf inputs: [String]) throws -> Output { try Output(output, madeOf: inputs) }

  /// The number of columns of the terminal; `nil` if the report goes to a file, or if stdout is no terminal.
  var width: Int? { output == "-" ? Console.width : nil }

  var isColoured: Bool { output == "-" ? Console.outputIsColoured : Console.colourIsForced }
}
