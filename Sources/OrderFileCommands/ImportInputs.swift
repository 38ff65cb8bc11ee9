import ArgumentParser
import ByteReading
import ImageModel
import Reporting
import Symbolication
import Workflows

/// The image of an import.
struct ImportInputs {
  let image: Image
  let warnings: [Diagnostic]

  init(_ options: ImportOptions) throws(Diagnostic) {
    (image, warnings) = try Image.reading(
      path: options.image, debugFile: options.debugFile,
      slice: SliceChoice(options.arch?.architecture))
  }
}

/// The arguments of an import from a list.
struct ListArguments: ParsableArguments {
  @Argument(help: ArgumentHelp("The list, - for stdin.", valueName: "file"), completion: .file())
  var file: String
  @OptionGroup var options: ImportOptions
  @Flag(help: "List all lines that stand for nothing, not just the first ten.")
  var listMissing = false

  func run(
    _ source: String, reading: (FileBytes, Image) throws(Diagnostic) -> ImportedLaunch
  ) throws(Diagnostic) {
    let output = try Output(options.output)
    let inputs = try ImportInputs(options)
    let launch = try reading(try InputFile.bytes(file), inputs.image)
    guard 2 * launch.missing.count <= launch.entryCount else {
      let found = launch.entryCount - launch.missing.count
      throw Diagnostic(
        "only \(found) of \(counted(launch.entryCount, "line")) of '\(file)' are in it: it is another "
          + "program, or stripped", context: [options.image],
        hint: launch.missing.first.map {
          "line \($0.line), '\($0.text)': \($0.reason)"
        }, severity: .mismatch)
    }
    try options.finish(
      launch, source: source, inputs: [file],
      details: .list(
        ImportDocument.List(
          entries: launch.entryCount,
          missing: launch.missing.map {
            ImportDocument.MissingLine(line: $0.line, name: $0.text, reason: $0.reason)
          })),
      to: output, warnings: inputs.warnings + missingWarnings(launch))
  }

  private func missingWarnings(_ launch: ImportedLaunch) -> [Diagnostic] {
    let listed = listMissing ? launch.missing[...] : launch.missing.prefix(10)
    var warnings = listed.map {
      Diagnostic("missing '\($0.text)': \($0.reason)", context: ["\(file):\($0.line)"])
    }
    let rest = launch.missing.count - listed.count
    if rest > 0 {
      warnings.append(
        Diagnostic(
          "\(counted(rest, "more line")) \(rest == 1 ? "stands" : "stand") for nothing",
          context: [file], hint: "list them by --list-missing"))
    }
    return warnings
  }
}
