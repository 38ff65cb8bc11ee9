import Budget
import CommandSupport
import ImageModel
import Rendering

/// The outputs for the reports of `check`. All are opened before any program is launched.
struct CheckOutputs {
  let report: Output
  private let junit: Output?
  private let markdown: Output?
  private let sarif: Output?
  /// The report in the folder of the documents; `nil` without a launch, if the command writes a budget, or if `report`
  /// is this file.
  private let kept: Output?

  init(
    _ command: CheckCommand, _ launch: CheckedLaunch?, madeOf inputs: [String]
  ) throws {
    func output(_ path: String?) throws(Diagnostic) -> Output? {
      try path.map { path throws(Diagnostic) in try Output(path, madeOf: inputs) }
    }
    report = try command.destination.open(madeOf: inputs)
    junit = try output(command.exportJunit)
    markdown = try output(command.exportMarkdown)
    sarif = try output(command.exportSarif)
    let file = try command.writesBudget ? nil : output(launch?.reportPath)
    let others = [report, junit, markdown, sarif].compactMap { $0 }
    guard let file, others.contains(where: { $0.isSameFile(as: file) }) else {
      kept = file
      return
    }
    guard command.json, report.isSameFile(as: file) else {
      throw Diagnostic(
        "two reports can't go to one file: check also writes check.json there",
        context: [file.path], hint: "give another file, or another folder with '--documents'",
        severity: .usage)
    }
    kept = nil
  }

  func write(
    _ document: CheckDocument, _ command: CheckCommand, _ names: @escaping NameWording
  ) throws(Diagnostic) {
    try kept?.finish(document.json())
    if command.json {
      try report.finish(document.json())
    } else {
      let text =
        command.why
        ? BudgetExplanation(document).text
        : CheckText(document, width: command.destination.width, names: names).text
      try report.finish(Array(text.utf8))
    }
    let junitText = JUnitReport(document, isStrict: command.strict, names: names).text
    try junit?.finish(Array(junitText.utf8))
    try markdown?.finish(Array(CheckMarkdown(document, names: names).text.utf8))
    try sarif?.finish(
      CheckSARIF(
        document, path: RepositoryPath.of(document.budget), toolVersion: toolVersion, names: names
      ).json())
  }
}

extension Output {
  /// Whether both outputs are one file, so that only the later report would be left.
  func isSameFile(as other: Output) -> Bool {
    guard case .file(let file) = self, case .file(let otherFile) = other else { return false }
    return file.isSameFile(as: otherFile)
  }
}
