import CommandSupport
import FaultEstimate
import ImageModel
import OrderFileFormat
import Rendering
import Symbolication

/// A comparison of two layouts for the same launches: what the newer one is predicted to save, and whether
/// the linker followed the order file.
package struct LayoutDiff {
  /// What to compare, and how.
  package struct Options {
    /// The paths of linked images or link maps.
    package var before: String
    package var after: String
    /// As the parameters of `LaunchFiles`.
    package var traces: [String] = []
    package var weighted: [String] = []
    /// Whether files that can't be read are left out with a warning.
    package var keepsGoing = false
    /// The path of the order file that `after` was linked with.
    package var order: String?
    /// The paths of recorded images.
    package var recorded: [String] = []
    /// The slice of a universal file.
    package var architecture: Architecture?
    package var pageSize = PageSizeChoice.automatic
    package var faultAround = KernelSize.bytes(64 << 10)
    package var readAhead = KernelSize.bytes(128 << 10)
    /// The cost of one page-in, at most 1000; `nil` takes the cost published for the images' platform.
    package var costMilliseconds: Double?
    /// The paths of exports of an Instruments recording of each layout.
    package var pageInsBefore: [String] = []
    package var pageInsAfter: [String] = []
    /// The paths of the documents that `orderfile pages --json` wrote for each layout.
    package var measuredBefore: String?
    package var measuredAfter: String?
    /// The smallest recordable share of the recorded image's code with which a prediction is made. More than
    /// `RecordableCode.leastShare` has no effect.
    package var minInstrumented: Share?
    /// Whether the document has maps of the touched pages.
    package var mapsPages = false

    package init(before: String, after: String) {
      self.before = before
      self.after = after
    }
  }

  /// The comparison, with all warnings.
  package let document: DiffDocument
  /// What the document sums up.
  package let comparison: LayoutComparison
  package let before: ReleaseLayout
  package let after: ReleaseLayout
  /// The number of order file entries that identify a program, and how many of them `after` has; `nil` without an order file.
  package let orderFunctions: FoundFunctions?
  /// The number of launches that use the function of each step of the estimates; empty unless there are several launches.
  package let launchesOfSteps: [Int]

  package var imageFormat: ImageFormat { after.layout.imageFormat }

  /// Reads the files that `options` name, and compares the layouts.
  ///
  /// - Throws: an error if a file can't be read or if nothing states the startup functions; `mismatch` if the
  ///   files do not belong together.
  package init(_ options: Options) throws(Diagnostic) {
    try self.init(options, of: try ComparedLayouts(options))
  }

  /// Compares layouts that were read for several comparisons.
  package init(_ options: Options, of layouts: ComparedLayouts) throws(Diagnostic) {
    let format = layouts.imageFormat
    let order = try options.order.map { path throws(Diagnostic) in
      try InputFile.namedOrderFile(
        try InputFile.bytes(path), path, of: format, linker: layouts.after.image?.linker
      ).orders(of: [layouts.after.orderedBuild(layouts.architecture)]).order
    }
    let pageSize = options.pageSize.pageSize(for: layouts.architecture, format: format)
    let measurements = try DiffMeasurements(options, of: layouts, pageSize: pageSize)
    var startup = try StartupUses(options, order: order, in: layouts)
    try startup.check(layouts)
    startup.chooseAlternatives(layouts, pageSize)
    let (facts, factWarnings) = layouts.launchFacts(of: startup)
    let comparison = LayoutComparison(
      before: layouts.before.layout, after: layouts.after.layout, startup: startup.uses,
      pageSize: pageSize, facts: facts,
      kernel: LinuxKernel(
        faultAround: options.faultAround, readAhead: options.readAhead, path: options.after,
        architecture: layouts.architecture), unplaced: startup.unplaced)
    let check = order.map {
      OrderFileCheck($0, layout: layouts.namedAfter, architecture: layouts.architecture)
    }
    if let check, check.present == 0, check.dataEntries + check.untoldEntries == 0,
      order?.strings.isEmpty ?? true
    {
      throw .foreignOrderFile(options.order ?? "", entries: check.entries, options.after)
    }

    let cost = options.costMilliseconds.flatMap {
      FaultCost(milliseconds: $0, source: "--cost-ms")
    }
    var document = DiffDocument(
      before: layouts.before.reference, after: layouts.after.reference,
      startupSource: startup.source, comparison: comparison, cost: cost ?? .published(for: format),
      order: check.map { OrderCompliance($0, Self.dataCheck(order, $0, layouts)) },
      warnings: layouts.warnings + factWarnings + measurements.warnings + startup.warnings)
    document.missing = startup.missing(comparison)
    document.compliance.drifted = startup.drifted
    document.compliance.functions = startup.placedFunctions(
      in: layouts.after.layout, ordered: check?.orderedAddresses)
    if let before = layouts.before.imageSizes, let after = layouts.after.imageSizes {
      document.imageSizes = BeforeAfter(before: before, after: after)
    }
    document.prediction.traces = startup.pagesOfTraces(layouts, pageSize, facts)
    document.recordable = startup.recordable
    document.recordableUnknown = startup.recordableUnknown
    document.newCode = startup.newFunctions?.document(layouts)
    document.recordedImage = startup.recordedImage
    document.refusal = Self.refusal(startup.recordable, options.minInstrumented)
    document.measurement.pageIns = measurements.pageIns
    let (data, dataUnknown) = startup.dataPrediction(in: layouts, pageSize)
    document.prediction.dataPages = data?.document
    document.dataPagesUnknown = dataUnknown
    document.measurement.pages = measurements.pages(comparison, layouts, startup, data)
    if options.mapsPages {
      document.addMaps(comparison, layouts, measurements, ordered: check?.block?.range)
    }
    let noncompliance = check.flatMap {
      Diagnostic.noncompliance($0, path: layouts.after.path, isMachO: format == .machO)
    }
    let stale = check.flatMap {
      Diagnostic.staleOrder($0, options.order ?? "", layouts.after.path)
    }
    document.addWarnings(
      [stale, noncompliance].compactMap { $0 } + Self.warnings(order, check, options, layouts))
    document.addWarnings(document.suggestions(areBreakpoints: startup.recordsEveryFunction))
    self.document = document
    self.comparison = comparison
    orderFunctions = check.map { FoundFunctions($0, of: order) }
    before = layouts.before
    after = layouts.after
    launchesOfSteps = startup.launchesOfSteps
  }

  /// Returns warnings about what keeps the linker, or the check, from following `order`.
  private static func warnings(
    _ order: OrderFile?, _ check: OrderFileCheck?, _ options: Options, _ layouts: ComparedLayouts
  ) -> [Diagnostic] {
    guard let order, let path = options.order, let check else { return [] }
    let untold = Diagnostic.untoldSections(
      check.untoldEntries, path: path,
      hint: "give link maps as BEFORE and AFTER, or write the order file again with "
        + "'orderfile gen --link-map'")
    return Diagnostic.sectionsApart(
      order, path, in: layouts.namedAfter, layouts.after.path, architecture: layouts.architecture)
      + [untold].compactMap { $0 }
  }

  /// Whether the data of the layout after follow `order`; `nil` if that is a link map.
  private static func dataCheck(
    _ order: OrderFile?, _ check: OrderFileCheck, _ layouts: ComparedLayouts
  ) -> DataOrderCheck? {
    guard let order, check.dataEntries + order.strings.count > 0, let bytes = layouts.after.bytes,
      let data = (try? layouts.after.dataLayout()) ?? nil
    else { return nil }
    return DataOrderCheck(order, check, data: data, of: bytes, architecture: layouts.architecture)
  }

  /// Why too little could be recorded for a prediction; `nil` if it was enough.
  private static func refusal(_ code: RecordableCode?, _ asked: Share?) -> String? {
    let least = [RecordableCode.leastShare, asked].compactMap { $0 }.min()
    guard let code, let least, code.portion.reaches(least) == false else { return nil }
    return "no prediction: \(code.wording); whether a launch runs the rest is unknown"
  }
}

