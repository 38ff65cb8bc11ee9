import ArgumentParser
import Demangling
import ImageModel
import LaunchMeasurement
import PagesFormat
import ProcessLaunch
import ProcessTracing
import Reporting
import Symbolication
import Workflows

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

struct PagesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pages",
    abstract: "Launch a program and count the pages of its image that it touches.",
    discussion: """
      EXAMPLES
        $ orderfile pages -- ./app --help
        $ orderfile pages --json -o before.json --stop-at ready -- ./app

      Measured, not predicted: access to the pages is withheld, and each first touch is seen. The program \
      is the one you ship; nothing is compiled into it. It runs with this command's standard streams, and its exit status becomes this command's \
      (128 + N after signal N). The result is printed behind what the program prints, or written to \
      -o FILE. Forked children, and the same program where it starts itself again, count too: a page \
      that two processes touch is one.
      """)

  @Flag(help: "Print one JSON object.")
  var json = false
  @Option(
    name: .shortAndLong, help: ArgumentHelp("Where to print, - for stdout.", valueName: "file"),
    completion: .file())
  var output = "-"
  @Flag(help: "List the pages, too: by whom each was touched first.")
  var list = false
  @Option(help: ArgumentHelp("Names for people: none, short or full.", valueName: "mode"))
  var demangle = DemangleOption.full
  @Option(help: ArgumentHelp("End the launch at this orderfile_mark().", valueName: "mark"))
  var stopAt: String?
  @Option(
    help: ArgumentHelp(
      "End the launch where this function is first called, by its symbol.", valueName: "name"))
  var stopAtSymbol: String?
  @Option(
    help: ArgumentHelp(
      "A library, or a program that the launched one starts, to count too. Repeat for more.",
      valueName: "file"), completion: .file())
  var image: [String] = []
  @Flag(help: "Count the pages of every image.")
  var allImages = false
  @Option(
    help: ArgumentHelp(
      "How to see touches: preload, a library in the program, or ptrace, from outside. "
        + "(default: preload where it works)", valueName: "method"))
  var method: PageMethod?
  @OptionGroup var launched: LaunchOptions

  func validate() throws {
    try launched.check(for: self)
    if stopAt != nil, stopAtSymbol != nil {
      throw ValidationError("--stop-at and --stop-at-symbol exclude each other")
    }
  }

  func run() throws {
    let outputFile = try Output(output)
    let program = try LaunchedProgram(named: launched.words[0], in: .own)
    var images: [String] = []
    for path in image { images.append(try Folder.absolutePath(path)) }
    let request = PageRequest(
      images: allImages ? nil : images, stop: try stop(in: [program.path] + images))
    let choice = try PageMethodChoice(method, for: program, request, in: .own)
    let result: PageLaunchResult
    do { result = try choice.run(launched.launch, request) } catch let error
      as ProgramLaunch.LaunchError
    {
      throw Diagnostic.unableToRun(launched.words[0], error, choice.method)
    }
    if let problem = result.problem {
      throw Diagnostic.inexact(launched.words[0], problem, result.program.end)
    }

    var names = PageNames()
    // A script's interpreter is what was launched.
    let counted = result.touches.program ?? program.path
    let document = PagesDocument(
      command: launched.words, end: PagesDocument.End(result.program.end),
      method: choice.method.rawValue,
      images: try names.images(
        of: result.touches, wanted: [counted] + images.filter { $0 != counted }))
    try outputFile.finish { sink in
      if json {
        document.json(to: sink)
      } else {
        let text = PagesText(
          document, width: output == "-" ? Console.width : nil,
          names: Demangler(demangle.mode).demangle, listsPages: list)
        sink(Array(text.text.utf8))
      }
    }
    var warnings = names.warnings
    if result.program.timedOut {
      warnings.append(
        Diagnostic(
          "the program ran longer than \(launched.timeout ?? 0) s and was ended",
          context: [launched.words[0]]))
    }
    if request.stop != nil, !result.wasStopped {
      warnings.append(
        Diagnostic("the program ended before it came to '\(stopAt ?? stopAtSymbol ?? "")'"))
    }
    Console.printWarnings(warnings)
    if result.program.end != .exited(0) { throw ExitCode(result.program.end.exitStatus) }
  }

  /// - Parameter images: where the function is looked for, in that order.
  private func stop(in images: [String]) throws(Diagnostic) -> PageRequest.Stop? {
    if let stopAt { return .mark(stopAt) }
    guard let stopAtSymbol else { return nil }
    for path in images {
      if let distance = try PageNames.distance(to: stopAtSymbol, in: path) {
        return .instruction(path: path, distance: distance)
      }
    }
    throw Diagnostic(
      "missing function: no counted image has a symbol of this name", context: [stopAtSymbol],
      hint: "nm lists the names; a library is looked at if --image names it")
  }
}

extension PagesDocument.End {
  fileprivate init(_ end: ProgramLaunch.End) {
    switch end {
    case .exited(let status): self = .exited(Int(status))
    case .killed(let signal): self = .killed(signal: Int(signal))
    }
  }
}

extension Diagnostic {
  fileprivate static func unableToRun(
    _ program: String, _ error: ProgramLaunch.LaunchError, _ method: PageMethod
  ) -> Diagnostic {
    guard error.errno == EPERM, method == .ptrace else {
      return Diagnostic("unable to run: \(error)", context: [program])
    }
    return Diagnostic(
      "unable to trace: ptrace is not permitted here", context: [program],
      hint: "allow it: sysctl kernel.yama.ptrace_scope=1, or docker run --cap-add=SYS_PTRACE")
  }
}
