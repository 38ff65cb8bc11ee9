import ArgumentParser
import Budget
import CommandSupport
import Demangling
import ImageModel
import Rendering
import Reports

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Hold a launch to its budget: pages, bytes, order, libraries, times.",
    discussion: """
      EXAMPLES
        $ orderfile check --init -o orderfile.budget.json diff.json pages.json audit.json
        $ orderfile check --budget orderfile.budget.json --base main/check.json diff.json pages.json audit.json

      A document is what audit, auto, diff, gen, measure, pages or verify write with --json. Of two layouts or programs the one \
      after counts. The base is what 'check --json' wrote for the main branch, or such documents; if its file does not \
      exist, only limits without a base are checked. Times are compared only with a build that the same 'measure' \
      launched in turn.

      EXIT STATUS
        0 if all limits are kept, also without a base; 2 if one is exceeded; 5 with --strict if the launches do not \
      decide; 3 if the base is of another program or architecture, or the documents are not of one build.
      """)

  @Argument(
    help: ArgumentHelp("The documents, - for stdin.", valueName: "document"), completion: .file())
  var documents: [String]
  @Option(help: ArgumentHelp("The limits.", valueName: "file"), completion: .file())
  var budget: String?
  @Option(
    help: ArgumentHelp(
      "What to compare with. Repeat for more documents.", valueName: "file"), completion: .file())
  var base: [String] = []
  @Flag(name: .customLong("init"), help: "Print a budget that the documents just meet.")
  var writesBudget = false
  @Flag(help: "Exit with 5 if the measured launches do not show whether a limit is kept.")
  var strict = false
  @Flag(help: "Explain each limit, and what makes its figure better.")
  var why = false
  @Option(help: ArgumentHelp("How to demangle names: none, short or full.", valueName: "mode"))
  var demangle = DemangleOption.full
  @Flag(help: "Print one JSON object, which can be a later --base.")
  var json = false
  @Option(
    help: ArgumentHelp("Also write JUnit XML, for build servers.", valueName: "file"),
    completion: .file())
  var exportJunit: String?
  @Option(
    help: ArgumentHelp(
      "Also write Markdown, for a pull request or $GITHUB_STEP_SUMMARY.", valueName: "file"),
    completion: .file())
  var exportMarkdown: String?
  @Option(
    help: ArgumentHelp("Also write SARIF 2.1.0, for code scanning.", valueName: "file"),
    completion: .file())
  var exportSarif: String?
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages

  func validate() throws {
    if writesBudget == (budget != nil) {
      throw ValidationError(
        writesBudget
          ? "give --init or --budget, not both"
          : "missing the budget: give --budget, or --init to make one")
    }
    if json && why { throw ValidationError("give --json or --why, not both") }
    let others =
      !base.isEmpty || strict || why || json || exportJunit != nil || exportMarkdown != nil
      || exportSarif != nil
    if writesBudget && others {
      throw ValidationError("--init takes only documents and --output")
    }
    let outputs = [destination.output, exportJunit, exportMarkdown, exportSarif].compactMap { $0 }
    if outputs.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("only one report can go to stdout: give --output")
    }
    for (index, path) in outputs.enumerated() where outputs[..<index].contains(path) {
      throw ValidationError("two reports can't go to one file: '\(path)' is given twice")
    }
  }

  func run() throws {
    let inputs = documents + base + [budget].compactMap { $0 }
    let outputFile = try destination.open(madeOf: inputs)
    let exports = try [exportJunit, exportMarkdown, exportSarif].map { path throws(Diagnostic) in
      try path.map { path throws(Diagnostic) in try Output(path, madeOf: inputs) }
    }
    var checking = BudgetChecking(documents: documents)
    checking.base = base
    guard let budget else {
      let images = try checking.images()
      for note in BudgetDraft.notes(for: images) { messages.print(note: printable(note)) }
      try outputFile.finish(BudgetDraft.budget(for: images).json())
      return
    }
    var document = try checking.check(budget)
    document.isStrict = strict
    let names: NameWording = Demangler(demangle.mode).demangle
    if json {
      try outputFile.finish(document.json())
    } else {
      let text =
        why
        ? BudgetExplanation(document).text
        : CheckText(document, width: destination.width, names: names).text
      try outputFile.finish(Array(text.utf8))
    }
    try exports[0]?.finish(Array(JUnitReport(document, isStrict: strict, names: names).text.utf8))
    try exports[1]?.finish(Array(CheckMarkdown(document, names: names).text.utf8))
    try exports[2]?.finish(
      CheckSARIF(
        document, path: RepositoryPath.of(budget), toolVersion: toolVersion, names: names
      ).json())
    try end(document, names)
  }

  /// - Throws: what determines the exit status.
  private func end(_ document: CheckDocument, _ names: NameWording) throws {
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
