import ImageModel
import Reporting
import Symbolication

/// Makes a trace from another tool's recording of a launch: `orderfile import`.
package struct TraceImport {
  package var source: Source
  /// The image that was launched.
  package var image: String
  /// The debug file of a stripped image.
  package var debugFile: String?
  /// The slice of a universal file.
  package var architecture: Architecture?
  /// How many unmatched lines of a list get a warning each; `nil` for all.
  package var listedLines: Int? = 10
  /// The path of the trace, for the report.
  package var outputPath: String

  package enum Source {
    /// Exports of one Instruments recording.
    case xctrace([String])
    /// A list of symbols or of addresses, one per line in time order.
    case symbols(String)
    case addresses(String)

    var name: String {
      switch self {
      case .xctrace: "xctrace"
      case .symbols: "symbols"
      case .addresses: "addresses"
      }
    }

    var paths: [String] {
      switch self {
      case .xctrace(let paths): paths
      case .symbols(let path), .addresses(let path): [path]
      }
    }
  }

  package init(_ source: Source, image: String, outputPath: String) {
    self.source = source
    self.image = image
    self.outputPath = outputPath
  }

  package struct Result {
    package let trace: [UInt8]
    package let document: ImportDocument
    package let warnings: [Diagnostic]
  }

  /// What was read from a source.
  private struct Reading {
    var launch: ImportedLaunch
    var details: ImportDocument.Details
    var warnings: [Diagnostic]
  }

  /// - Throws: if a file can't be read, if nothing was recorded, and `mismatch` if most of the source does
  ///   not belong to the image.
  package func run() throws(Diagnostic) -> Result {
    let (image, imageWarnings) = try Image.reading(
      path: image, debugFile: debugFile, slice: SliceChoice(architecture))
    let reading: Reading
    switch source {
    case .xctrace(let paths): reading = try xctrace(paths, of: image)
    case .symbols(let path):
      reading = try list(
        ImportedLaunch(symbols: try InputFile.bytes(path), of: image), at: path)
    case .addresses(let path):
      let bytes = try InputFile.bytes(path)
      let launch: ImportedLaunch
      do { launch = try ImportedLaunch(addresses: bytes, of: image) } catch {
        throw Diagnostic("\(error)", context: [path])
      }
      reading = try list(launch, at: path)
    }
    let launch = reading.launch
    guard !launch.uses.isEmpty else {
      throw Diagnostic(
        "nothing was recorded: no function of '\(self.image)' is in it", context: source.paths,
        severity: .nothingRecorded)
    }
    let trace: [UInt8]
    do { trace = try launch.traceBytes() } catch {
      throw Diagnostic("unable to write the trace: \(error)", context: [outputPath])
    }
    return Result(
      trace: trace,
      document: ImportDocument(
        source: source.name, inputPaths: source.paths, outputPath: outputPath,
        imagePath: self.image, imageID: launch.image.id, functions: launch.uses.count,
        details: reading.details), warnings: imageWarnings + reading.warnings)
  }

  private func xctrace(_ paths: [String], of image: Image) throws(Diagnostic) -> Reading {
    var exports: [XctraceLaunch.Export] = []
    for path in paths { exports.append((path, try InputFile.bytes(path))) }
    let recorded = try XctraceLaunch(exports, of: image)
    let (launch, byFault) = ImportedLaunch.reading(recorded, of: image)
    return Reading(
      launch: launch,
      details: .recording(
        ImportDocument.Recording(
          process: recorded.process.number,
          processLabel: String(decoding: recorded.process.label, as: UTF8.self),
          functionsByFault: byFault, pageIns: recorded.faults.count(where: \.isPageIn),
          faults: recorded.faults.count)),
      warnings: recorded.otherProcesses.map {
        Diagnostic(
          "process '\(String(decoding: $0.label, as: UTF8.self))' also used the image: not imported",
          context: paths)
      })
  }

  private func list(_ launch: ImportedLaunch, at path: String) throws(Diagnostic) -> Reading {
    guard 2 * launch.unknownCount <= launch.entryCount else {
      let found = launch.entryCount - launch.unknownCount
      throw Diagnostic(
        "only \(found) of \(counted(launch.entryCount, "line")) of '\(path)' match it: it is another "
          + "program, or stripped", context: [image],
        hint: launch.missing.first { !$0.isNamedByImage }.map {
          "line \($0.line), '\($0.text)': \($0.reason)"
        },
        severity: .mismatch)
    }
    let missing = launch.missing.map {
      ImportDocument.MissingLine(line: $0.line, name: $0.text, reason: $0.reason)
    }
    return Reading(
      launch: launch,
      details: .list(ImportDocument.List(entries: launch.entryCount, missing: missing)),
      warnings: warnings(of: missing, at: path))
  }

  private func warnings(
    of missing: [ImportDocument.MissingLine], at path: String
  ) -> [Diagnostic] {
    let listed = missing.prefix(listedLines ?? missing.count)
    var warnings = listed.map {
      Diagnostic("missing '\($0.name)': \($0.reason)", context: ["\(path):\($0.line)"])
    }
    let rest = missing.count - listed.count
    if rest > 0 {
      warnings.append(
        Diagnostic(
          "\(counted(rest, "more line")) \(rest == 1 ? "matches" : "match") no function",
          context: [path], hint: "list them with --list-missing"))
    }
    return warnings
  }
}
