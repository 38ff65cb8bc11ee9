import Addresses
import Audit
import Budget
import ByteReading
import ImageModel
import LaunchMeasurement
import Measuring
import PagesFormat
import Prediction
import Rendering
import Stages
import TestSupport

extension Budget {
  init(_ text: String) throws(ParseError) { try self.init(parsing: FileBytes(Array(text.utf8))) }

  /// Returns a budget of these limits. Each limit is an object without its braces.
  static func of(
    _ limits: String..., libraries: String? = nil, tasks: String? = nil
  ) throws -> Budget {
    let list =
      (libraries.map { "\"allowedLibraries\": [\($0)], " } ?? "")
      + (tasks.map { "\"allowedTasks\": [\($0)], " } ?? "")
    return try Budget(
      "{\(list)\"limits\": [\(limits.map { "{\($0)}" }.joined(separator: ",\n"))], \"schema\": \"orderfile.budget/1\"}"
    )
  }
}

extension BudgetCheck {
  /// Returns the outcomes of a limit on one figure with the value `value`, and with `base` in the base.
  static func outcomes(
    _ limit: String, _ value: Double, base: Double? = nil, figure: String = "pages.textPages"
  ) throws -> [CheckOutcome] {
    let old = base.map { [CheckedImage([figure: $0])] }
    return try BudgetCheck(
      Budget.of("\"metric\": \"\(figure)\", \(limit)"), images: [CheckedImage([figure: value])],
      base: old
    ).results().map(\.outcome)
  }
}

extension CheckedImage {
  /// Makes an image with figures: names such as `pages.textPages`, and their values.
  init(
    _ figures: [String: Double], name: String = "app", pageSize: PageSize? = .fourKibibytes
  ) {
    self.init(name: name)
    for (id, value) in figures.sorted(by: { $0.key < $1.key }) {
      guard let figure = BudgetFigure(id: id) else { preconditionFailure("an unknown figure") }
      self.figures.append(
        Figure(
          source: figure.source, pageSize: pageSize,
          metric: HistoryMetric(figure.name, figure.unit, figure.direction, value),
          document: "a.json"))
    }
  }
}

extension PlacedFunction {
  static func at(
    _ address: UInt64, _ name: String, _ bytes: UInt64 = 0x100, ordered: Bool? = nil
  ) -> PlacedFunction {
    PlacedFunction(
      name: SymbolName(name), address: StatedAddress(rawValue: address), bytes: bytes,
      isOrdered: ordered)
  }
}

/// Returns a check with each outcome, each kind of cause, and names that have to be escaped.
func sampleCheck() throws -> CheckDocument {
  let nasty = "a\"b<c>&|`*\u{1b}[31m\u{fffe}\n_Zx"
  var base = CheckedImage(["pages.textPages": 143, "diff.stale": 0.01, "diff.startupBytes": 60_000])
  base.functions = [
    .at(0x1000, "_ZN3app4mainEv", ordered: true), .at(0x1100, "grows", ordered: true),
    .at(0x1200, "leaves", ordered: true), .at(0x1300, "moves"),
  ]
  var image = CheckedImage([
    "pages.textPages": 147, "diff.stale": 0.031, "diff.startupBytes": 60_100,
  ])
  image.figures.append(
    CheckedImage.Figure(
      source: .gen, metric: HistoryMetric("untracedInitializers", .functions, .lower, 0),
      document: "gen.json"))
  image.functions = [
    .at(0x1000, "_ZN3app4mainEv", ordered: true), .at(0x1100, "grows", 0x180, ordered: true),
    .at(0x9000, "leaves", ordered: false), .at(0x7000, "moves"),
    .at(0xb000, nasty, 0x1800, ordered: false),
  ]
  image.unorderable = [NameWithReason(name: "gone", reason: "no such symbol")]
  image.libraries = [
    AuditFigures.Library(name: "libc.so.6"), AuditFigures.Library(name: "libx|y.so"),
  ]
  image.times = [
    CheckedImage.Times(
      state: "warm", launches: 30,
      comparisons: [
        MeasureDocument.Comparison(
          before: "before", after: "after",
          metrics: [
            ProgramComparison(
              metric: .wallTime, change: TypicalChange(share: 0.02, interval: 0.005...0.036),
              p: 0.01, correctedP: 0.02),
            ProgramComparison(
              metric: .cpuTime, change: TypicalChange(share: 0.05, interval: 0.04...0.06),
              p: 0.0001, correctedP: 0.0002),
          ])
      ])
  ]
  image.tasks = ["database of first screen", "upload of first screen"]
  base.tasks = ["database of first screen"]
  for (name, count) in [("count", 2), ("first screen.count", 2)] {
    image.figures.append(
      CheckedImage.Figure(
        source: .tasks, metric: HistoryMetric(name, .tasks, .lower, count), document: "audit.json"))
  }
  var images = [image]
  try images.add(CommittedDocument(judging: .stages(sampleStages())), path: "stages.json")
  let budget = try Budget.of(
    "\"metric\": \"pages.textPages\", \"max\": 145, \"againstBase\": \"+2\"",
    "\"metric\": \"diff.startupBytes\", \"againstBase\": \"+2%\"",
    "\"metric\": \"diff.stale\", \"max\": \"2%\"",
    "\"metric\": \"gen.untracedInitializers\", \"max\": 0, \"againstBase\": \"+0\"",
    "\"metric\": \"measure.wallTime\", \"againstBase\": \"+3%\"",
    "\"metric\": \"measure.cpuTime\", \"againstBase\": \"+3%\"",
    "\"metric\": \"tasks.first screen.count\", \"max\": 1",
    "\"metric\": \"stages.first screen.milliseconds\", \"againstBase\": \"+2\", \"max\": 30",
    "\"metric\": \"stages.milliseconds\", \"max\": 28, \"againstBase\": \"+8\"",
    libraries: "\"libc*\"",
    tasks: "\"database of *\"")
  return CheckDocument(
    budget: "orderfile.budget.json", base: ["base.json"],
    results: try BudgetCheck(budget, images: images, base: [base]).results(), images: images)
}

/// Eight launches that take 9 ms longer than those of the base, of which a new task takes 1 ms.
private func sampleStages() throws -> StagesDocument {
  func document(_ milliseconds: Double, upload: Bool) -> StagesDocument {
    let launches = (0..<8).map { number in
      StagedLaunch(
        [
          LaunchStage("main", .event, nanoseconds: 5e6),
          LaunchStage(
            "first screen", .event, nanoseconds: (milliseconds + Double(number % 4)) * 1e6),
          LaunchStage("task database of first screen", .task, nanoseconds: 2e6),
        ]
          + (upload ? [LaunchStage("task upload of first screen", .task, nanoseconds: 1e6)] : []))
    }
    var document = StagesDocument(precision: 0.03)
    document.tables = [StageTable(.trace, launches, origins: ["app.oftrace"])]
    document.image = ImageReference(path: "app")
    return document
  }
  var launches = document(20, upload: true)
  try launches.compare(with: document(11, upload: false))
  return launches
}
