import FaultEstimate
import ImageModel
import Rendering

extension DiffDocument {
  /// The document of `comparison`, with its missing functions.
  ///
  /// - Parameter warnings: come first; those of the comparison follow.
  package init(
    before beforeImage: ImageReference, after afterImage: ImageReference, startupSource: String,
    comparison: LayoutComparison,
    cost: FaultCost? = nil, order: OrderCompliance? = nil, warnings: [Diagnostic] = []
  ) {
    let total = comparison.total
    before = Layout(beforeImage, total.before)
    after = Layout(afterImage, total.after)
    self.startupSource = startupSource
    presence = comparison.presence
    prediction = DiffPrediction(comparison, cost)
    compliance = Compliance(order: order)
    missing = comparison.missing.map {
      NameWithReason(name: $0.name, reason: $0.absence.description)
    }
    self.warnings = []
    addWarnings(warnings + comparison.diagnostics)
  }

  /// Adds `diagnostics`, each with its context folded into the message: this way a document reads back equal.
  package mutating func addWarnings(_ diagnostics: [Diagnostic]) {
    warnings += diagnostics.map {
      Diagnostic(($0.context + [$0.message]).joined(separator: ": "), hint: $0.hint)
    }
  }
}

extension DiffPrediction {
  fileprivate init(_ comparison: LayoutComparison, _ cost: FaultCost?) {
    let total = comparison.total
    pageSize = comparison.pageSize
    pages = BeforeAfter(total, \.pages)
    pagesAtMost = BeforeAfter(before: comparison.atMost.before, after: comparison.atMost.after)
    windows64k = BeforeAfter(total, \.windows64k)
    sections = comparison.sections.map(DiffDocument.Section.init)
      .sorted(by: DiffDocument.Section.hasMorePages)
    faultCurveArea = BeforeAfter(
      before: comparison.before.curve.area, after: comparison.after.curve.area)
    let inParts = BeforeAfter(before: comparison.inParts.before, after: comparison.inParts.after)
    functionsByBlocks = inParts.before + inParts.after > 0 ? inParts : nil
    self.cost = cost
    linuxFaults = comparison.linuxFaults.map { LinuxFaultsChange($0, $1, comparison.kernel) }
    xnuReads = comparison.isMachO ? comparison.xnuReads.map { XNUReadsChange($0, $1) } : nil
  }
}

extension DiffDocument.Layout {
  fileprivate init(_ image: ImageReference, _ touched: TouchedPages) {
    self.init(
      image, startupFunctions: touched.startupFunctions, startupBytes: touched.startupBytes,
      floorPages: touched.floorPages)
  }
}

extension DiffDocument.Section {
  fileprivate init(_ row: LayoutComparison.Row) {
    self.init(
      name: row.name, cause: row.cause, pages: BeforeAfter(row, \.pages),
      windows64k: BeforeAfter(row, \.windows64k), startupFunctions: row.after.startupFunctions,
      startupBytes: row.after.startupBytes, floorPages: row.after.floorPages)
  }

  /// The row order of documents: most pages first.
  fileprivate static func hasMorePages(_ a: Self, _ b: Self) -> Bool {
    if a.pages.before != b.pages.before { return a.pages.before > b.pages.before }
    if a.pages.after != b.pages.after { return a.pages.after > b.pages.after }
    return (a.name, a.cause?.rawValue ?? "") < (b.name, b.cause?.rawValue ?? "")
  }
}

extension BeforeAfter<Int> {
  fileprivate init(_ row: LayoutComparison.Row, _ count: KeyPath<TouchedPages, Int>) {
    self.init(before: row.before[keyPath: count], after: row.after[keyPath: count])
  }
}

extension LinuxFaultsChange {
  fileprivate init(_ before: LinuxFaults, _ after: LinuxFaults, _ kernel: LinuxKernel) {
    self.init(
      faultAroundBytes: kernel.faultAroundBytes, readAheadBytes: kernel.readAheadBytes,
      warmMinorFaults: BeforeAfter(before: before.warmFaults, after: after.warmFaults),
      cold: zip(before.cold, after.cold).map { before, after in
        func change(_ count: KeyPath<LinuxFaults.Cold, Int>) -> BeforeAfter<Int> {
          BeforeAfter(before: before[keyPath: count], after: after[keyPath: count])
        }
        return Cold(
          readAhead: before.readAhead, majorFaults: change(\.majorFaults),
          minorFaults: change(\.minorFaults), pagesRead: change(\.pagesRead))
      })
  }
}

extension XNUReadsChange {
  fileprivate init(_ before: XNUReads, _ after: XNUReads) {
    self.init(
      kernel: before.kernel.name, reads: BeforeAfter(before: before.reads, after: after.reads),
      bytesRead: BeforeAfter(
        before: Int(clamping: before.bytesRead), after: Int(clamping: after.bytesRead)))
  }
}
