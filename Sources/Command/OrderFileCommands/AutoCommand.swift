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

      Run it in the project's folder. It copies the project, builds the copy, records the launches, writes an \
      order file for each image of the project that the launches use, links again, and counts the pages that the \
      launches execute before and after. It finds out how the project is built (CMake, Meson, Cargo, SwiftPM, \
      autotools or make), unless a build command follows '--'. Options of the build belong to this command: -- sh \
      -c './configure --with-x && make'.

      The project is not changed: the copy, its build and all results go to the folder of --output. The kernel \
      stops a build that writes to another folder (Linux 5.19 or later). Launches are not confined: the program \
      may write anywhere. A second run copies and compiles only what has changed.

      A launch is a shell command. It runs in the copy as it would in the project's folder; a program of the \
      project can also be named without its folder. --until-ready ends launches that do not end by themselves; at \
      least one launch has to become ready.

      The results are images, order files, traces, and a summary (summary.txt, summary.md and summary.json), which \
      has the options for your own build. Without --launch, auto builds the project, lists its programs, and exits \
      with 64. auto needs Linux.
      """)

  @Option(
    help: ArgumentHelp(
      "The shell command of a launch: the images are ordered for it. Repeat for more launches.",
      valueName: "command"))
  var launch: [String] = []
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The folder for the copy of the project, its build and all results.", valueName: "folder"),
    completion: .directory)
  var output = "orderfile-auto"
  @Option(
    help: ArgumentHelp("The folder of the project to order.", valueName: "folder"),
    completion: .directory)
  var project = "."
  @Option(
    help: ArgumentHelp(
      "The build system to use if the project has several: cmake, meson, cargo, swiftpm, autotools or make.",
      valueName: "name"),
    completion: .list(["cmake", "meson", "cargo", "swiftpm", "autotools", "make"]))
  var buildSystem: String?
  @Option(
    help: ArgumentHelp(
      "The linker that links the ordered images. (default: the first of lld, gnu-ld and gold that is installed)",
      valueName: "linker"))
  var linker: ELFLinkerOption?
  @Option(
    help: ArgumentHelp(
      "The file that each launch reads as its standard input. (default: empty input)",
      valueName: "file"),
    completion: .file())
  var input: String?
  @OptionGroup var limits: LaunchEndOptions<AutoKind>
  @OptionGroup var described: LaunchSetOptions
  @Flag(
    help:
      "Also split functions into the basic blocks that ran and the rest, and place the blocks that ran together, if the launches then execute fewer pages. C and C++ need clang 19 or later; Rust needs rustc 1.82 or later, or lld; Swift needs lld."
  )
  var split = false
  @Flag(
    help:
      "Also order the variables and constants of C and C++ code. An extra build by clang records them. Needs lld."
  )
  var data = false
  @Flag(
    help:
      "Also make the images prefetch what the launches use, if cold launches from a slow device then cost less."
  )
  var prefetch = false
  @Flag(
    help: "The method of recording. (default: the first of these that can be used)")
  var method: AutoDocument.RecordingMethod?
  @Flag(
    help:
      "Also measure the times of each launch in the default order, in the new order, and in the default order again as a control. This takes up to 40 s for each launch."
  )
  var control = false
  @Flag(
    help:
      "Record the launches again even if no file of the project has changed, because a launch reads changed files outside the project."
  )
  var again = false
  @Flag(help: "Print summary.json instead of summary.txt.")
  var json = false
  @OptionGroup var messages: Messages
  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp(
      "The command that builds the project. (default: the commands of its build system)",
      valueName: "command"))
  var build: [String] = []

  func validate() throws {
    try limits.check(input: input)
    try described.check(
      others: [("--launch", !launch.isEmpty), ("--input", input != nil)] + limits.given)
    if !build.isEmpty, buildSystem != nil {
      throw ValidationError("--build-system and a build command can't be used together")
    }
    if launch.contains(where: { $0.allSatisfy(\.isWhitespace) }) {
      throw ValidationError("--launch is empty: expected a command")
    }
  }

  private func launches() throws(Diagnostic) -> [AutoLaunch] {
    if let launches = try described.read(AutoKind.self) {
      return try launches.map { launch throws(Diagnostic) in try AutoLaunch(launch) }
    }
    let script = try limits.readScript()
    return try launch.map { text throws(Diagnostic) in
      var launch = AutoLaunch(text)
      launch.input = try input.map { path throws(Diagnostic) in try KeptInput.file(path) }
      launch.timeout = limits.timeout
      launch.script = script
      launch.readiness = limits.readiness(script)
      return launch
    }
  }

  private func options() throws(Diagnostic) -> ProjectOrdering.Options {
    var options = ProjectOrdering.Options(
      project: project, output: output, command: try Folder.ownCommand())
    options.launches = try launches()
    options.buildCommand = build.isEmpty ? nil : build
    options.buildSystem = buildSystem
    options.linker = linker?.dialect
    options.jobs = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    options.goal = try AutoGoal(split: split, data: data)
    options.method = method
    options.measures = control
    options.prefetches = prefetch
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
          "nothing has changed since the last run: its result is printed again; if a launch reads a changed file outside the project, add --again"
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