extension FoundFunctions {
  fileprivate init(_ check: OrderFileCheck, of order: OrderFile?) {
    let common = Set(
      (order?.entries ?? []).map { SymbolName(bytes: $0.symbol) }.filter { !$0.tellsProgram })
    let lacking = check.missing.count { $0.name.tellsProgram }
    let commonFound = common.count - (check.missing.count - lacking)
    let found = max(0, check.present - max(0, commonFound))
    self.init(found: found, all: found + lacking)
  }
}

extension OrderCompliance {
  fileprivate init(_ check: OrderFileCheck, _ data: DataOrderCheck?) {
    self.init(
      entries: check.entries, dataEntries: check.dataEntries, present: check.present,
      inOrder: check.inOrder,
      firstDeviation: check.firstDeviation?.wording,
      unorderable: check.missing.map {
        NameWithReason(name: $0.name, reason: $0.reason.description)
      })
    self.data = data.map {
      DataCompliance(
        entries: $0.data.entries, present: $0.data.present, inOrder: $0.data.inOrder,
        firstDeviation: $0.firstDeviation?.wording, strings: $0.strings.entries,
        presentStrings: $0.strings.present, stringsInOrder: $0.strings.inOrder)
    }
  }
}

extension OrderFileCheck.Deviation {
  /// `'f' at 0x1234, expected after 'main'`
  fileprivate var wording: String {
    "'\(name)' at \(address), expected " + (expectedPredecessor.map { "after '\($0)'" } ?? "first")
  }
}
