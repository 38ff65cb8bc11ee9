import ArgumentParser
import Workflows

struct FlagsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "flags",
    abstract: "Write the settings with which a build system records and orders.",
    discussion: """
      EXAMPLES
        $ orderfile flags xcode -o orderfile
        $ XCODE_XCCONFIG_FILE=$PWD/orderfile/orderfile-record.xcconfig xcodebuild -scheme App build
      """,
    subcommands: [FlagsXcode.self])
}

struct FlagsXcode: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "xcode",
    abstract: "Write an .xcconfig for recording and one for ordering, and print the steps.",
    discussion: """
      EXAMPLES
        $ orderfile flags xcode -o orderfile
        $ orderfile flags xcode -o orderfile --order-file $PWD/App.order --runtime $PWD/.build/runtime

      Neither file has to be in a project: the variable XCODE_XCCONFIG_FILE puts one on top of the settings \
      of all targets for one build. What is built for recording must never ship; its settings are in a file \
      of their own, so that no other build can have them. The order file has to be there when the linker \
      runs: if it is not, it is made, empty. No step was ever run on a Mac by the authors.
      """)

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The folder to write both files into.", valueName: "folder"),
    completion: .directory)
  var output: String
  @Option(
    help: ArgumentHelp(
      "Where 'orderfile gen' will write. (default: app.order in the folder)", valueName: "file"),
    completion: .file())
  var orderFile: String?
  @Option(
    help: ArgumentHelp(
      "The folder that holds iphoneos/orderfile_rt.o and the others of 'make runtime-darwin'.",
      valueName: "folder"), completion: .directory)
  var runtime = "/usr/local/lib/orderfile"

  func run() throws {
    let files = XcodeSettingsFiles(folder: output, orderFile: orderFile, runtime: runtime)
    let (steps, warnings) = try files.write()
    try Console.print(steps)
    Console.printWarnings(warnings)
  }
}
