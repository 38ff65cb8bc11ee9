import ArgumentParser
import Workflows

struct FlagsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "flags",
    abstract: "Write build settings for recording and for ordering.",
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

      Do not add the files to a project: set XCODE_XCCONFIG_FILE to one of them, and it overrides the \
      settings of all targets for that build. Never ship a build made for recording; its settings are in a \
      separate file, so that no other build gets them. The linker needs the order file to exist, so an empty \
      one is created if there is none. The authors have run none of these steps on a Mac.
      """)

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The folder to write both files into.", valueName: "folder"),
    completion: .directory)
  var output: String
  @Option(
    help: ArgumentHelp(
      "The order file that 'orderfile gen' will write. (default: app.order in the folder)",
      valueName: "file"),
    completion: .file())
  var orderFile: String?
  @Option(
    help: ArgumentHelp(
      "The folder with iphoneos/orderfile_rt.o and the other output of 'make runtime-darwin'.",
      valueName: "folder"), completion: .directory)
  var runtime = "/usr/local/lib/orderfile"
  @OptionGroup var messages: Messages

  func run() throws {
    let files = XcodeSettingsFiles(folder: output, orderFile: orderFile, runtime: runtime)
    let (steps, warnings) = try files.write()
    try Console.print(steps)
    messages.print(warnings)
  }
}
