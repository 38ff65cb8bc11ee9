import ArgumentParser
import Ordering

struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Fold traces and profiles of many launches into one profile.",
    discussion: """
      EXAMPLES
        $ orderfile merge traces/ -o app.ofprofile
        $ orderfile merge monday.ofprofile --weighted 3,tuesday.ofprofile @more.txt -o week.ofprofile

      A profile has, for each function of each build, how many launches used it and how early, and 100 launches as \
      they were. It is as large as the program, not as the number of launches. gen, diff and show accept it like traces.

      The same launches give the same bytes in any order and any grouping, so parts may be merged on several machines. \
      A trace that is merged twice counts twice.

      Name a folder to read all traces and profiles in it, or @FILE to read the files whose paths FILE lists, one a line, each with a weight \
      and a comma before it or not.
      """)

  @OptionGroup var launches: LaunchFileOptions
  @Option(
    help: ArgumentHelp(
      "A recorded image, if it is no longer where a trace says. Repeat for more.", valueName: "file"
    ), completion: .file())
  var recorded: [String] = []
  @Option(help: ArchitectureOption.help)
  var arch: ArchitectureOption?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The profile to write, - for stdout.", valueName: "file"),
    completion: .file())
  var output = "-"
  @Flag(help: "Print a summary as JSON on stdout; needs -o FILE.")
  var json = false
  @OptionGroup var messages: Messages

  func validate() throws {
    try launches.check()
    if json && output == "-" { throw ValidationError("--json needs -o FILE: both write to stdout") }
  }

  func run() throws {
    let file = try Output(output)
    var options = LaunchMerge.Options(paths: launches.files)
    options.weighted = launches.weighted
    options.recorded = recorded
    options.architecture = arch?.architecture
    options.keepsGoing = launches.keepGoing
    let merge = try LaunchMerge(options)
    try file.finish(merge.bytes)
    let document = merge.document(path: output)
    if json { try Console.print(document.json()) }
    messages.print(note: MergeText(document, files: merge.fileCount).text)
    messages.print(merge.warnings)
  }
}

/// The traces and profiles that a command reads.
struct LaunchFileOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Traces and profiles, folders of them, and @FILE for a list of paths.", valueName: "trace"),
    completion: .file())
  var files: [String] = []
  @Option(
    parsing: .unconditionalSingleValue,  // A wrong weight, such as -1, is not an option.
    help: ArgumentHelp(
      "A trace, a folder or a profile whose launches count several times: 3,FILE. Repeat for more.",
      valueName: "weight,file"))
  var weighted: [String] = []
  @Flag(help: "Leave out traces and profiles that can't be read, with a warning.")
  var keepGoing = false

  func check() throws {
    if files.isEmpty && weighted.isEmpty { throw ValidationError("missing a trace") }
  }
}
