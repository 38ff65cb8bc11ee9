import CommandSupport
import ImageModel
import LibC
import PagesFormat
import ProcessLaunch
import ProcessTracing

/// A launch whose pages are counted: `orderfile pages`.
package struct PageLaunch {
  package var program: ProgramLaunch
  /// The images whose pages are counted in addition to those of the launched program.
  package var images: [String] = []
  package var countsAllImages = false
  package var stop: Stop?
  /// Whether the loader's touches of an image, before the image's first instruction, are counted, too. The `preload`
  /// method then launches the program twice: the first launch is killed at the program's first instruction.
  package var countsLoading = false
  /// Whether the resident memory is read, too, in 20 further launches.
  package var readsMemory = false
  /// The method that sees touches; `nil` to choose a method that works.
  package var method: PageMethod?
  package var environment: LaunchEnvironment

  /// The place at which counting stops.
  package enum Stop {
    /// Counting stops at this `orderfile_mark()`.
    case mark(String)
    /// The launch is over when the program first calls this function.
    case function(String)
  }

  package init(_ program: ProgramLaunch, in environment: LaunchEnvironment) {
    self.program = program
    self.environment = environment
  }

  /// Launches the program, and names the functions that touched its pages.
  ///
  /// If `method` is `nil`, this function may launch the program twice. If standard input is a file, both launches read
  /// it from the same place.
  ///
  /// - Throws: if the program can't be launched, or if the count would not be exact.
  package func run() throws -> CountedPages {
    guard let (program, note) = program.ofWrappedProgram(in: environment) else {
      return try count()
    }
    var launch = self
    launch.program = program
    var counted = try launch.count()
    counted.warnings.insert(note, at: 0)
    return counted
  }

  private func count() throws -> CountedPages {
    let name = program.title
    try program.checkReadiness()
    let found = try LaunchedProgram(named: program.command[0], in: environment)
    let images = try images.map { path throws(Diagnostic) in try Folder.absolutePath(path) }
    let request = PageRequest(
      images: countsAllImages ? nil : images, stop: try requestedStop(in: [found.path] + images),
      countsLoading: countsLoading)
    var (choice, gap) = try chooseMethod(found, request)
    var notes = choice.resolvers.map { [Diagnostic.hasResolvers($0)] } ?? []
    let input = RepeatableInput(program.streams.input ?? STDIN_FILENO)
    let loading = choice.method == .preload && countsLoading ? LoadingLaunch(program, request) : nil
    let loaded = try loading?.run()
    var result: PageLaunchResult
    do { result = try choice.run(program, request) } catch let error as ProgramLaunch.LaunchError {
      throw choice.method == .ptrace && error.isNotPermitted
        ? Diagnostic.notTraceable(name)
        : Diagnostic.unableToRun(name, error)
    }
    let counted = [result.touches.program ?? found.path] + images
    let unseen = UnseenPrograms(
      result, counted: countsAllImages ? nil : counted, in: environment)
    var isLaunchedAgain = false
    if choice.method == .preload, method == nil, let reason = unseen.reason ?? result.reasonToTrace
    {
      if program.script == nil, !input.canBeReadAgain {
        notes.append(.notLaunchedAgain(name, reason))
      } else if let (traced, other) = try trace(found, request, input) {
        (result, choice) = (traced, other)
        notes.append(.launchedAgain(name, reason))
        gap = nil
        isLaunchedAgain = true
      }
    }
    var gaps = gap.map { [$0] } ?? []
    if !isLaunchedAgain { gaps += unseen.warnings(name, remedy: tracing) }
    if let call = result.unknownCall { gaps.append(.unknownCall(call, name)) }
    try program.checkReadiness(result.program)
    if let problem = result.problem {
      throw Diagnostic.inexact(name, problem, remedy: tracing)
    }

    if choice.method == .preload, let touches = loaded?.touches {
      result.touches = result.touches.addingLoading(of: touches)
    }

    var names = PageNames()
    // The launched program is the interpreter if the command is a script.
    let executable = result.touches.program ?? found.path
    var document = PagesDocument(
      command: program.command, end: PagesDocument.End(result.program.end),
      method: choice.method.rawValue,
      images: try names.images(
        of: result.touches, wanted: [executable] + images.filter { $0 != executable }))
    var warnings = names.warnings + gaps
    if readsMemory {
      let memory = PageMemory(program: program, environment: environment)
      warnings += try memory.add(to: &document.images)
    }
    if choice.method == .preload, let problem = loaded?.problem { warnings.append(problem) }
    if result.program.timedOut { warnings.append(.ranTooLong(name, program.timeout)) }
    if let problem = result.program.unsettled(name) { warnings.append(problem) }
    if let stop, !result.wasStopped {
      warnings.append(Diagnostic("the program ended before it reached '\(stop.name)'"))
    }
    return CountedPages(
      document: document, end: result.program.end, isSettled: !result.program.endedAtWork,
      unseen: isLaunchedAgain ? [] : unseen.countedOnes, notes: notes, warnings: warnings)
  }

  /// - Returns: the method that sees touches. `gap` is a warning if images have resolvers of ifuncs and the program
  ///   can't be traced.
  private func chooseMethod(
    _ found: LaunchedProgram, _ request: PageRequest
  ) throws(Diagnostic) -> (PageMethodChoice, gap: Diagnostic?) {
    func ignoringResolvers() throws(Diagnostic) -> PageMethodChoice {
      try PageMethodChoice(
        method, for: found, request, in: environment, ignoresResolvers: true)
    }
    let choice: PageMethodChoice
    do throws(Diagnostic) {
      choice = try PageMethodChoice(method, for: found, request, in: environment)
    } catch {
      guard method != .ptrace, let other = try? ignoringResolvers(), other.method == .preload else {
        throw error
      }
      return (other, .resolversNotCounted(found.path))
    }
    guard choice.resolvers != nil, !LoadingLaunch.isPermitted(in: environment) else {
      return (choice, nil)
    }
    return (try ignoringResolvers(), .resolversNotCounted(found.path))
  }

  /// The remedy for touches that only a tracer sees.
  private var tracing: Remedy {
    LoadingLaunch.isPermitted(in: environment)
      ? .ptrace("try")
      : Remedy("\(Diagnostic.allowTracing), and give --method ptrace", option: "--method")
  }

  /// Launches the program again with `--method ptrace`.
  ///
  /// - Returns: the result of the second launch and its method; `nil` if the program can't be traced here.
  private func trace(
    _ found: LaunchedProgram, _ request: PageRequest, _ input: RepeatableInput
  ) throws -> (PageLaunchResult, PageMethodChoice)? {
    guard let choice = try? PageMethodChoice(.ptrace, for: found, request, in: environment) else {
      return nil
    }
    input.rewind()
    do { return (try choice.run(program, request), choice) } catch let error
      as ProgramLaunch.LaunchError where error.isNotPermitted
    {
      return nil
    }
  }

  /// - Parameter images: the images in which to look for the function, in this order.
  private func requestedStop(in images: [String]) throws(Diagnostic) -> PageRequest.Stop? {
    switch stop {
    case nil: return program.readiness?.mark.map { .mark($0) }
    case .mark(let name): return .mark(name)
    case .function(let name):
      for path in images {
        if let address = try PageNames.address(of: name, in: path) {
          return .instruction(try PageNames.build(at: path), address)
        }
      }
      throw Diagnostic(
        "missing function: no counted image has a symbol of this name", context: [name],
        remedies: .missingFunction)
    }
  }
}

/// The pages that a launch touched, and how the launch ended.
package struct CountedPages {
  package var document: PagesDocument
  package let end: ProgramLaunch.End
  /// Whether another count finds the same pages: the program ended on its own, or waited for requests when it was
  /// ended.
  package let isSettled: Bool
  /// The paths of counted programs that also ran without the library that sees touches.
  package let unseen: [String]
  /// Notes that say why another method was used.
  package let notes: [Diagnostic]
  package fileprivate(set) var warnings: [Diagnostic]
}

extension PageLaunch.Stop {
  fileprivate var name: String {
    switch self {
    case .mark(let name), .function(let name): name
    }
  }
}

extension PagesDocument.End {
  init(_ end: ProgramLaunch.End) {
    switch end {
    case .exited(let status): self = .exited(Int(status))
    case .killed(let signal): self = .killed(signal: Int(signal))
    }
  }
}
