import ArgumentParser
import ImageModel
import LaunchMeasurement
import Reporting
import Workflows

struct MeasureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure",
    abstract: "Launch two builds by turns and say which one starts faster, and how sure that is.",
    discussion: """
      EXAMPLES
        $ orderfile measure --before app-before --after build/app -- --version
        $ orderfile measure --cold --precision 2% --before 'a -x' --after 'b -x'

      A and B are images, launched with the arguments behind '--', or commands: words parted by blanks, \
      with quotes as in a shell, and no shell. Cold launches come right after the kernel has dropped the \
      images, which needs no root; libraries stay unless --image names them. Standard input is empty, and \
      what the programs write is thrown away. What a program leaves running is killed before the next launch.
      """)

  @Option(help: ArgumentHelp("The image or command to compare with.", valueName: "A"))
  var before: String
  @Option(help: ArgumentHelp("The image or command to judge.", valueName: "B"))
  var after: String
  @Option(
    help: ArgumentHelp(
      "How often each is launched; with --precision at most. (default: 30, or 500)",
      valueName: "number"))
  var runs: Int?
  @Option(
    help: ArgumentHelp(
      "Launch until mean times are known to within this share, as 3%.", valueName: "share"))
  var precision: PrecisionOption?
  @Flag(help: "In which state of the page cache. (default: --both)")
  var state: MeasuredStates?
  @Flag(help: "Also launch A under another name: what differs then is noise.")
  var control = false
  @Option(
    help: ArgumentHelp(
      "A library, or what a script runs, to evict and look at too. Repeat for more.",
      valueName: "file"), completion: .file())
  var image: [String] = []
  @Flag(help: "Drop all of the page cache before a cold launch, as root.")
  var dropCaches = false
  @Option(
    help: ArgumentHelp("What the programs read from standard input.", valueName: "file"),
    completion: .file())
  var input: String?
  @Option(help: ArgumentHelp("Give up if a launch takes longer.", valueName: "s"))
  var timeout: Double?
  @Flag(help: "Measure launches that fail, too.")
  var ignoreFailure = false
  @Flag(help: "Let the programs write to standard error.")
  var showOutput = false
  @Option(help: ArgumentHelp("Of the order of the launches and of the intervals.", valueName: "n"))
  var seed: UInt64 = 1
  @Flag(help: "Print one JSON object.")
  var json = false
  @Option(
    help: ArgumentHelp("Write all times as hyperfine writes them.", valueName: "file"),
    completion: .file())
  var exportJson: String?
  @Option(
    name: .shortAndLong, help: ArgumentHelp("Where to print, - for stdout.", valueName: "file"),
    completion: .file())
  var output = "-"
  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("Arguments for both, behind '--'.", valueName: "arguments"))
  var arguments: [String] = []

  func validate() throws {
    if let runs, !(2...1_000_000).contains(runs) {
      throw ValidationError("invalid --runs: expected 2 to 1000000, found \(runs)")
    }
    if let timeout, !(timeout > 0 && timeout < 1e9) {
      throw ValidationError("invalid --timeout: expected seconds above 0, found \(timeout)")
    }
    if dropCaches, states == [.warm] {
      throw ValidationError("--drop-caches is for cold launches: not with --warm")
    }
  }

  private var states: [CacheState] { (state ?? .usual).states }

  private var measurement: BuildMeasurement {
    var measurement = BuildMeasurement(before: before, after: after, in: .own)
    measurement.arguments = arguments
    measurement.states = states
    measurement.runs = runs
    measurement.precision = precision?.share
    measurement.hasControl = control
    measurement.images = image
    measurement.inputPath = input
    measurement.timeout = timeout
    measurement.showsOutput = showOutput
    measurement.seed = seed
    measurement.dropsCaches = dropCaches
    measurement.ignoresFailure = ignoreFailure
    return measurement
  }

  func run() throws {
    let outputFile = try Output(output)
    let exportFile = try exportJson.map { path throws(Diagnostic) in try Output(path) }
    let result = try runWithProgress()
    if let document = result.document {
      let width = output == "-" ? Console.width : nil
      try outputFile.finish(
        json ? document.json() : Array(MeasureText(document, width: width).text.utf8))
      try exportFile?.finish(document.hyperfineJSON())
    }
    Console.printWarnings(result.warnings)
    if let interruption = result.interruption { throw interruption }
  }

  private func runWithProgress() throws(Diagnostic) -> BuildMeasurement.Result {
    var bar = ProgressBar(isWanted: !json && !showOutput)
    defer { bar.clear() }
    return try measurement.run { progress in
      let reached = progress.precision.map { ", \(percent($0)) known" } ?? ""
      bar.show(progress.state.rawValue, progress.round, of: progress.mostRounds, reached)
    }
  }
}

/// `--cold`, `--warm` or `--both`.
enum MeasuredStates: String, EnumerableFlag {
  case cold, warm, both

  /// Where a file's pages can't be dropped, only warm launches can be measured.
  static var usual: MeasuredStates {
    #if canImport(Darwin)
      return .warm
    #else
      return .both
    #endif
  }

  var states: [CacheState] {
    switch self {
    case .cold: [.cold]
    case .warm: [.warm]
    case .both: [.cold, .warm]
    }
  }

  static func help(for value: MeasuredStates) -> ArgumentHelp? {
    switch value {
    case .cold: "Launch with the images out of memory: evicted, and proved to be."
    case .warm: "Launch with everything in memory."
    case .both: "Cold launches, then warm ones. (default)"
    }
  }
}

/// A share: `3%`, or `0.03`.
package struct PrecisionOption: ExpressibleByArgument {
  package let share: Double

  package init?(argument: String) {
    let isPercentage = argument.hasSuffix("%")
    guard let number = Double(isPercentage ? argument.dropLast() : argument[...]) else {
      return nil
    }
    let share = isPercentage ? number / 100 : number
    guard share > 0, share < 1 else { return nil }
    self.share = share
  }
}
