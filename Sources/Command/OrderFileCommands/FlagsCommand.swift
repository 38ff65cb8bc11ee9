import ArgumentParser
import OrderFileFormat
import Projects

struct FlagsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "flags",
    abstract: "Write build settings, or the steps of a build, for recording and for ordering.",
    discussion: """
      EXAMPLES
        $ orderfile flags xcode -o orderfile
        $ orderfile flags make --program src/app --linker gold
      """,
    subcommands: [FlagsXcode.self, FlagsMake.self])
}

struct FlagsMake: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make",
    abstract: "Print the steps for a program that is built with make or autotools.",
    discussion: """
      EXAMPLES
        $ orderfile flags make --program src/app
        $ orderfile flags make --program src/app --linker gnu-ld --order-file app.ld
        $ orderfile flags make --program src/app --data

      The output is a shell script: record a launch of the release build, write the order file, link again. \
      With libtool the program may be a script, which is followed.
      """)

  @Option(
    help: ArgumentHelp("The program that make links.", valueName: "file"), completion: .file())
  var program: String
  @Option(help: ArgumentHelp("The order file to write.", valueName: "file"), completion: .file())
  var orderFile = "app.order"
  @Option(
    help: ArgumentHelp("The linker. (default: lld)", valueName: "linker"))
  var linker: ELFLinkerOption?
  @Flag(
    help:
      "Also order the data of C and C++ code: another build, compiled by clang, records itself. Needs lld."
  )
  var data = false
  @Option(
    help: ArgumentHelp("With --data: the recorder.", valueName: "file"), completion: .file())
  var recorder = "/usr/local/lib/orderfile_rt.o"
  @OptionGroup var messages: Messages

  func run() throws {
    let dialect = linker?.dialect ?? .usual(for: .elf)
    let steps = MakeSteps(
      program: program, orderFile: orderFile, dialect: dialect, recorder: data ? recorder : nil,
      libtool: LibtoolScript.droppingLinker(in: "."))
    try Console.print(steps.text())
  }
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
  @Flag(
    help:
      "Also record the data that C, C++ and Objective-C code touches. Such a build is several times slower."
  )
  var data = false
  @OptionGroup var messages: Messages

  func run() throws {
    let files = XcodeSettingsFiles(
      folder: output, orderFile: orderFile, runtime: runtime, recordsData: data)
    let (steps, warnings) = try files.write()
    try Console.print(steps)
    messages.print(warnings)
  }
}
