import Demangling
import FaultEstimate
import ImageModel
import OrderFileFormat
import Reporting
import Symbolication

/// What `diff` compares: two layouts, and the startup functions as each of them knows them.
package struct LayoutDiff {
  /// What to compare, and how.
  package struct Options {
    /// Paths of linked images or link maps.
    package var before: String
    package var after: String
    package var traces: [String] = []
    /// The order file that `after` was linked with.
    package var order: String?
    /// Images that were recorded.
    package var recorded: [String] = []
    /// Which image of a universal file.
    package var architecture: Architecture?
    package var pageSize = PageSizeChoice.automatic
    package var faultAround = KernelSize.bytes(64 << 10)
    package var readAhead = KernelSize.bytes(128 << 10)
    /// Of one page-in; `nil` takes published figures.
    package var costMilliseconds: Double?
    /// Exports of a recording of Instruments of each.
    package var pageInsBefore: [String] = []
    package var pageInsAfter: [String] = []
    /// What `orderfile pages --json` measured of each.
    package var measuredBefore: String?
    package var measuredAfter: String?

    package init(before: String, after: String) {
      self.before = before
      self.after = after
    }
  }

  private let before: ReleaseLayout
  private let after: ReleaseLayout
  /// What of `after` a linker can be told to move.
  private let namedAfter: Layout
  private let order: OrderFile?
  private let startup: [StartupFunction]
  private let startupSource: String
  private let facts: (before: LaunchFacts, after: LaunchFacts)
  /// Why neither layout has a function that a trace names.
  private let absences: [SymbolName: MissingReason]
  private let architecture: Architecture?
  private let pageSize: PageSize
  private let kernel: LinuxKernel
  private let cost: FaultCost
  private let measuredPageIns: PageInMeasurement?
  private let measured: (before: MeasuredImagePages?, after: MeasuredImagePages?)
  /// All functions could be recorded.
  private let recordsEveryFunction: Bool
  private var warnings: [Diagnostic]

  package var imageFormat: ImageFormat { after.layout.imageFormat }

  package init(_ options: Options) throws(Diagnostic) {
    let slice = SliceChoice(options.architecture)
    before = try ReleaseLayout(path: options.before, slice: slice).addingUnnamedFunctions()
    let named = try ReleaseLayout(path: options.after, slice: slice)
    namedAfter = named.layout
    after = try named.addingUnnamedFunctions()
    let format = after.layout.imageFormat
    order = try options.order.map { path throws(Diagnostic) in
      try InputFile.orderFile(try InputFile.bytes(path), path, of: format)
    }
    warnings = before.warnings + after.warnings
    architecture = after.architecture ?? before.architecture
    pageSize = options.pageSize.pageSize(for: architecture, format: format)
    kernel = LinuxKernel(
      faultAround: options.faultAround, readAhead: options.readAhead, path: options.after,
      architecture: architecture)
    cost =
      options.costMilliseconds.flatMap { FaultCost(milliseconds: $0, source: "--cost-ms") }
      ?? .published
    measuredPageIns = try Self.measurement(
      options, before: before, after: after, pageSize: pageSize)
    warnings += measuredPageIns?.warnings ?? []
    measured = (
      try MeasuredImagePages(options.measuredBefore, of: before, option: "--measured"),
      try MeasuredImagePages(options.measuredAfter, of: after, option: "--measured-after")
    )
    warnings += [measured.before, measured.after].flatMap { $0?.warnings ?? [] }

    var maps = (before: SymbolMap(before.layout), after: SymbolMap(after.layout))
    var absences: [SymbolName: MissingReason] = [:]
    if !options.traces.isEmpty {
      let inputs = try LaunchInputs(
        traces: options.traces, recorded: options.recorded, architecture: slice.architecture)
      let paths = [after.image?.path, before.image?.path].compactMap { $0 }
      let fileName = try inputs.fileName(forImagesNamed: paths)
      var launches: [RecordedFunctions] = []
      try inputs.forEachLaunch(inImageNamed: fileName) { launches.append($0) }
      var blocks = try ExecutedBlocks(launches, before: before, after: after)
      let pairs = UnnamedFunctionPairs(before: before.layout, after: after.layout)
      var used: [StartupFunction] = []
      var uncounted = 0
      for launch in launches {
        var functions: [StartupFunction] = []
        for use in launch.uses {
          let function = StartupFunction(
            use, of: launch.image, before: before, after: after, maps: &maps)
          functions.append(function)
          if let name = function.name, case .missing(let reason) = maps.after.resolve(name) {
            absences[name] = reason
          }
        }
        var unnamed: [(step: Int, function: StartupFunction)] = []
        for use in launch.unnamedUses {
          if let pairs,
            let function = StartupFunction(
              use, of: launch.image, before: before, after: after, pairs)
          {
            unnamed.append((use.step, function))
          } else {
            uncounted += 1
          }
        }
        used += blocks.inOrder(launch, functions, besides: unnamed)
      }
      startup = used
      warnings += blocks.warnings
      if uncounted > 0 { warnings.append(.uncounted(uncounted)) }
      startupSource = counted(options.traces.count, "trace")
      recordsEveryFunction = inputs.traces.recordsEveryFunction
      warnings += inputs.warnings + inputs.warnings(forImageNamed: fileName)
    } else {
      startup = (order?.symbols(for: architecture) ?? []).map { symbol in
        StartupFunction(
          name: symbol.name,
          before: maps.before.resolveAsLinker(symbol.name, in: symbol.objectFile).parts,
          after: maps.after.resolveAsLinker(symbol.name, in: symbol.objectFile).parts)
      }
      startupSource = options.order ?? ""
      recordsEveryFunction = false
    }
    self.absences = absences
    if startup.isEmpty {
      throw Diagnostic("missing entries: no line names a function", context: [startupSource])
    }
    let functions = StartupFunction.whole(startup)
    if functions.allSatisfy({ $0.before.isEmpty && $0.after.isEmpty }) {
      throw Diagnostic(
        "none of \(counted(functions.count, "startup function")) is in either layout",
        context: [startupSource], hint: "is it of another program, or are the images stripped?",
        severity: .mismatch)
    }
    try Self.check(
      before.path, holds: functions.count { !$0.before.isEmpty }, of: functions.count)
    try Self.check(after.path, holds: functions.count { !$0.after.isEmpty }, of: functions.count)
    var facts = (
      before: try before.launchFacts(startup: functions.flatMap(\.before).map(\.function)),
      after: try after.launchFacts(startup: functions.flatMap(\.after).map(\.function))
    )
    if recordsEveryFunction {
      // A merged body is a function: it is in the trace if it ran.
      facts.before.references.removeAll { $0.touch.cause == .mergedBody }
      facts.after.references.removeAll { $0.touch.cause == .mergedBody }
    }
    self.facts = facts
  }

  /// - Throws: `mismatch` if a layout holds fewer than half of the startup functions: pages of two
  ///   programs can't be compared.
  private static func check(
    _ path: String, holds found: Int, of count: Int
  ) throws(Diagnostic) {
    guard 2 * found < count else { return }
    throw Diagnostic(
      "only \(found) of \(counted(count, "startup function")) are in it: it is another program, or "
        + "stripped", context: [path], hint: "give the unstripped image, or its link map",
      severity: .mismatch)
  }

  private static func measurement(
    _ options: Options, before: ReleaseLayout, after: ReleaseLayout, pageSize: PageSize
  ) throws(Diagnostic) -> PageInMeasurement? {
    func recording(
      _ paths: [String], _ release: ReleaseLayout, _ option: String
    ) throws(Diagnostic) -> PageInMeasurement.Recording? {
      guard !paths.isEmpty else { return nil }
      return try PageInMeasurement.Recording(
        exports: paths, of: release, option: option, pageSize: pageSize)
    }
    let before = try recording(options.pageInsBefore, before, "--page-ins-before")
    let after = try recording(options.pageInsAfter, after, "--page-ins-after")
    guard before != nil || after != nil else { return nil }
    return PageInMeasurement(before: before, after: after)
  }

  package func document() -> DiffDocument {
    let comparison = LayoutComparison(
      before: before.layout, after: after.layout, startup: startup, pageSize: pageSize,
      facts: facts, kernel: kernel)
    let check = order.map {
      OrderFileCheck(
        $0, layout: namedAfter, architecture: architecture)
    }
    var document = DiffDocument(
      beforePath: before.path, afterPath: after.path, startupSource: startupSource,
      comparison: comparison, cost: cost, order: check.map(obedience), warnings: warnings)
    document.missing = comparison.missing.map { function in
      let reason = function.absence == .both ? absences[function.name]?.description : nil
      return NameWithReason(
        name: function.name, reason: reason ?? function.absence.description)
    }
    document.measuredPageIns = measuredPageIns
    if measured.before != nil || measured.after != nil {
      document.measuredPages = MeasuredPages(
        before: measured.before?.side(
          comparison.before, before.layout, knowledge, pageSize: pageSize),
        after: measured.after?.side(comparison.after, after.layout, knowledge, pageSize: pageSize))
    }
    let isMachO = after.layout.imageFormat == .machO
    if let disobeyed = check.flatMap({
      Diagnostic.disobeyed($0, path: after.path, isMachO: isMachO)
    }) {
      document.addWarnings([disobeyed])
    }
    return document
  }

  private var knowledge: PageAccount.Knowledge {
    PageAccount.Knowledge(recordsEveryFunction: recordsEveryFunction) { CanonicalName($0).part }
  }

  private func obedience(_ check: OrderFileCheck) -> OrderObedience {
    let deviation = check.firstDeviation.map { deviation in
      let place = deviation.expectedPredecessor.map { "behind '\($0)'" } ?? "first"
      return "'\(deviation.name)' at \(deviation.address), expected \(place)"
    }
    return OrderObedience(
      entries: check.entries, present: check.present, inOrder: check.inOrder,
      firstDeviation: deviation,
      unorderable: check.missing.map {
        NameWithReason(name: $0.name, reason: $0.reason.description)
      })
  }
}

extension Diagnostic {
  fileprivate static func uncounted(_ count: Int) -> Diagnostic {
    Diagnostic(
      "\(counted(count, "hit")) in code without a name \(count == 1 ? "does" : "do") not count",
      hint: "record one of the two images, by 'orderfile record --breakpoints'")
  }
}
