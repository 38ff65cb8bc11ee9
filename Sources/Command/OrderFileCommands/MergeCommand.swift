import ArgumentParser
import Ordering

struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Fold traces, payloads and profiles of many launches into one profile.",
    discussion: """
      EXAMPLES
        $ orderfile merge traces/ -o app.ofprofile
        $ orderfile merge monday.ofprofile --weighted 3,tuesday.ofprofile @more.txt -o week.ofprofile
        $ orderfile merge payloads/ --recorded build/instrumented/app -o field.ofprofile

      For each function of each build, a profile has the number of launches that used it, and how early they used \
      it. It also has up to 100 launches in full. The size of a profile depends on the size of the program, not on \
      the number of launches. gen, diff and show accept profiles like traces.

      The same launches give the same bytes in any order and any grouping, so parts of a merge can be made on \
      several machines. A trace that is merged twice counts twice.

      Payloads are launches on devices of testers and customers: see ORDERFILE_PAYLOAD in orderfile_runtime.h. \
      Payloads have no names of functions, so --recorded must give the instrumented build.

      Name a folder to read all traces, payloads and profiles in it, or @FILE to read the files whose paths FILE lists. Each \
      line of FILE has one path, with or without a weight in front: 3,app.oftrace.
      """)

  @OptionGroup var launches: LaunchFileOptions
  @Option(
    help: ArgumentHelp(
      "The path of a recorded image: for payloads always, for traces if the image is no longer where a trace says. Repeat for more images.",
      valueName: "file"
    ), completion: .file())
  var recorded: [String] = []
  @Option(help: ArchitectureOption.help)
  var arch: ArchitectureOption?
  @OptionGroup var devices: DeviceOptions
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The profile to write; - writes to stdout.", valueName: "file"),
    completion: .file())
  var output = "-"
  @Flag(help: "Print a summary as JSON on stdout. Needs -o FILE.")
  var json = false
  @OptionGroup var messages: Messages

  func validate() throws {
    try launches.check()
    if json && output == "-" {
      throw ValidationError(
        "--json needs -o FILE: the summary and the profile would both go to stdout")
    }
  }

  func run() throws {
    let file = try Output(output)
    var options = LaunchMerge.Options(paths: launches.files)
    options.weighted = launches.weighted
    options.recorded = recorded
    options.architecture = arch?.architecture
    options.keepsGoing = launches.keepGoing
    options.leastDevices = devices.minDevices
    let merge = try LaunchMerge(options)
    try file.finish(merge.bytes)
    let document = merge.document(path: output)
    if json { try Console.print(document.json()) }
    messages.print(note: MergeText(document, files: merge.fileCount).text)
    messages.print(merge.warnings)
  }
}

/// How many devices must have run a function of a payload, so that a result has the function.
struct DeviceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "For payloads: leave out functions that fewer than this many devices ran. Payloads need --recorded.",
      valueName: "devices"), transform: expecting("a number of devices"))
  var minDevices = 50

  func validate() throws { try Self.check(minDevices) }

  /// - Throws: a usage error if the number is not from 1 to 1000.
  static func check(_ minDevices: Int) throws {
    guard 1...1000 ~= minDevices else {
      throw ValidationError("invalid --min-devices: expected 1 to 1000, found \(minDevices)")
    }
  }
}

/// The traces and profiles that a command reads.
struct LaunchFileOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "A trace, a profile, a folder of traces and profiles, or @FILE for the paths that FILE lists. Repeat for more.",
      valueName: "trace"),
    completion: .file())
  var files: [String] = []
  @Option(
    parsing: .unconditionalSingleValue,  // A wrong weight, such as -1, is not an option.
    help: ArgumentHelp(
      "A trace, profile or folder whose launches count several times: with 3,FILE, three times. Repeat for more.",
      valueName: "weight,file"))
  var weighted: [String] = []
  @Flag(help: "Leave out traces and profiles that can't be read, with a warning.")
  var keepGoing = false

  func check() throws {
    if files.isEmpty && weighted.isEmpty { throw ValidationError("missing a trace") }
  }
}
