import Addresses
import Budget
import CommandSupport
import FaultEstimate
import ImageModel
import OrderFileMatching
import PagesFormat
import Prediction
import Recording
import Rendering
import Symbolication

/// What a launch touches in one or two layouts of an image, and why: the document of `orderfile report`.
package struct LaunchReport {
  package let document: ReportDocument
  /// The format of the images; `nil` if none was given.
  package let imageFormat: ImageFormat?
  package let warnings: [Diagnostic]

  /// - Parameter paths: images or link maps: the layout before first, then the layout after, then layouts for which
  ///   only the fault curve is shown. Also traces, an order file, documents of `pages`, `faults`, `measure`, `stages`,
  ///   `diff` and `check`, a history and a budget, in any order.
  /// - Parameter environment: where git is found, which names the commits of a history.
  /// - Throws: an error if a file can't be read, if nothing is left to show, or if the startup functions of a layout are
  ///   unknown; `mismatch` if files do not belong together.
  package init(
    _ paths: [String], in environment: LaunchEnvironment
  ) throws(Diagnostic) {
    let inputs = try ReportInputs(paths)
    let predicted = try inputs.prediction()
    var document = ReportDocument(
      title: inputs.title,
      pageSize: predicted?.estimates.pageSize
        ?? inputs.diff?.document.prediction.pageSize ?? .fourKibibytes)
    var warnings = predicted?.warnings ?? []
    if let predicted {
      document.layouts = inputs.layouts(predicted.estimates)
      if let (before, after) = document.bothLayouts {
        document.symbolChanges = SymbolChange.between(before, after)
      }
      document.otherLayouts = try inputs.otherLayouts()
      document.diff = predicted.diff
      if let last = document.layouts.last, predicted.diff?.compliance.order != nil {
        document.outsideOrder = predicted.diff?.compliance.functions?.compactMap { function in
          guard function.isOrdered == false else { return nil }
          return last.shown(AddressRange(start: function.address, size: 0))?.lowerBound
        }
      }
      document.diff?.compliance.functions = nil  // `layouts` has these functions, each name once.
    } else {
      document.diff = inputs.diff?.document
    }
    document.unproved = try inputs.check(document.layouts)
    document.traces = inputs.traces.map(\.path)
    for trace in inputs.traces where document.launch == nil {
      let (launch, found) = try ReportLaunch.reading(trace)
      document.launch = launch
      if predicted == nil { warnings += found }
    }
    document.measure = inputs.measure?.document
    if let difference = inputs.otherMeasuredBuilds(document.layouts) {
      document.measuresOtherBuilds = true
      document.diff?.warnings.append(difference)
      warnings.append(difference)
    }
    document.faults = inputs.faults.map { read in
      let ids = Set(read.document.files.compactMap(\.id))
      let layout = document.layouts.first { $0.image.id.map { ids.contains($0) } ?? false }
      return ReportFaults(path: read.path, read.document, side: layout?.side)
    }
    document.stages = inputs.stages.flatMap(\.document.tables)
    if let history = inputs.history {
      document.history = history.document.entries
      var trend = TrendDocument(history.document)
      trend.commits = GitCommitName.names(
        of: history.document.commits, inHistoryAt: history.path, in: environment)
      document.trend = trend
    }
    document.budget = inputs.budget?.document
    if let check = inputs.check {
      let reported = ReportedCheck(check.document, path: check.path)
      document.check = reported.document
      document.outcomes = reported.outcomes
      document.limitsOfCheck = reported.limits
    }
    document.absentViews = document.viewsWithoutData
    document.nextSteps = inputs.nextSteps(
      ofLayouts: predicted?.nextSteps ?? document.diff?.nextSteps ?? [],
      of: document.layouts.last?.image.id)
    document.diff?.nextSteps = []
    document.diff?.warnings += inputs.differentLaunches
    warnings += inputs.differentLaunches
    self.document = document
    imageFormat = predicted?.estimates.layouts.imageFormat
    self.warnings = warnings + document.limits
  }
}

