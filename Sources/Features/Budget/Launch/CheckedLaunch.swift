// The first part of `orderfile check --launch`: making the documents.
//
// The program is launched for its pages, then for a trace, for faults if a device was given, and for times, memory and
// stages if a limit is on such a figure. Each document is made by the code of the command with the document's name. An
// obstacle to a document, such as a kernel that does not permit tracing, is no error: only a limit on a figure of that
// document fails, and says why. The check ends if a launch fails, or if a file that the user named can't be used.

import Audit
import CommandSupport
import Counting
import ImageModel
import LaunchMeasurement
import Measuring
import Ordering
import PagesFormat
import Prediction
import ProcessLaunch
import Recording
import Stages
import Symbolication

package struct CheckedLaunch {
  let program: MeasuredCommand
  /// The path of the image that the documents are about.
  let image: String
  /// The path of the build to compare with; `nil` to compare the image with itself.
  package var before: String?
  /// The path of the order file that the image was linked with; `nil` for none.
  package var order: String?
  package var conditions = LaunchConditions()
  /// The number of measured launches of each build, as `BuildMeasurement` takes it.
  package var runs: Int?
  /// The device of a cold launch whose faults are listed; `nil` for no such launch.
  package var device: DeviceSettings?
  /// The path of the folder that the documents are written to.
  package var folder: String
  package var environment: LaunchEnvironment

  /// - Parameters:
  ///   - command: the path of an image, or a command line of words, as `measure` takes it.
  ///   - image: the path of the image that the documents are about; `nil` for the launched program.
  /// - Throws: an error if the program does not exist, or if it is a script and there is no `image`.
  package init(
    _ command: String, image: String?, folder: String, in environment: LaunchEnvironment
  ) throws(Diagnostic) {
    try self.init(
      MeasuredCommand(command, [], option: "--launch", in: environment), image: image,
      folder: folder, in: environment)
  }

  /// Makes the check of a launch that a file of launches describes.
  ///
  /// - Throws: an error also if the folder of the launch does not exist.
  package init(
    _ launch: DescribedLaunch, image: String?, folder: String, in environment: LaunchEnvironment
  ) throws(Diagnostic) {
    try self.init(
      MeasuredCommand(words: try launch.words(), option: "--launches", in: environment),
      image: image, folder: folder, in: environment)
    conditions = LaunchConditions(of: launch)
  }

  private init(
    _ program: MeasuredCommand, image: String?, folder: String, in environment: LaunchEnvironment
  ) throws(Diagnostic) {
    self.program = program
    let given = image ?? program.path
    let wrapped = LibtoolWrapper(at: given)?.program
    guard image != nil || wrapped != nil || program.isImage else {
      throw Diagnostic(
        "this program is a script, but limits are on figures of an image",
        context: [program.path], hint: "name the image that the script runs with '--image'")
    }
    self.image = wrapped ?? given
    self.folder = folder
    self.environment = environment
  }

  /// The file name of the image, which identifies the image in documents.
  package var imageName: String { fileName(ofPath: image) }

  /// The names of the files in the folder, in the order of a listing. Traces of further processes have longer names.
  static let fileNames = [
    "audit.json", "check.json", "diff.json", "faults.json", "launch.log", traceName,
    "measure.json", "pages.json", "stages.json", "verify.json",
  ]
  private static let traceName = "launch.oftrace"

  /// The path of the report on the check.
  package var reportPath: String { path("check.json") }

  func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// The paths of the program and the image, which the check reads.
  package var inputs: [String] { [program.path, image] }

  /// Makes the folder.
  ///
  /// - Parameter inputs: the paths of the files that the check reads.
  /// - Throws: an error also if one of these files is in the folder and `run` would replace it.
  package func prepareFolder(inputs: [String]) throws(Diagnostic) {
    try Folder.make(folder)
    for name in oldFiles {
      do { try OutputFile.check(path(name), isNoneOf: inputs) } catch {
        throw Diagnostic(
          "the check would replace this file, which is also one of its inputs",
          context: [path(name)],
          hint: "name another folder with '--documents', or copy the file to another place")
      }
    }
  }

  /// The names of the files that an earlier check left in the folder.
  private var oldFiles: [String] {
    Folder.names(in: folder).filter { name in
      Self.fileNames.contains(name) || name.hasPrefix("\(Self.traceName).")
    }
  }

  /// Launches the program, and writes the documents to the folder after all of them are made. From this call on, an
  /// interrupt ends the launched programs and not this process.
  ///
  /// - Parameters:
  ///   - given: the commands whose documents were given, and are not made.
  ///   - states: the states of the page cache in which times are measured; empty to measure none.
  ///   - countsMemory: whether the resident memory of the launch is measured.
  ///   - stagesState: the state of the page cache in which launches are divided into stages; `nil` to divide none.
  ///   - progress: called with each step when it begins.
  /// - Throws: if the launch fails or does not use the image, if it is interrupted, or if a file that was named can't be
  ///   used.
  package func run(
    besides given: Set<HistorySeries.Source>, measuring states: [CacheState],
    memory countsMemory: Bool = false, stages stagesState: CacheState? = nil,
    _ progress: (String) -> Void
  ) throws -> MadeDocuments {
    for name in oldFiles { Folder.remove(Array(path(name).utf8)) }
    Interruption.catchSignals()
    let input = try conditions.keptInput(in: environment)
    defer { withExtendedLifetime(input) {} }
    var made = MadeDocuments()
    if !given.contains(.audit) { try audit(image, &made) }
    if order == nil { made.lack(.verify, Self.noOrder) }
    if let order, !given.contains(.verify) { try verify(order, image, &made) }
    var comparison = LayoutDiff.Options(before: before ?? image, after: image)
    comparison.launches.order = order
    let layouts =
      try given.contains(.diff)
      ? nil : PredictedLayouts(before: comparison.before, after: comparison.after)
    // Links are not resolved: programs such as busybox find out by the link's name what to do.
    let isRelative = conditions.folder != nil && !program.path.hasPrefix("/")
    let programPath = isRelative ? "\(try Folder.current())/\(program.path)" : program.path
    var launch = LaunchOfImage(
      [programPath] + program.arguments.dropFirst(), of: image,
      log: ProgramLog(path("launch.log")), in: environment)
    launch.realPath = try Folder.absolutePath(image)
    launch.conditions = conditions
    launch.conditions.inputPath = input.path
    // An input that is a pipe was copied to a file without a name, so the input is not among the named files.
    launch.namedInputs = [conditions.inputPath].compactMap { $0 }.filter { $0 == input.path }
    if let script = conditions.script { launch.namedInputs.append(script.path) }
    launch.hasBlockMap = (try? layouts?.last.blockMap()) ?? nil != nil
    if !given.contains(.pages) {
      progress("counting the pages of the launch")
      try countPages(launch, &made)
    }
    if let layouts {
      progress("recording the launch")
      try compare(layouts, comparison, launch, &made)
    }
    if !given.contains(.faults) { try listFaults(launch, &made, progress) }
    if !given.contains(.measure) {
      made.lack(.measure, of: ["readBytes", "requests"], Self.noDevice)
      if !states.isEmpty || countsMemory {
        try measure(program, launch, states, memory: countsMemory, &made, progress)
      }
    }
    if let stagesState, !given.contains(.stages) {
      try divide(program, launch, stagesState, &made, progress)
    }
    if Interruption.hasCome { throw Diagnostic("interrupted") }
    for file in made.files { try OutputFile(file.path).finish(file.bytes) }
    return made
  }

  // MARK: Without a launch

  private func audit(_ image: String, _ made: inout MadeDocuments) throws(Diagnostic) {
    let document = try Audit(image).examine()
    made.warn(document.warnings)
    try made.add(.audit(document.figures()), as: document.json(), at: path("audit.json"))
  }

  private func verify(
    _ order: String, _ image: String, _ made: inout MadeDocuments
  ) throws(Diagnostic) {
    let verification = try OrderFileVerification(.init(order: order, images: [image]))
    made.warn(verification.warnings)
    try made.add(
      .verify(VerifyFigures(verification.document)), as: verification.document.json(),
      at: path("verify.json"))
  }

  // MARK: With a launch

  private func countPages(_ launch: LaunchOfImage, _ made: inout MadeDocuments) throws {
    let counted: CountedPages
    do throws(Obstacle) { counted = try launch.countPages() } catch {
      guard case .ofMethod(let reason) = error else { throw error.diagnostic }
      made.lackDocument(.pages, reason)
      return
    }
    made.note(counted.notes)
    made.warn(counted.warnings)
    try made.add(
      .pages(counted.document), as: counted.document.json(), at: path("pages.json"))
  }

  /// Records the launch, and compares the layouts for the recorded functions.
  private func compare(
    _ layouts: PredictedLayouts, _ options: LayoutDiff.Options, _ launch: LaunchOfImage,
    _ made: inout MadeDocuments
  ) throws {
    let recorded: (paths: [String], warnings: [Diagnostic])
    do throws(Obstacle) { recorded = try launch.record(to: path(Self.traceName)) } catch {
      guard case .ofMethod(let reason) = error else { throw error.diagnostic }
      made.lackDocument(.diff, reason)
      return
    }
    made.warn(recorded.warnings)
    var options = options
    options.launches.traces = recorded.paths
    options.launches.launch = launch.command
    let document: DiffDocument
    do { document = try LayoutDiff(options, of: layouts).document } catch {
      // Both layouts could be read, so the error is only about missing names, as in a stripped image.
      guard error.severity == .failure else { throw error }
      made.lackDocument(.diff, error)
      return
    }
    made.warn(document.warnings)
    try made.add(.diff(document), as: document.json(), at: path("diff.json"))
    if order == nil {
      made.lack(.diff, of: ["stale", "inOrder", "covered", "coveredBytes"], Self.noOrder)
    }
    made.lack(
      .diff, of: ["drifted"],
      Diagnostic(
        "the image has no map of its basic blocks",
        hint: "compile the program with -fbasic-block-address-map"))
    if let refusal = document.refusal { made.lack(.diff, Diagnostic(refusal)) }
  }

  private static let noOrder = Diagnostic(
    "no order file was given", hint: "give '--order', the order file that the image was linked with"
  )

  private static let noDevice = Diagnostic(
    "'--launch' does not measure launches from a device whose requests are counted",
    hint: "limit 'faults.requests' and give '--device', or give a document of "
      + "'orderfile measure --cold --device emmc --json'")

  private func measure(
    _ program: MeasuredCommand, _ launch: LaunchOfImage, _ states: [CacheState],
    memory countsMemory: Bool, _ made: inout MadeDocuments, _ progress: (String) -> Void
  ) throws {
    if before == nil, !states.isEmpty {
      made.lack(
        .measure, of: ["wallTime", "cpuTime", "instructions"],
        Diagnostic(
          "times need another build for comparison, and none was given",
          hint: "give '--before', the build of the base"))
      if !countsMemory { return }
    }
    guard program.image == launch.realPath else {
      made.lack(
        .measure,
        Diagnostic(
          "the launched program is not the image, so the build of the base can't be launched in its place",
          context: [program.path], hint: "let '--launch' begin with the image"))
      return
    }
    progress(before == nil ? "measuring memory" : "measuring both builds")
    var measurement = BuildMeasurement(
      before: before ?? program.path, after: program.path, in: environment)
    measurement.arguments = Array(program.arguments.dropFirst())
    measurement.states = before == nil ? [] : states
    measurement.measuresBefore = before != nil
    measurement.countsMemory = countsMemory
    measurement.runs = runs
    measurement.hasControl = before != nil
    measurement.conditions = launch.conditions
    defer { Interruption.catchSignals() }
    let result: BuildMeasurement.Result
    do { result = try measurement.run { _ in } } catch {
      try made.lackMeasurement(.measure, error)
      return
    }
    if let interruption = result.interruption { throw interruption }
    made.warn(result.warnings)
    guard let document = result.document else { return }
    try made.add(.measure(document), as: document.json(), at: path("measure.json"))
  }

  /// Divides launches into stages. If the build of the base was given, launches both builds in turn.
  private func divide(
    _ program: MeasuredCommand, _ launch: LaunchOfImage, _ state: CacheState,
    _ made: inout MadeDocuments, _ progress: (String) -> Void
  ) throws {
    progress("dividing the launch into stages")
    var measurement = StageMeasurement(
      [program.path] + program.arguments.dropFirst(), in: environment)
    if program.image == launch.realPath {
      measurement.base = before
    } else if before != nil {
      made.warn([
        Diagnostic(
          "the launched program is not the image, so its stages are not compared with the build of '--before'",
          context: [program.path], hint: "let '--launch' begin with the image")
      ])
    }
    measurement.isCold = state == .cold
    measurement.runs = runs
    measurement.conditions = launch.conditions
    defer { Interruption.catchSignals() }
    let result: StageMeasurement.Result
    do { result = try measurement.run { _ in } } catch {
      try made.lackMeasurement(.stages, error)
      made.lack(.tasks, of: ["milliseconds"], error)
      return
    }
    if let interruption = result.interruption { throw interruption }
    let document = try result.document(
      precision: Self.precision, image: ImageReference(path: image, InputFile.bytes(image)))
    made.warn(document.warnings)
    try made.add(.stages(document), as: document.json(), at: path("stages.json"))
  }

  /// The precision of mean times for which the document states the number of launches.
  private static let precision = 0.03
}

/// A reason for which a document about a launch can't be made.
enum Obstacle: Error {
  /// The method of counting or recording does not work on this machine, or not with this program.
  case ofMethod(Diagnostic)
  /// The launch itself failed, or was interrupted.
  case ofLaunch(Diagnostic)

  var diagnostic: Diagnostic {
    switch self {
    case .ofMethod(let diagnostic), .ofLaunch(let diagnostic): diagnostic
    }
  }
}
