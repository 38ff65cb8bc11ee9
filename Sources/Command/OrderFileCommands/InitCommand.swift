import ArgumentParser
import ImageModel
import OrderFileFormat
import Projects

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Change a project's own build so that it links with an order file.",
    discussion: """
      EXAMPLES
        $ orderfile init
        $ orderfile init --write && orderfile init --remove
        $ orderfile init --print make --program src/app
        $ orderfile init --print xcode -o orderfile

      init prints, as a diff, the smallest change with which the project's own build links in the order of \
      app.order. For CMake and Meson, the change is a file that the build reads; for Cargo, a build script; for \
      SwiftPM, a toolset. --write makes the change, and can be repeated. --remove undoes the change and restores \
      all files byte by byte. If you have edited one of the added lines, --remove changes nothing. --remove keeps \
      an app.order that was written after --write. The changed build also works without app.order, and links again \
      when app.order changes.

      For make and Xcode, init changes no file. --print make prints a shell script: it records a launch of the \
      release build, writes the order file, and links again. If --program is a script of libtool, the program that \
      the script runs is recorded. --print xcode writes two .xcconfig files into a folder, one for recording and \
      one for ordering, and prints the steps. Do not add these files to the project. Set XCODE_XCCONFIG_FILE to \
      one of them: its settings then apply to all targets of that build. Never ship a build made for recording. \
      The linker needs the order file to exist, so init creates an empty one if there is none. The authors have \
      run none of the steps for Xcode on a Mac.
      """)

  /// `--print`: the kind of build whose steps are printed. No file of the project is changed.
  enum PrintedBuild: String, CaseIterable, ExpressibleByArgument { case make, xcode }

  @Flag(help: "Make the change. Without --write, init only prints it as a diff.")
  var write = false
  @Flag(help: "Undo the change that --write has made.")
  var remove = false
  @Option(
    help: ArgumentHelp(
      "The build system to change if the project has several: cmake, meson, cargo or swiftpm.",
      valueName: "name"),
    completion: .list(["cmake", "meson", "cargo", "swiftpm"]))
  var buildSystem: String?
  @Option(
    name: .customLong("print"),
    help: ArgumentHelp(
      "Print the steps for a build by make (also with autotools) or by xcode. No file of the project is changed.",
      valueName: "build"))
  var printed: PrintedBuild?
  @Option(
    help: ArgumentHelp(
      "For make: the path of the program or library that make links.", valueName: "file"),
    completion: .file())
  var program: String?
  @Option(
    help: ArgumentHelp(
      "For make and xcode: the order file that the steps write. (default: app.order; for xcode, app.order in the folder of -o)",
      valueName: "file"), completion: .file())
  var order: String?
  @Option(
    help: ArgumentHelp(
      "For make: the linker that links the program. (default: lld)", valueName: "linker"))
  var linker: ELFLinkerOption?
  @Flag(
    help:
      "For make: also order the data of C and C++ code. An extra build by clang records the data, and lld links. For xcode: also record the data that C, C++ and Objective-C code touches, in a build that is several times slower."
  )
  var data = false
  @Option(
    help: ArgumentHelp(
      "The recorder. For make with --data: orderfile_rt.o (default: \(Self.usualRecorder)). For xcode: the output folder of 'make runtime-darwin', which has a recorder for each platform (default: \(Self.usualRecorders)).",
      valueName: "path"), completion: .file())
  var recorder: String?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The file to write the output to; - writes to stdout. For xcode, the folder for both settings files. (default: -; xcode needs a folder)",
      valueName: "path"), completion: .file())
  var output: String?
  @OptionGroup var messages: Messages
  @Argument(
    help: ArgumentHelp(
      "The folder of the project to change. (default: the current folder)", valueName: "folder"),
    completion: .directory)
  var project: String?

  private static let usualRecorder = "/usr/local/lib/orderfile_rt.o"
  private static let usualRecorders = "/usr/local/lib/orderfile"

  func validate() throws {
    if write, remove { throw ValidationError("--write and --remove can't be used together") }
    let isMake = printed == .make
    let isXcode = printed == .xcode
    let changing = "init without --print"
    let options: [(name: String, isGiven: Bool, isApplicable: Bool, place: String)] = [
      ("--write", write, printed == nil, changing),
      ("--remove", remove, printed == nil, changing),
      ("--build-system", buildSystem != nil, printed == nil, changing),
      ("--program", program != nil, isMake, "--print make"),
      ("--linker", linker != nil, isMake, "--print make"),
      (
        "--recorder", recorder != nil, isXcode || isMake && data,
        "--print make --data and --print xcode"
      ),
      ("--order", order != nil, printed != nil, "--print"),
      ("--data", data, printed != nil, "--print"),
      ("-o", output != nil, !write && !remove, "init without --write and --remove"),
    ]
    if let wrong = options.first(where: { option in option.isGiven && !option.isApplicable }) {
      throw ValidationError("\(wrong.name) is for \(wrong.place)")
    }
    if isMake, program == nil {
      throw ValidationError("missing --program: name the program that make links")
    }
    if isXcode, output == nil || output == "-" {
      throw ValidationError("missing -o: name a folder for the two settings files")
    }
    if isXcode, project != nil {
      throw ValidationError("--print xcode takes no project folder: it reads no project")
    }
  }

  func run() throws {
    switch printed {
    case nil: try changeProject()
    case .make?: try printStepsForMake()
    case .xcode?: try printStepsForXcode()
    }
  }

  private func printStepsForMake() throws {
    let outputFile = try Output(output ?? "-")
    let dialect = linker?.dialect ?? .usual(for: .elf)
    let steps = MakeSteps(
      program: program ?? "", orderFile: order ?? "app.order", dialect: dialect,
      recorder: data ? recorder ?? Self.usualRecorder : nil,
      libtool: LibtoolScript.droppingLinker(in: project ?? "."))
    try outputFile.finish(Array(steps.text().utf8))
  }

  private func printStepsForXcode() throws {
    let files = XcodeSettingsFiles(
      folder: output ?? "", orderFile: order, runtime: recorder ?? Self.usualRecorders,
      recordsData: data)
    let (steps, warnings) = try files.write()
    try Console.print(steps)
    messages.print(warnings)
  }

  private func changeProject() throws {
    let outputFile = try Output(output ?? "-")
    let integration = try ProjectIntegration(of: project ?? ".", buildSystem: buildSystem)
    let changes = try integration.changes(removing: remove)
    guard !changes.isEmpty else {
      messages.print(
        note: remove
          ? "nothing to remove" : "nothing to change: the order file is already part of the build")
      return
    }
    guard write || remove else {
      try outputFile.finish(changes.flatMap(\.unifiedDiff))
      messages.print(note: "nothing was changed; --write makes these changes")
      return
    }
    try integration.make(changes)
    for change in changes {
      let what = change.after == nil ? "removed" : change.before == nil ? "new" : "changed"
      messages.print(note: "\(what): \(change.path)")
    }
    if write {
      messages.print(
        note:
          "next: \(integration.build), then record a launch, and: orderfile gen TRACE -o \(BuildIntegration.order)"
      )
    }
  }
}