/// What launches are predicted to touch in the layouts of a report.
private struct ReportPrediction {
  let estimates: LayoutEstimates
  /// The difference of the layouts; `nil` if there is one layout.
  let diff: DiffDocument?
  let nextSteps: [NextStep]
  let warnings: [Diagnostic]
}

extension ReportInputs {
  /// Returns a warning if `measure` launched other builds than the layouts, or without layouts, than the
  /// diff document. Compares the image IDs of each side if both IDs prove a build.
  fileprivate func otherMeasuredBuilds(_ layouts: [ReportLayout]) -> Diagnostic? {
    guard let measure else { return nil }
    var images = layouts.map(\.image)
    if images.isEmpty, let diff {
      images = [diff.document.before.image, diff.document.after.image]
    }
    let pairs = [("before", images.count > 1 ? images.first : nil), ("after", images.last)]
    for (name, image) in pairs {
      guard let image, image.hasProof,
        let program = measure.document.programs.first(where: { $0.name == name })?.program,
        program.hasProof, program.id != image.id
      else { continue }
      return Diagnostic(
        "the measured launches are of other builds than the given layouts: expected \(image.id ?? "") of "
          + "\(printable(image.path)), found \(program.id ?? "") of \(printable(program.path))",
        context: [measure.path], hint: "measure these two builds with 'orderfile measure'")
    }
    return nil
  }

  /// Warns of measured launches that had other arguments than the first launch. Their pages may differ because of the arguments
  /// alone.
  fileprivate var differentLaunches: [Diagnostic] {
    let launches =
      pages.map { (path: $0.path, words: $0.document.command) }
      + faults.map { (path: $0.path, words: $0.document.command) }
    guard let first = launches.first else { return [] }
    func arguments(_ words: [String]) -> String {
      let arguments = words.dropFirst()
      return arguments.isEmpty ? "none" : printable(arguments.map(shellWord).joined(separator: " "))
    }
    return launches.filter { $0.words.dropFirst() != first.words.dropFirst() }.map {
      Diagnostic(
        "the launch had other arguments than the launch of '\(printable(first.path))': expected "
          + "\(arguments(first.words)), found \(arguments($0.words))", context: [$0.path])
    }
  }

  /// Returns the prediction for the first layout, or for the first two layouts; `nil` if there is no layout.
  fileprivate func prediction() throws(Diagnostic) -> ReportPrediction? {
    guard let before = layouts.first else {
      if let stray = pages.first {
        throw Diagnostic(
          "missing the image whose pages were counted", context: [stray.path],
          hint: "give the image, or the image before and the image after")
      }
      if let order {
        throw Diagnostic(
          "missing the layouts to which the order file belongs", context: [order],
          hint: "give the image before and the image that was linked with this order file")
      }
      return nil
    }
    guard diff == nil else {
      throw Diagnostic(
        "two comparisons: expected images or a diff document, found both",
        hint: "leave out the diff document: the report compares the images itself")
    }
    guard !traces.isEmpty || order != nil else {
      throw Diagnostic(
        "missing the startup functions of a layout", context: [before],
        hint: "give a trace of 'orderfile record', or the order file")
    }
    var launches = LayoutEstimates.Options()
    launches.openedLaunches = launchFiles
    launches.order = order
    let predicted =
      try layouts.count < 2
      ? prediction(for: before, launches)
      : difference(before: before, after: layouts[1], launches)
    if let order, let linked = predicted.estimates.order, linked.check.entries >= 4,
      2 * linked.check.present < linked.check.entries, !linked.functions.supportTraits
    {
      throw Diagnostic(
        "only \(linked.check.present) of \(linked.check.entries) entries are in "
          + "\(printable(layouts.prefix(2).last ?? before)): "
          + "the order file is of another program, or long out of date",
        context: [order], hint: "'orderfile verify' says what became of each entry",
        severity: .mismatch)
    }
    return predicted
  }

