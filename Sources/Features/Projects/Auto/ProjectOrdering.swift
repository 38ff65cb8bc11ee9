// Orders a project: `orderfile auto`.
//
// The project is copied, built in the copy, launched, recorded, linked again in the recorded order, and launched again.
// A `BuildPlan` has all that depends on the project's build system. The build calls this command by the names of
// compilers. The command notes each link, and calls the compiler with the options that ordering needs
// (`CompilerWrapper`). It reads the plan from environment variables (`WrapperSettings`). To link an image again, `auto`
// writes its order file where the wrapper looks for it, removes the image, and builds again.
//
// All files of a run are below one folder. The file `state` there has what the results depend on: the options, the
// images after the last link, and the method of recording. A run has nothing more to do if the project has not changed,
// if its build leaves the images unchanged, and if the method of recording is the same. `state` is removed before
// anything is changed, so that a full run follows an interrupted one. The full run uses the objects in the copy, unless
// a build was interrupted.

import CommandSupport
import ImageModel
import OrderFileFormat
import Ordering
import PagesFormat
import ProcessLaunch
import Rendering
import Symbolication

/// The steps from a project's folder to ordered images.
package struct ProjectOrdering {
  package struct Options {
    /// The path of the project.
    package var project: String
    /// The path of the folder for everything that is written.
    package var output: String
    package var launches: [AutoLaunch] = []
    /// The words of the command that builds the project; `nil` to look for a build system.
    package var buildCommand: [String]?
    /// The build system to use if the project has several.
    package var buildSystem: String?
    /// The linker to use; `nil` for the best installed linker.
    package var linker: OrderFileDialect?
    /// How many compilers may run at the same time.
    package var jobs = 1
    package var goal = AutoGoal.functions
    /// How launches are recorded; `nil` for the first method that can be used.
    package var method: AutoDocument.RecordingMethod?
    /// Whether launches are measured in the default order, in the new one, and in the default order again.
    package var measures = false
    /// Whether the images prefetch what the launches use, if the launches then make fewer requests.
    package var prefetches = false
    /// Whether launches are recorded again even if no file of the project has changed.
    package var recordsAgain = false
    /// The path of this command.
    package var command: String
    /// Whether processes that commands leave running are ended. All children of this process then count as such
    /// processes.
    package var endsOrphans = false

    package init(project: String, output: String, command: String) {
      self.project = project
      self.output = output
      self.command = command
    }
  }

  package enum Progress {
    /// A step begins: its name, the command that it runs or what it does, and the path of the file with the output of that
    /// command.
    case begins(String, String, log: String?)
    /// A step ends: its name, its text as in `begins`, and how long it took.
    case ends(String, String, nanoseconds: UInt64)
  }

  package struct Result {
    /// The document; `nil` if nothing has changed since the last run.
    package let document: AutoDocument?
    /// The paths of the results, in words.
    package let text: String
    package let json: String
    package let warnings: [Diagnostic]
  }

  let options: Options
  let environment: LaunchEnvironment
  let steps: ProjectSteps
  /// The warnings of the steps so far, also after a step that failed.
  package private(set) var warnings: [Diagnostic] = []

  package init(
    _ options: Options, in environment: LaunchEnvironment,
    progress: @escaping (Progress) -> Void = { _ in }
  ) {
    self.options = options
    self.environment = environment
    steps = ProjectSteps(progress: progress)
  }

  /// Runs all steps that are needed.
  ///
  /// - Throws: `usage`, with the candidates, if the build system or the launches are not known; the cause if a step
  ///   fails; `interrupted`.
  package mutating func run() throws -> Result {
    let project = try Folder.absolutePath(options.project)
    let system = try buildSystem(of: project)
    let splitter =
      options.goal == .split
      ? try ProjectSplitter(of: system.toolchain, project: project, in: environment) : nil
    let plan = try BuildPlan(
      system, goal: options.goal, linker: options.linker, splitter: splitter, in: environment)
    if options.prefetches, let refusal = Self.refusalToPrefetch(plan.system) { throw refusal }
    for launch in options.launches {
      try launch.readiness?.check()
      if let input = launch.input { _ = try KeptInput.file(input) }
    }
    let folder = try AutoFolder(options.output, for: project)
    folder.removeUnusableCopy(configuration: plan.system.configuration(in: environment))
    let shell = AutoShell(
      folder: folder, command: options.command, environment: environment,
      endsOrphans: options.endsOrphans)
    try shell.makeTools()
    var build = ProjectBuild(plan, shell: shell, steps: steps)
    build.language = UnsupportedLanguage(filesNamed: Folder.names(in: project))
    let copy = TreeCopy(
      of: project, to: folder.tree, list: folder.copyList, excluding: folder.path)
    let copied = try steps.timed("copy", "\(project) to \(folder.tree)") { try copy.update() }
    // Launches may read what has changed, even if no image did.
    if copied.hasChanges || options.recordsAgain { Folder.remove(Array(folder.state.utf8)) }
    try build.configure(copy, copied)

    let identity = identity(of: build)
    let state = (try? InputFile.bytes(folder.state)).map { $0.text(0..<$0.count) }
    guard !options.launches.isEmpty else {
      try build.build("build", state != nil ? .ordered : .plain)
      throw try candidates(of: build).missingLaunch
    }
    if let state, state.hasPrefix(identity) {
      try build.build("build", .ordered)
      // A method that could not be used in the last run may be permitted now.
      let method = try methods(for: build).chosen(options.method)
      if state == identity + results(of: build, by: method) { return result(folder, nil) }
    }
    do {
      let result = try order(&build, identity)
      folder.removeKeptResults()
      return result
    } catch {
      if folder.restoreResults() {
        warnings.append(
          Diagnostic("the results of the last successful run are kept", context: [folder.path]))
      }
      throw error
    }
  }

  /// - Throws: if the build made no image.
  private func candidates(of build: ProjectBuild) throws(Diagnostic) -> LaunchCandidates {
    let images = build.images
    if let image = images.first, images.allSatisfy(\.isMadeByGo) {
      throw UnsupportedLanguage.go.error(image.name)
    }
    guard images.isEmpty else {
      return LaunchCandidates(images, in: build.shell.folder.tree)
    }
    if let language = build.language { throw language.error(build.system.build) }
    try build.shell.folder.configureAgain()
    let log = build.shell.buildLog("build")
    let line = FailureCause.line(in: log.text)
    let hint: String
    if let linker = build.unseenLinker(of: options.project) {
      hint = linker.remedy
    } else if build.system.build.contains("swift build") {
      hint = "give the build command itself: orderfile auto ... -- swift build"
    } else {
      hint =
        "let the project call its compiler by its name, such as CC=gcc, without a path, and remove the files of an earlier build (make clean)"
    }
    throw Diagnostic(
      "the build linked no image by a compiler of PATH"
        + (line.map { "; its output has: \($0)" } ?? ""),
      context: [build.system.build],
      hint: "\(hint); all output: \(log.path)")
  }

  private mutating func order(_ build: inout ProjectBuild, _ identity: String) throws -> Result {
    let folder = build.shell.folder
    Folder.remove(Array(folder.state.utf8))
    // The images that an earlier run has linked with order files are linked again, without order files.
    build.relink(build.images.filter(folder.mayBeOrdered))
    try folder.setResultsAside()
    try folder.makeResults()
    do { try build.build("build", .plain) } catch var error {
      if let linker = build.unseenLinker(of: options.project) {
        error.hint = [linker.remedy, error.hint].compactMap { $0 }.joined(separator: "; ")
      }
      throw error
    }
    let candidates = try candidates(of: build)

    let methods = methods(for: build)
    let method = try methods.chosen(options.method)
    let needsLaunches = options.measures ? "--control" : options.prefetches ? "--prefetch" : nil
    if let needsLaunches, !methods.runsPrograms {
      throw Diagnostic(
        "unable to measure: the images are for another architecture", context: [needsLaunches],
        hint: "leave out \(needsLaunches)")
    }
    var wanted = options.launches
    if options.goal == .split {
      let least = build.system.toolchain.recordingsToSplit
      for index in wanted.indices { wanted[index].count = max(wanted[index].count, least) }
    }
    var launches = ProjectLaunches(
      wanted, images: build.images, for: build.plan, build.shell)
    if methods.runsPrograms { warnings += try launches.tryOut(steps) }
    for launch in launches.launches { build.noteLaunch(launch) }
    let recorded = try record(launches, by: method, &build)
    warnings += recorded.warnings.filter { $0.kind != .missingSymbolTable }
    guard !recorded.images.isEmpty else {
      try build.shell.folder.configureAgain()
      throw candidates.unusedImages
    }
    let (before, refusal) = try count(launches, recorded, methods, method)
    var ordering = ProjectImages(recorded, of: build.plan, in: folder)
    try ordering.keepDefault()
    var orders: [String: OrderedImage]
    var split: SplitImages?
    if options.goal == .split {
      let images = try self.split(
        &ordering, launches, recorded, isCounted: before != nil, &build)
      orders = images.orders
      warnings += images.warnings
      split = images
    } else {
      let written = try steps.timed("order", recorded.images.map(\.name).joined(separator: ", ")) {
        try ordering.writeOrders()
      }
      orders = written.byPath
      warnings += written.warnings
      try folder.beginRelinking()
      build.relink(recorded.images)
      try build.build("relink", .ordered)
    }
    var prefetch: AutoDocument.Prefetch?
    if options.prefetches {
      let (result, kept) = try self.prefetch(
        ordering, orders, launches, recorded, before?.documents ?? [], &build)
      prefetch = result
      orders = kept
    }
    try ordering.keepOrdered()
    let counts = try before.map { before in
      if let after = split?.counts, prefetch == nil {
        return ProjectCounts(before: before, after: after)
      }
      return ProjectCounts(before: before, after: try launches.counts(of: recorded, steps))
    }
    warnings += counts?.warnings ?? []
    var rejectedSteps: Set<NextStep.Kind> = []
    if let prefetch, prefetch.isRejected { rejectedSteps.insert(.prefetch) }
    if let split, !split.result.isKept { rejectedSteps.insert(.split) }
    let checked = try steps.timed("check", "the order of the images") {
      try ordering.check(
        orders, counts, options.launches.first.map { ["sh", "-c", $0.command] }, method,
        rejected: rejectedSteps)
    }
    warnings += checked.warnings
    var document = AutoDocument(
      folder: folder.path, commands: build.commands, launches: launches.launches.map(\.command),
      method: method, images: checked.images, warnings: [])
    document.methodReason =
      options.method == nil ? methods.reason(for: method) : "--\(method.rawValue)"
    document.notCounted = refusal
    document.unsettled = counts?.unsettled
    document.nextSteps = checked.nextSteps
    document.split = split?.result
    document.prefetch = prefetch
    if let prefetch, prefetch.isKept {
      for (number, image) in document.images.enumerated() {
        document.images[number].prefetchName =
          recorded.images.first { $0.name == image.name }?
          .prefetchSourceName
      }
    }
    if options.measures {
      var measurement = ProjectMeasurement(
        recorded, programs: build.images, build.shell, steps: steps)
      document.measurements = try measurement.run(launches.launches)
      warnings += measurement.warnings
    }
    warnings = Self.withoutRepetition(warnings)
    document.warnings = warnings.map { "\($0)" }
    try OutputFile(folder.summary("json")).finish(document.json())
    try OutputFile(folder.summary("md")).finish(Array(AutoMarkdown(document).text.utf8))
    try OutputFile(folder.summary("txt")).finish(Array(AutoText(document).text.utf8))
    try OutputFile(folder.state).finish(Array((identity + results(of: build, by: method)).utf8))
    return result(folder, document)
  }

  /// Returns each warning once. Several steps may give the same warning about an image, and some steps name the image by its
  /// path. `ProjectImages` warns of stripped images.
  private static func withoutRepetition(_ warnings: [Diagnostic]) -> [Diagnostic] {
    var seen: Set<String> = []
    return warnings.filter { warning in
      guard warning.kind != .missingSymbolTable else { return false }
      let line = (warning.context + [warning.message]).joined(separator: ": ")
      let place = line.prefix { $0 != ":" }
      return seen.insert(fileName(ofPath: String(place)) + line.dropFirst(place.count)).inserted
    }
  }

  /// Returns the methods by which the launches can be recorded.
  private func methods(for build: ProjectBuild) -> RecordingMethods {
    var methods = RecordingMethods(triedIn: environment)
    methods.consider(build.images, of: build.plan, in: environment)
    return methods
  }

  /// Records the launches. If the method needs an instrumented build, first makes that build, and then the plain build
  /// again.
  private func record(
    _ launches: ProjectLaunches, by method: AutoDocument.RecordingMethod,
    _ build: inout ProjectBuild
  ) throws(Diagnostic) -> ProjectLaunches.Recorded {
    if method.needsInstrumentedBuild {
      build.relink(build.images)
      try build.build("instrument", .instrumented(recorder: OwnLibrary.recorder()))
    }
    let recorded = try steps.timed("record", "each launch", log: launches.log.path) {
      () throws(Diagnostic) in
      try launches.record(by: method)
    }
    if method.needsInstrumentedBuild {
      build.relink(build.images)
      try build.build("build", .plain)
    }
    return recorded
  }

  /// Counts the pages that the launches execute, or returns the reason why they can't be counted.
  ///
  /// - Throws: if the launches were recorded with breakpoints: where breakpoints work, page counts work, too.
  private func count(
    _ launches: ProjectLaunches, _ recorded: ProjectLaunches.Recorded, _ methods: RecordingMethods,
    _ method: AutoDocument.RecordingMethod
  ) throws(Diagnostic) -> (counts: ProjectLaunches.Counts?, refusal: String?) {
    guard methods.runsPrograms else { return (nil, "an emulator does not count pages") }
    do {
      return (try launches.counts(of: recorded, steps), nil)
    } catch {
      guard !method.traces, !Interruption.hasCome else { throw error }
      return (nil, error.message)
    }
  }

  private func result(_ folder: AutoFolder, _ document: AutoDocument?) -> Result {
    Result(
      document: document, text: folder.summary("txt"), json: folder.summary("json"),
      warnings: warnings)
  }

  // MARK: What is used

  private func buildSystem(of project: String) throws(Diagnostic) -> BuildSystem {
    if let command = options.buildCommand {
      if let language = UnsupportedLanguage(command: command) {
        throw language.error(command.map(shellWord).joined(separator: " "))
      }
      return BuildSystem(command: command)
    }
    let names = Folder.names(in: project).filter { !TreeCopy.isMadeAgain("\(project)/\($0)") }
    let found = BuildSystem.all(
      in: Set(names), jobs: options.jobs, generator: environment.generatorForCMake)
    return try .only(
      of: found, wanted: options.buildSystem, language: UnsupportedLanguage(filesNamed: names),
      project: project)
  }

  /// Returns the second part of `state`: the method of recording, and the stamps of the images and the results.
  private func results(of build: ProjectBuild, by method: AutoDocument.RecordingMethod) -> String {
    "recorded by \(method.rawValue)\n\(build.stamps)\(build.shell.folder.resultStamps)"
  }

  /// Returns the first part of `state`: everything that the results depend on, apart from the images.
  private func identity(of build: ProjectBuild) -> String {
    let launches = options.launches.map { launch in
      // A launch may run other functions if its input has changed.
      let input = launch.input.map { "\($0) \(ProjectImage.stamp(ofFileAt: $0))" } ?? ""
      let script =
        launch.script.map { "\0\($0.path) \(ProjectImage.stamp(ofFileAt: $0.path))" } ?? ""
      let readiness = launch.readiness.map { "\($0)" } ?? ""
      let times = "\0\(launch.count)\0\(launch.isRequired)"
      return "launch \(launch.command)\0\(input)\0\(readiness)\(script)\(times)"
    }
    let method = options.method?.rawValue ?? "any method"
    let measuring = options.measures ? "measured" : "not measured"
    let wishes = [
      toolVersion, build.system.build, build.plan.linker.name, build.plan.goal.rawValue, method,
      measuring, options.prefetches ? "prefetched" : "not prefetched",
    ]
    return (wishes + launches).map { "\($0)\n" }.joined()
  }
}
