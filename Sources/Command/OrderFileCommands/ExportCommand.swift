import ArgumentParser
import Budget
import CommandSupport
import Demangling
import Exports
import ImageModel
import Rendering

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract:
      "Export launches to Perfetto, flame graphs, CSV and Parquet, or a history to InfluxDB, Prometheus and CSV.",
    discussion: """
      EXAMPLES
        $ orderfile export perfetto app.oftrace --image build/app -o app.pftrace
        $ orderfile export folded app.oftrace -o app.folded
        $ flamegraph.pl --countname bytes app.folded > app.svg
        $ orderfile export csv launch1.oftrace launch2.oftrace -o hits.csv
        $ orderfile export parquet traces/ -o launches.parquet
        $ orderfile export influx history.jsonl -o history.lines

      Formats of launches:

        perfetto     a trace for ui.perfetto.dev, with stages, marks, and first hits by thread
        folded       the bytes of the functions that were used, by image and module or file, for flame graphs
        csv          a row for each first hit
        parquet      a row for each launch, for Fleet/fold.py, which makes a profile of them. This format needs Python and \
      its package pyarrow. FILES may also be payloads, folders of traces and payloads, and @FILE for the paths that FILE lists

      Formats of a history:

        influx       InfluxDB's line protocol
        openmetrics  the input of 'promtool tsdb create-blocks-from openmetrics'
        csv          a row for each value

      These formats need a different second for each commit. If several commits have the same second, each further \
      commit gets the next free second.
      """)

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case perfetto, folded, csv, parquet, influx, openmetrics
  }

  @Argument(
    help: ArgumentHelp(
      "The format: perfetto, folded, csv, parquet, influx or openmetrics.", valueName: "format"))
  var format: Format
  @Argument(
    help: ArgumentHelp("The traces, or the history, to export; - reads stdin.", valueName: "files"),
    completion: .file())
  var files: [String]
  @Option(
    help: ArgumentHelp(
      "For perfetto and csv: also add the pages of this image or link map that the launch touches, as 'orderfile diff' predicts them.",
      valueName: "file"), completion: .file())
  var image: String?
  @Option(
    help: ArgumentHelp(
      "For perfetto: also show the pages that 'orderfile pages --json' counted.", valueName: "file"),
    completion: .file())
  var pages: String?
  @Option(
    help: ArgumentHelp(
      "For perfetto: also show the page faults of a launch that 'orderfile faults --json' listed. Repeat for more launches.",
      valueName: "file"), completion: .file())
  var faults: [String] = []
  @Option(
    help: ArgumentHelp(
      "For perfetto and csv: the page size: 4k, 16k, 64k, or auto for the page size of the images' platform.",
      valueName: "size"))
  var pageSize: PageSizeChoice?
  @Option(
    help: ArgumentHelp(
      "The path of a recorded image: for payloads always, for traces if the image is no longer where the trace says. Repeat for more images.",
      valueName: "file"), completion: .file())
  var recorded: [String] = []
  @Option(
    help: ArgumentHelp(
      "For parquet: leave out functions of payloads that fewer than this many devices ran. (default: 50)",
      valueName: "devices"), transform: expecting("a number of devices"))
  var minDevices: Int?
  @Option(help: ArchitectureOption.help)
  var arch: ArchitectureOption?
  @Option(
    help: ArgumentHelp(
      "How to demangle names: none, short or full. (default: full)", valueName: "mode"))
  var demangle: DemangleOption?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The file to write; - writes to stdout. (default: -; perfetto and parquet need a file)",
      valueName: "file"
    ),
    completion: .file())
  var output: String?
  @OptionGroup var messages: Messages

  func validate() throws {
    func refuse(_ option: String, _ formats: String, if isWrong: Bool) throws {
      if isWrong {
        throw ValidationError("\(option) is for \(formats), not for \(format.rawValue)")
      }
    }
    if let minDevices { try DeviceOptions.check(minDevices) }
    let countsPages = format == .perfetto || format == .csv
    try refuse("--image", "perfetto and csv", if: image != nil && !countsPages)
    try refuse("--page-size", "perfetto and csv", if: pageSize != nil && !countsPages)
    try refuse("--pages", "perfetto", if: pages != nil && format != .perfetto)
    try refuse("--min-devices", "parquet", if: minDevices != nil && format != .parquet)
    try refuse("--faults", "perfetto", if: !faults.isEmpty && format != .perfetto)
    if pageSize != nil, format == .perfetto, image == nil {
      throw ValidationError("--page-size needs --image: only an image has pages to count")
    }
    try refuse("--demangle", "perfetto, folded and csv", if: demangle != nil && format == .parquet)
    if format == .influx || format == .openmetrics { try checkHistory() }
    if output == nil, format == .perfetto || format == .parquet {
      let kind = format == .perfetto ? "Perfetto trace" : "Parquet file"
      throw ValidationError("missing -o: a \(kind) is not text; '-o -' writes it to stdout")
    }
  }

  /// - Throws: a usage error if the command line has more than one file, or an option for launches.
  private func checkHistory() throws {
    guard files.count == 1 else {
      throw ValidationError("expected one history, found \(files.count) files")
    }
    let options = [
      ("--image", image != nil), ("--pages", pages != nil), ("--faults", !faults.isEmpty),
      ("--page-size", pageSize != nil), ("--recorded", !recorded.isEmpty), ("--arch", arch != nil),
      ("--demangle", demangle != nil),
    ]
    if let wrong = options.first(where: { $0.1 }) {
      throw ValidationError("\(wrong.0) is for launches, not for a history")
    }
  }

  func run() throws {
    let outputFile = try Output(
      output ?? "-", madeOf: files + recorded + faults + [image, pages].compactMap { $0 })
    guard format != .parquet else { return try writeTable(to: outputFile) }
    var options = LaunchExport.Options(traces: files)
    if let format = HistoryExport(rawValue: format.rawValue) {
      let bytes = try InputFile.bytes(files[0])
      if try format != .csv || InputFile.isHistory(bytes, files[0]) {
        try checkHistory()
        let history = try HistoryFile(parsing: bytes, path: files[0])
        return try outputFile.finish(Array(format.text(of: history).utf8))
      }
      options.firstTrace = bytes
    }
    options.recorded = recorded
    options.layout = image
    options.pages = pages
    options.faults = faults
    options.pageSize = pageSize ?? .automatic
    options.architecture = arch?.architecture
    options.findsOwners = format != .perfetto
    let export = try LaunchExport(options)
    let names: NameWording = Demangler((demangle ?? .full).mode, of: export.imageFormat).demangle
    var warnings = export.warnings
    switch format {
    case .perfetto:
      try export.checkTimes()
      let trace = PerfettoTrace(export.launches, faults: export.faults, wording: names)
      try outputFile.finish { trace.write(to: $0) }
    case .folded:
      let stacks = FoldedStacks(export.launches, wording: names)
      try outputFile.finish(Array(stacks.text.utf8))
      if stacks.unknownSizes > 0 {
        warnings.append(
          Diagnostic(
            "left out: \(counted(stacks.unknownSizes, "function")) whose size or address is unknown"
          ))
      }
    case .csv:
      let table = FirstHitTable(export.launches, pageSize: export.pageSize, wording: names)
      try outputFile.finish { table.write(to: $0) }
    case .parquet, .influx, .openmetrics: break
    }
    messages.print(warnings)
  }

  private func writeTable(to outputFile: Output) throws {
    var options = LaunchTable.Options(paths: files)
    options.recorded = recorded
    options.architecture = arch?.architecture
    options.leastDevices = minDevices ?? options.leastDevices
    let table = try LaunchTable(options, .own)
    try outputFile.finish(table.bytes.copy(0..<table.bytes.count))
    messages.print(table.warnings)
  }
}
