import ArgumentParser
import CommandSupport
import ImageModel
import LibC
import ProcessLaunch
import Projects

struct AutoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "auto",
    abstract:
      "Build a copy of a project, order its images for the given launches, and count the pages before and after.",
    discussion: """
      EXAMPLES
        $ orderfile auto --launch 'src/app --help'
        $ orderfile auto --launch 'app --version' --launch 'app run x' -o /tmp/app -- ./build.sh

      In the project's folder, it finds out how the project is built (CMake, Meson, Cargo, SwiftPM, autotools, make, or the \
      command after '--'), builds a copy, records the launches, writes an order file for each image of the project that \
      they use, links again, and counts the pages that the launches execute before and after. The project stays as it \
      is: the copy, its build and all results go to the folder given by --output, and a build that writes elsewhere is \
      stopped where the kernel can do that (Linux 5.19). What a launch writes is up to the program. A second run copies \
      and compiles only what has changed. Options of the build are part of a command: -- sh -c './configure --with-x && make'.

      A launch is a shell command, run in the copy as you would run it in the project's folder; programs of the \
      project can also be named without a folder. --until-ready ends each launch that does not end by itself; one of the \
      launches has to become ready. The results are images, order files, traces, and summary.txt, \
      summary.md and summary.json, with the options to put into your own build. Without --launch it builds, \
      lists the programs and exits with 64. It needs Linux.
      """)

  @Option(
    help: ArgumentHelp(
      "A launch to order the images for. Repeat for more.",
      valueName: "command"))
  var launch: [String] = []
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The folder for everything that is written.", valueName: "folder"),
    completion: .directory)
  var output = "orderfile-auto"
  @Option(
    help: ArgumentHelp("The folder of the project.", valueName: "folder"), completion: .directory)
  var project = "."
  @Option(
    help: ArgumentHelp(
      "The build system to use if there are several: cmake, meson, cargo, swiftpm, autotools or make.",
      valueName: "name"),
    completion: .list(["cmake", "meson", "cargo", "swiftpm", "autotools", "make"]))
  var buildSystem: String?
  @Option(
    help: ArgumentHelp(
      "The linker. (default: the first that is installed of lld, gnu-ld, gold)",
      valueName: "linker"))
  var linker: ELFLinkerOption?
  @Option(
    help: ArgumentHelp("Standard input of the launches. (default: none)", valueName: "file"),
    completion: .file())
  var input: String?
  @OptionGroup var limits: LaunchEndOptions<AutoKind>
  @Flag(
    help:
      "Also split functions of C and C++, so that the blocks that ran are placed together. Needs clang 19 or later."
  )
  var split = false
  @Flag(
    help:
      "Also order the data of C and C++ code. A second build, compiled by clang, records the data. Needs lld."
  )
  var data = false
  @Flag(
    help: "The method of recording. (default: the first of these that can be used)")
  var method: AutoDocument.RecordingMethod?
  @Flag(
    help:
      "Also measure each launch in the default order, in the new one, and in the default order again: up to 40 s for each."
  )
  var control = false
  @Flag(
    help:
      "Record the launches again even if no file of the project has changed: a launch may read changed files elsewhere."
  )
  var again = false
  @Flag(help: "Print summary.json instead of summary.txt.")
  var json = false
  @OptionGroup var messages: Messages
  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("The command that builds the project, after '--'.", valueName: "command"))
  var build: [String] = []

  func validate() throws {
    try limits.check(input: input)
    if !build.isEmpty, buildSystem != nil {
      throw ValidationError("--build-system and a build command can't be used together")
    }
    if launch.contains(where: { $0.allSatisfy(\.isWhitespace) }) {
      throw ValidationError("--launch is empty: expected a command")
    }
  }

  private func options() throws(Diagnostic) -> ProjectOrdering.Options {
    var options = ProjectOrdering.Options(
      project: project, output: output, command: try Folder.ownCommand())
    let script = try limits.readScript()
    options.launches = try launch.map { text throws(Diagnostic) in
      var launch = AutoLaunch(text)
      launch.input = try input.map { path throws(Diagnostic) in try KeptInput.file(path) }
      launch.timeout = limits.timeout
      launch.script = script
      launch.readiness = limits.readiness(script)
      return launch
    }
    options.buildCommand = build.isEmpty ? nil : build
    options.buildSystem = buildSystem
    options.linker = linker?.dialect
    options.jobs = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    options.goal = try AutoGoal(split: split, data: data)
    options.method = method
    options.measures = control
    options.recordsAgain = again
    options.endsOrphans = true
    return options
  }

  func run() throws {
    Interruption.catchSignals()
    Orphans.adopt()
    let line = StepLine(messages)
    var ordering = ProjectOrdering(try options(), in: .own) { line.show($0) }
    let result: ProjectOrdering.Result
    do { result = try ordering.run() } catch {
      line.end()
      messages.print(ordering.warnings)
      throw error
    }
    if result.document == nil {
      messages.print(
        note:
          "nothing has changed since the last run; if a launch reads a changed file outside the project, add --again"
      )
    }
    let bytes = try InputFile.bytes(json ? result.json : result.text)
    try Console.print(bytes.copy(0..<bytes.count))
    messages.print(result.warnings)
  }
}

extension StepLine {
  fileprivate func show(_ progress: ProjectOrdering.Progress) {
    switch progress {
    case .begins(let step, let text, let log): begin("\(step): \(text)", log: log)
    case .ends(let step, let text, let nanoseconds):
      let tenths = nanoseconds / 100_000_000
      end("\(step): \(text): \(tenths / 10).\(tenths % 10) s")
    }
  }
}