  private func prediction(
    for path: String, _ launches: LayoutEstimates.Options
  ) throws(Diagnostic) -> ReportPrediction {
    var counted: String?
    for document in pages {
      try Self.checkUnset(counted, document.path, path)
      counted = document.path
    }
    var launches = launches
    launches.launch = pages.first?.document.command
    let layouts = try PredictedLayouts(path)
    let measured = try MeasuredImagePages(counted, of: layouts.last, option: "--pages-after")
    let estimates = try LayoutEstimates(launches, of: layouts)
    return ReportPrediction(
      estimates: estimates, diff: nil,
      nextSteps: estimates.nextSteps(measured: nil),
      warnings: estimates.warnings(besides: measured?.warnings ?? []))
  }

  private func difference(
    before: String, after: String, _ launches: LayoutEstimates.Options
  ) throws(Diagnostic) -> ReportPrediction {
    var options = LayoutDiff.Options(before: before, after: after)
    options.launches = launches
    let layouts = try PredictedLayouts(before: before, after: after)
    let (first, last) = (layouts.first.image?.id?.description, layouts.last.image?.id?.description)
    if let first, first == last, !first.hasPrefix("weak:") { throw .sameLayout(before, after) }
    for counted in pages {
      let ids = counted.document.images.map(\.id)
      if ids.contains(first), first != last || options.measuredBefore == nil {
        try Self.checkUnset(options.measuredBefore, counted.path, before)
        options.measuredBefore = counted.path
      } else {
        try Self.checkUnset(options.measuredAfter, counted.path, after)
        // The document is about neither layout. It is passed on, so that the comparison reports the error.
        options.measuredAfter = counted.path
      }
    }
    let diff = try LayoutDiff(options, of: layouts)
    return ReportPrediction(
      estimates: diff.estimates, diff: diff.document, nextSteps: diff.document.nextSteps,
      warnings: diff.document.warnings)
  }

  /// Returns the fault curves of the third and later layouts, for the same launches. Steps are counted as for the first
  /// and second layout: a function that two layouts have as different functions takes a step for each.
  fileprivate func otherLayouts() throws(Diagnostic) -> [ReportDocument.OtherLayout] {
    try layouts.dropFirst(2).map { path throws(Diagnostic) in
      var launches = LayoutEstimates.Options()
      launches.openedLaunches = launchFiles
      if traces.isEmpty { launches.order = order }
      let other = try LayoutEstimates(
        launches, of: try PredictedLayouts(before: layouts[0], after: path))
      return ReportDocument.OtherLayout(
        path: path,
        curve: ReportLayout(
          side: .after, other.layouts.last, other.last, owners: [], measured: nil
        ).curve)
    }
  }

  private var launchFiles: LaunchFiles? {
    if traces.isEmpty { return nil }
    return LaunchFiles(opened: traces.map { LaunchFiles.File(path: $0.path, bytes: $0.bytes) })
  }

  private static func checkUnset(
    _ known: String?, _ path: String, _ image: String
  ) throws(Diagnostic) {
    guard let known else { return }
    throw Diagnostic(
      "two counts of the pages of \(image): expected one document of 'orderfile pages', found also \(known)",
      context: [path])
  }

  fileprivate var title: String {
    let path =
      layouts.prefix(2).last ?? diff?.document.after.path
      ?? measure?.document.programs.last?.program.path ?? check?.document.images.first?.name
      ?? check?.document.results.first?.image ?? "launch"
    return fileName(ofPath: path)
  }

