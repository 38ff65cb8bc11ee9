import ByteReading
import CommandSupport
import ImageModel
import OrderFileFormat
import OrderFileMatching
import PerfScriptFormat
import Rendering
import Symbolication
import TemporalProfileFormat
import TraceSymbolication

/// Makes a trace from another tool's recording of a launch: `orderfile import`.
package struct TraceImport {
  package var source: Source
  /// The image that was launched.
  package var image: String
  /// The debug file of a stripped image.
  package var debugFile: String?
  /// The architecture of the slice to read from a universal file.
  package var architecture: Architecture?
  /// The number of unmatched lines of a list that get a warning each; `nil` for all lines.
  package var listedLines: Int? = 10
  /// The path of the trace, for the report; for a profile that may have several traces, the path of their folder with a
  /// slash at the end.
  package var outputPath: String
  /// Which trace of a profile is imported, from 1; `nil` for all.
  package var traceNumber: Int?

  package enum Source {
    /// The source is one Instruments recording, in exports at these paths.
    case xctrace([String])
    /// The source is a list of symbols or of addresses, one per line in time order.
    case symbols(String)
    case addresses(String)
    /// The source is an order file, whose entries are taken as first hits in their order.
    case order(String)
    /// The source is the output of `perf script`.
    case perf(String)
    /// The source is a temporal profile of LLVM as text.
    case proftext(String)
    /// The source is temporal profiles of LLVM in other forms, each with one launch or several. The converter makes
    /// them text.
    case profdata([String], TemporalProfileConverter)

    /// The paths of the files that are read; `-` is standard input.
    package var paths: [String] {
      switch self {
      case .xctrace(let paths), .profdata(let paths, _): paths
      case .symbols(let path), .addresses(let path), .order(let path), .perf(let path),
        .proftext(let path):
        [path]
      }
    }

    var name: String {
      switch self {
      case .xctrace: "xctrace"
      case .symbols: "symbols"
      case .addresses: "addresses"
      case .order: "order"
      case .perf: "perf"
      case .proftext: "proftext"
      case .profdata: "profdata"
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

  /// The hits and counts that were read from a source.
  private struct Reading {
    var launch: ImportedLaunch
    var details: ImportDocument.Details
    var warnings: [Diagnostic]
    /// The number of the trace in its profile, from 1, if traces are written to a folder.
    var number: Int?
  }

  /// Passes each imported trace to `body`, one after the other: only a profile has more than one.
  ///
  /// - Throws: if a file can't be read, if nothing was recorded, and `mismatch` if most of the source does
  ///   not belong to the image.
  package func run(_ body: (Result) throws(Diagnostic) -> Void) throws(Diagnostic) {
    let (image, imageWarnings) = try Image.reading(
      path: image, debugFile: debugFile, slice: SliceChoice(architecture))
    func finish(_ reading: Reading) throws(Diagnostic) {
      try body(try result(reading, imageWarnings))
    }
    switch source {
    case .xctrace(let paths): try finish(try xctrace(paths, of: image))
    case .symbols(let path):
      try finish(
        try list(ImportedLaunch(symbols: try InputFile.bytes(path), of: image), at: path))
    case .addresses(let path):
      let bytes = try InputFile.bytes(path)
      let launch: ImportedLaunch
      do { launch = try ImportedLaunch(addresses: bytes, of: image) } catch {
        throw Diagnostic("\(error)", context: [path])
      }
      try finish(try list(launch, at: path))
    case .order(let path):
      let order = try InputFile.namedOrderFile(
        try InputFile.bytes(path), path, of: image.layout.imageFormat, linker: image.linker
      ).orders(
        of: [OrderFile.Build(fileName(ofPath: image.path), image.layout, image.architecture)]
      ).order
      try finish(try list(ImportedLaunch(order: order, of: image), of: "entry", at: path))
    case .perf(let path): try finish(try samples(path, of: image))
    case .proftext(let path):
      try traces(of: try InputFile.bytes(path), at: path, of: image, finish)
    case .profdata(let paths, let converter):
      try traces(
        of: try converter.text(of: paths), at: paths[0], of: image, finish)
    }
  }

  private func result(
    _ reading: Reading, _ imageWarnings: [Diagnostic]
  ) throws(Diagnostic) -> Result {
    let launch = reading.launch
    let path = reading.number.map { "\(outputPath)\($0).oftrace" } ?? outputPath
    guard !launch.uses.isEmpty else {
      throw Diagnostic(
        "nothing was recorded: this file has no function of '\(self.image)'", context: source.paths,
        severity: .nothingRecorded)
    }
    let trace: [UInt8]
    do { trace = try launch.traceBytes() } catch {
      throw Diagnostic("unable to write the trace: \(error)", context: [path])
    }
    return Result(
      trace: trace,
      document: ImportDocument(
        source: source.name, inputPaths: source.paths, outputPath: path,
        imagePath: self.image, imageID: launch.image.id, functions: launch.uses.count,
        details: reading.details), warnings: imageWarnings + reading.warnings)
  }

  /// Passes each wanted trace of a profile to `body`.
  private func traces(
    of bytes: FileBytes, at path: String, of image: Image,
    _ body: (Reading) throws(Diagnostic) -> Void
  ) throws(Diagnostic) {
    let profile: TemporalProfile
    do { profile = try TemporalProfile(parsing: bytes) } catch {
      throw Diagnostic("\(error)", context: [path], hint: Self.hint(for: error, bytes))
    }
    let count = profile.traces.count
    let isFolder = outputPath.hasSuffix("/")
    guard count > 0 else {
      throw Diagnostic(
        "nothing was recorded: the profile has no traces", context: [path],
        severity: .nothingRecorded)
    }
    guard traceNumber ?? 1 <= count, traceNumber != nil || count == 1 || isFolder else {
      throw Diagnostic(
        traceNumber.map { "missing trace \($0): found \(counted(count, "trace"))" }
          ?? "unable to write \(count) traces to one file", context: [path],
        hint:
          "import one of them with --trace-number, from 1 to \(count), or all into a folder: -o FOLDER/"
      )
    }
    var map = SymbolMap(image.layout)
    for (index, trace) in profile.traces.enumerated() {
      guard traceNumber ?? (index + 1) == index + 1 else { continue }
      var reading = try list(
        ImportedLaunch(trace, of: profile, image, names: &map), of: "name", at: path)
      if isFolder { reading.number = index + 1 }
      if index + 1 == traceNumber ?? 1, UInt64(count) < profile.streamSize {
        reading.warnings.append(
          Diagnostic(
            "this profile has only \(counted(count, "trace")) of \(profile.streamSize): it keeps a sample",
            context: [path],
            hint:
              "to keep all traces: llvm-profdata merge --temporal-profile-trace-reservoir-size=\(profile.streamSize)"
          ))
      }
      if trace.weight != 1 {
        reading.warnings.append(
          Diagnostic(
            "trace \(index + 1) counts \(trace.weight) times in the profile, but only once in the imported trace: traces have no weights",
            context: ["\(path):\(trace.line)"]))
      }
      try body(reading)
    }
  }

  private static func hint(for error: ParseError, _ bytes: FileBytes) -> String? {
    // The file is binary if it begins with the magic number of one of LLVM's two binary forms, in either byte order.
    if bytes.count >= 8, bytes[0] == 0xff || bytes[7] == 0xff {
      return "import .profdata and .profraw files with 'orderfile import profdata'"
    }
    guard case .missing = error.reason else { return nil }
    return
      "build with -fprofile-generate -mllvm -pgo-temporal-instrumentation, or -ftemporal-profile (clang 20)"
  }

  private func samples(_ path: String, of image: Image) throws(Diagnostic) -> Reading {
    let sampled = try SampledLaunch(
      PerfScript(try InputFile.bytes(path)), path: path, of: image)
    var reading = try list(sampled.launch, of: "name", at: path)
    reading.details = .samples(
      ImportDocument.Samples(
        samples: sampled.sampleCount, names: sampled.launch.entryCount,
        unnamedFrames: sampled.unnamedFrames,
        command: String(decoding: sampled.command, as: UTF8.self),
        missing: missingLines(of: sampled.launch)))
    reading.warnings += sampled.otherProcesses.map {
      Diagnostic("process \($0) also used the image, and is not imported", context: [path])
    }
    return reading
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
          "process '\(String(decoding: $0.label, as: UTF8.self))' also used the image, and is not imported",
          context: paths)
      })
  }

  /// - Parameter noun: the noun for an entry of the source.
  private func list(
    _ launch: ImportedLaunch, of noun: String = "line", at path: String
  ) throws(Diagnostic) -> Reading {
    guard 2 * launch.unknownCount <= launch.entryCount else {
      let found = launch.entryCount - launch.unknownCount
      throw Diagnostic(
        "only \(found) of \(entriesCounted(launch.entryCount, noun)) of '\(path)' match this image: it is another "
          + "program, or its symbols were stripped", context: [image],
        hint: launch.missing.first { !$0.isNamedByImage }.map {
          "line \($0.line), '\($0.text)': \($0.reason)"
        },
        severity: .mismatch)
    }
    let missing = missingLines(of: launch)
    return Reading(
      launch: launch,
      details: .list(
        ImportDocument.List(entries: launch.entryCount, noun: noun, missing: missing)),
      warnings: warnings(of: missing, noun, at: path))
  }

  private func missingLines(of launch: ImportedLaunch) -> [ImportDocument.MissingLine] {
    launch.missing.map {
      ImportDocument.MissingLine(line: $0.line, name: $0.text, reason: $0.reason)
    }
  }

  private func warnings(
    of missing: [ImportDocument.MissingLine], _ noun: String, at path: String
  ) -> [Diagnostic] {
    let listed = missing.prefix(listedLines ?? missing.count)
    var warnings = listed.map {
      Diagnostic("missing '\($0.name)': \($0.reason)", context: ["\(path):\($0.line)"])
    }
    let rest = missing.count - listed.count
    if rest > 0 {
      warnings.append(
        Diagnostic(
          "\(entriesCounted(rest, "more \(noun)")) \(rest == 1 ? "matches" : "match") no function",
          context: [path], hint: "list all of them with --list-missing"))
    }
    return warnings
  }
}
