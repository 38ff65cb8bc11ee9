import ArgumentParser
import Budget
import CommandSupport
import Demangling
import ImageModel
import LaunchMeasurement
import Rendering

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Hold a launch to its budget: pages, bytes, order, libraries, times.",
    discussion: """
      EXAMPLES
        $ orderfile check --init -o orderfile.budget.json --order app.order --launch 'build/app --help'
        $ orderfile check --budget orderfile.budget.json --base main/check.json --order app.order \
      --history history.jsonl --launch 'build/app --help'

      A document is what a command writes with --json. With --launch or --launches, check makes the documents: it counts the \
      pages of the launch, records the launch, audits the image, compares its layout with the layout of --before \
      (or with itself), and verifies --order. If a limit is on a time, it measures both builds, or divides launches \
      into stages; if a limit is on memory, it measures resident memory; with --device, it lists the faults of a cold \
      launch. It keeps the documents in a folder, with its own result as check.json. Without a launch, give documents \
      that audit, auto, diff, faults, gen, measure, pages, stages and verify have written. If a document compares two \
      builds, the limits apply to the second build.

      The base is the build that this build is compared with, usually that of the main branch. Give --base the \
      result of an earlier check (check.json), documents of the base, or a history, whose newest figures count. If \
      the file of --base does not exist, check skips the limits that need a base. It compares times only if one \
      'orderfile measure' launched both builds alternately, or if 'orderfile stages --base' compared their launches.

      A limit that the base exceeds at least as much is listed apart, and fails nothing: an earlier change exceeded it. \
      Causes are named for figures that became worse, new functions first. A job that runs again at the same commit \
      leaves the lines of the history as they are.

      EXIT STATUS
        0  all limits are kept, or need a base that does not exist
        1  failure: a launch fails, or a limited figure is in no document
        2  a limit is exceeded
        3  the base is of another program or architecture, or the documents are of different builds
        5  with --strict: the measured launches vary too much to decide
      """)

  @Argument(
    help: ArgumentHelp(
      "A document of the build to check; - reads it from stdin. Repeat for more.",
      valueName: "document"), completion: .file())
  var documents: [String] = []
  @OptionGroup var made: CheckLaunchOptions
  @Option(
    help: ArgumentHelp("The file with the limits, as --init prints it.", valueName: "file"),
    completion: .file())
  var budget: String?
  @Option(
    help: ArgumentHelp(
      "A further limit, such as 'measure.rss<=20000000' or 'pages.textPages<=150'. Repeat for more.",
      valueName: "limit"))
  var limit: [String] = []
  @Option(
    help: ArgumentHelp(
      "The result of an earlier check, a document of the base, or a history. Repeat for more files.",
      valueName: "file"),
    completion: .file())
  var base: [String] = []
  @Flag(help: "Also fail for limits that the base exceeds at least as much.")
  var failOnBase = false
  @Option(
    help: ArgumentHelp(
      "Append the figures of the documents to this history, as 'orderfile history add' does.",
      valueName: "file"), completion: .file())
  var history: String?
  @OptionGroup var added: AdditionOptions
  @Flag(
    name: .customLong("init"),
    help:
      "Print a budget whose limits are a little above the figures of the documents, instead of checking them."
  )
  var writesBudget = false
  @Flag(help: "Exit with 5 if the measured launches do not show whether a limit is kept.")
  var strict = false
  @Flag(help: "Explain what each limit means, and how its figure can be improved.")
  var why = false
  @Option(help: ArgumentHelp("How to demangle names: none, short or full.", valueName: "mode"))
  var demangle = DemangleOption.full
  @Flag(
    help: "Print the result as one JSON object instead of text. A later check can use it as --base."
  )
  var json = false
  @Option(
    help: ArgumentHelp(
      "Also write the result to this file as JUnit XML, for build servers.", valueName: "file"),
    completion: .file())
  var exportJunit: String?
  @Option(
    help: ArgumentHelp(
      "Also write the result to this file as Markdown, for a pull request or $GITHUB_STEP_SUMMARY.",
      valueName: "file"),
    completion: .file())
  var exportMarkdown: String?
  @Option(
    help: ArgumentHelp(
      "Also write the result to this file as SARIF 2.1.0, for code scanning.", valueName: "file"),
    completion: .file())
  var exportSarif: String?
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages

  func validate() throws {
    if writesBudget == (budget != nil || !limit.isEmpty) {
      throw ValidationError(
        writesBudget
          ? "give --init or limits (--budget, --limit), not both"
          : "missing the budget: give --budget or --limit, or --init to make one")
    }
    _ = try limits()
    try made.check()
    try added.check()
    if documents.isEmpty, !made.hasLaunch {
      throw ValidationError(
        "missing documents to check: name their files, or give --launch COMMAND or --launches FILE")
    }
    if json && why { throw ValidationError("give --json or --why, not both") }
    let others =
      !base.isEmpty || failOnBase || strict || why || json || history != nil || exportJunit != nil
      || exportMarkdown != nil || exportSarif != nil
    if writesBudget && others {
      throw ValidationError("--init can be used only with documents, a launch and --output")
    }
    if history == nil, let option = added.firstGiven {
      throw ValidationError("\(option) describes an entry of a history: give --history FILE")
    }
    let outputs = [destination.output, exportJunit, exportMarkdown, exportSarif].compactMap { $0 }
    if outputs.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("only one report can go to stdout: name files for the others")
    }
    for (index, path) in outputs.enumerated() where outputs[..<index].contains(path) {
      throw ValidationError("two reports can't go to one file: '\(path)' is given twice")
    }
  }

  /// The limits of the command line.
  private func limits() throws -> [Budget.Limit] {
    do { return try CommandLimits(parsing: limit).limits } catch {
      throw ValidationError("invalid --limit: \(error.message)")
    }
  }

  /// The limits of the file and of the command line, and the name of their place; `nil` without limits.
  private func givenBudget() throws -> (budget: Budget, path: String)? {
    let others = try limits()
    guard let budget else {
      return others.isEmpty ? nil : (Budget(limits: others), "--limit")
    }
    var file = try BudgetChecking.budget(at: budget)
    file.limits += others
    return (file, budget)
  }

  func run() throws {
    let launch = try made.checkedLaunch()
    let inputs =
      documents + base + [budget, history].compactMap { $0 } + made.inputs + (launch?.inputs ?? [])
    let limits = try givenBudget()
    let commit = try history.map { _ in try added.gitCommit() }
    var checking = try BudgetChecking(
      documents: documents, base: base,
      checked: CheckedCommit(commit: commit?.name ?? added.commit, launch: added.launchName))
    checking.failsOnBase = failOnBase
    if let history { try HistoryAddition.check(history) }
    try launch?.prepareFolder(inputs: inputs)
    let outputs = try CheckOutputs(self, launch, madeOf: inputs)
    let found = try launch.map { launch in
      let given = checking.sources(of: launch.imageName)
      return try make(launch, besides: given, measuring: limits?.budget)
    }
    for document in found?.documents ?? [] { try checking.add(document) }
    checking.absences = found?.absences ?? []
    guard let limits else {
      let draft = try checking.draft()
      try outputs.report.finish(draft.budget.json())
      for note in draft.notes { messages.print(note: printable(note)) }
      if let found, let launch { print(found, in: launch) }
      return
    }
    var document = try checking.check(limits.budget, at: limits.path)
    document.isStrict = strict
    let names: NameWording = Demangler(demangle.mode).demangle
    try outputs.write(document, self, names)
    if let found, let launch { print(found, in: launch) }
    let failure = commit.flatMap { add(checking.documents, of: $0) }
    do { try end(document, names) } catch {
      // The exceeded limit decides the exit status.
      if let failure { Console.printError(failure) }
      throw error
    }
    if let failure { throw failure }
  }

  /// Appends the figures of the documents to the history.
  ///
  /// - Returns: why the figures can't be appended; `nil` if they were appended.
  private func add(_ documents: [NamedDocument], of commit: GitCommit) -> Diagnostic? {
    guard let history else { return nil }
    var addition = HistoryAddition(history: history, commit: commit, documents: documents)
    addition.launch = added.launchName
    do throws(Diagnostic) {
      let entries = try addition.run()
      messages.print(entries, addedTo: history, commit.name)
    } catch {
      return error
    }
    return nil
  }

  private func make(
    _ launch: CheckedLaunch, besides given: Set<HistorySeries.Source>,
    measuring budget: Budget?
  ) throws -> MadeDocuments {
    let line = StepLine(messages)
    defer { line.end() }
    return try launch.run(
      besides: given, measuring: budget?.timeStates ?? [], memory: budget?.needsMemory ?? false,
      stages: budget?.stagesState
    ) { line.begin("check: \($0)") }
  }

  /// Prints the folder of the launch's documents, and notes and warnings about the documents.
  private func print(_ made: MadeDocuments, in launch: CheckedLaunch) {
    for note in made.notes { messages.print(note: note.description) }
    messages.print(note: printable("the documents of the launch are in \(launch.folder)"))
    messages.print(made.warnings)
  }

  /// - Throws: the error that determines the exit status.
  private func end(_ document: CheckDocument, _ names: NameWording) throws {
    if let note = document.alreadyInBaseNote { messages.print(note: printable(note)) }
    if let note = document.baselineNote { messages.print(note: printable(note)) }
    messages.print(document.partialFigures)
    var failures = document.failures(names)
    let undecided = document.warnings
    if failures.isEmpty, strict, let first = undecided.first {
      messages.print(Array(undecided.dropFirst()))
      throw Diagnostic(first.message, context: first.context, severity: .inconclusive)
    }
    messages.print(undecided)
    guard let last = failures.popLast() else { return }
    for failure in failures { Console.printError(failure) }
    throw last
  }
}