  fileprivate func layouts(_ estimates: LayoutEstimates) -> [ReportLayout] {
    func layout(
      _ side: ReportLayout.Side, _ release: ReleaseLayout, _ estimate: LayoutEstimate,
      _ owners: [FunctionOwner]
    ) -> ReportLayout {
      let id = release.image?.id?.description
      let counted = pages.lazy.compactMap { entry in
        entry.document.images.first { $0.id != nil && $0.id == id }.map {
          ReportLayout.Measured(method: entry.document.method, pages: $0.pages)
        }
      }.first
      var layout = ReportLayout(side: side, release, estimate, owners: owners, measured: counted)
      layout.launchesOfSteps = estimates.launchesOfSteps
      return layout
    }
    let (before, after) = (estimates.layouts.first, estimates.layouts.last)
    guard layouts.count >= 2 else {
      let owners = after.owners(before: nil, isOrdered: order != nil)
      return [layout(.only, after, estimates.last, owners)]
    }
    return [
      layout(.before, before, estimates.first, before.owners(before: nil, isOrdered: false)),
      layout(.after, after, estimates.last, after.owners(before: before, isOrdered: true)),
    ]
  }
}

extension ReportLayout {
  fileprivate init(
    side: Side, _ release: ReleaseLayout, _ estimate: LayoutEstimate, owners: [FunctionOwner],
    measured: Measured?
  ) {
    self.init(
      side: side, release.reference, layout: release.layout, mappings: release.mappings,
      estimate: estimate.faults, owners: owners, measured: measured)
  }
}

extension ReportLaunch {
  /// Returns the first hits with times of `trace`; `nil` if no hit has a time.
  fileprivate static func reading(
    _ trace: ReportInputs.Launch
  ) throws(Diagnostic) -> (launch: ReportLaunch?, warnings: [Diagnostic]) {
    guard case .trace = FileKind(of: trace.bytes) else { return (nil, []) }
    let shown = try ShownTrace(trace.bytes, trace.path)
    let document = shown.document
    let hits = zip(document.trace.hits, document.hitNames).compactMap { hit, names -> Hit? in
      guard let nanoseconds = hit.nanoseconds, let name = names.last else { return nil }
      return Hit(nanoseconds: nanoseconds, thread: hit.thread ?? 1, name: name)
    }
    guard !hits.isEmpty else { return (nil, shown.warnings) }
    let marks = document.trace.marks.compactMap { mark in
      mark.nanoseconds.map { (name: mark.name, nanoseconds: $0) }
    }
    let inTime = hits.enumerated().sorted {
      ($0.element.nanoseconds, $0.offset) < ($1.element.nanoseconds, $1.offset)
    }
    return (
      ReportLaunch(path: trace.path, hits: inTime.map(\.element), marks: marks), shown.warnings
    )
  }
}

extension ReportDocument {
  /// The views for which this document has no data.
  fileprivate var viewsWithoutData: [AbsentView] {
    var views: [AbsentView] = []
    func add(_ view: String, _ command: String, if isAbsent: Bool) {
      if isAbsent { views.append(AbsentView(view: view, command: command)) }
    }
    add(
      "page map, nearly empty pages, fault curve, where the bytes are",
      "orderfile report -o report.html BEFORE AFTER TRACE", if: layouts.isEmpty)
    let unmeasured = layouts.first { $0.measured == nil }
    add(
      "measured pages",
      "orderfile pages --json -o pages.json -- \(unmeasured?.side == .before ? "BEFORE" : "AFTER")",
      if: unmeasured != nil)
    add(
      "page faults over time", "orderfile faults --cold --json -o faults.json -- AFTER",
      if: faults.isEmpty)
    add(
      "timeline", "orderfile record --breakpoints -o launch.oftrace -- BEFORE", if: launch == nil)
    add(
      "stages of the launch", "orderfile stages --json --runs 10 -o stages.json -- AFTER",
      if: stages.isEmpty)
    add(
      "order file", "orderfile gen launch.oftrace -o launch.order",
      if: diff?.compliance.order == nil)
    add(
      "launches",
      "orderfile measure --json -o measure.json --control --before BEFORE --after AFTER",
      if: measure == nil)
    add("history", "orderfile history add history.jsonl pages.json", if: history.isEmpty)
    add("budget", "orderfile check --init -o budget.json pages.json", if: budget == nil)
    add(
      "limits", "orderfile check --json -o check.json --budget budget.json pages.json",
      if: check == nil)
    return views
  }
}
