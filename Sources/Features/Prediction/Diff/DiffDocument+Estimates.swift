import FaultEstimate
import ImageModel
import Rendering

extension DiffDocument {
  /// The difference of two estimates for the same launches, with the functions that a layout lacks.
  ///
  /// - Parameters:
  ///   - warnings: the warnings that come before those about the estimates.
  ///   - reason: returns why a layout lacks a function.
  package init(
    before beforeImage: ImageReference, after afterImage: ImageReference, startupSource: String,
    estimates: BeforeAfter<LayoutEstimate>,
    cost: FaultCost? = nil, order: OrderCompliance? = nil, warnings: [Diagnostic] = [],
    reasonOfAbsence reason: (MissingFunction) -> String = \.absence.description
  ) {
    before = Layout(beforeImage, estimates.before.faults.total)
    after = Layout(afterImage, estimates.after.faults.total)
    self.startupSource = startupSource
    // Both estimates are of the same launches, so they have the same number of functions.
    presence = Presence(
      all: estimates.after.functions, before: estimates.before.present,
      after: estimates.after.present)
    prediction = DiffPrediction(estimates, cost)
    compliance = Compliance(order: order)
    let missing = estimates.missing
    self.missing = missing.map { NameWithReason(name: $0.name, reason: reason($0)) }
    self.warnings = []
    addWarnings(warnings + estimates.diagnostics(missing: missing))
  }

  /// Adds `diagnostics`, each with its context folded into the message, so that a document reads back
  /// equal, except for the kinds of its warnings.
  package mutating func addWarnings(_ diagnostics: [Diagnostic]) {
    warnings += diagnostics.map(\.withContextInMessage)
  }
}

extension Diagnostic {
  /// The diagnostic with its context as a part of the message, and without severity.
  var withContextInMessage: Diagnostic {
    Diagnostic((context + [message]).joined(separator: ": "), hint: hint, kind: kind)
  }
}

extension DiffPrediction {
  fileprivate init(_ estimates: BeforeAfter<LayoutEstimate>, _ cost: FaultCost?) {
    func both<Value>(_ value: (LayoutEstimate) -> Value) -> BeforeAfter<Value> {
      BeforeAfter(before: value(estimates.before), after: value(estimates.after))
    }
    let faults = both(\.faults)
    pageSize = faults.before.pageSize
    pages = both(\.faults.total.pages)
    pagesAtMost = both(\.atMost)
    windows64k = both(\.faults.total.windows64k)
    sections = DiffDocument.Section.matching(faults.before.sections, faults.after.sections)
    faultCurveArea = both(\.faults.curve.area)
    let inParts = both(\.inParts)
    functionsByBlocks = inParts.before + inParts.after > 0 ? inParts : nil
    self.cost = cost
    if let before = faults.before.linuxFaults, let after = faults.after.linuxFaults {
      linuxFaults = LinuxFaultsChange(before, after, estimates.after.kernel)
    }
    if faults.before.isMachO || faults.after.isMachO {
      xnuReads = zip(faults.before.xnuReads, faults.after.xnuReads).map { XNUReadsChange($0, $1) }
    }
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
  /// Returns the rows of two layouts, matched by name and cause. Rows with the most pages come first. Sections with the
  /// same name in one layout share a row.
  fileprivate static func matching(
    _ before: [PageFaultEstimate.SectionRow], _ after: [PageFaultEstimate.SectionRow]
  ) -> [Self] {
    struct Key: Hashable {
      var name: SymbolName
      var cause: TouchCause
    }
    var rows: [Self] = []
    var rowOfKey: [Key: Int] = [:]
    func row(of section: PageFaultEstimate.SectionRow) -> Int {
      let key = Key(name: section.name, cause: section.cause)
      let row = rowOfKey[key] ?? rows.count
      if row == rows.count {
        rowOfKey[key] = row
        let none = BeforeAfter(before: 0, after: 0)
        rows.append(
          Self(
            name: section.name, cause: section.cause, pages: none, windows64k: none,
            startupFunctions: 0, startupBytes: 0, floorPages: 0))
      }
      return row
    }
    for section in before {
      let row = row(of: section)
      rows[row].pages.before += section.touched.pages
      rows[row].windows64k.before += section.touched.windows64k
    }
    for section in after {
      let row = row(of: section)
      rows[row].pages.after += section.touched.pages
      rows[row].windows64k.after += section.touched.windows64k
      rows[row].startupFunctions += section.touched.startupFunctions
      rows[row].startupBytes += section.touched.startupBytes
      rows[row].floorPages += section.touched.floorPages
    }
    return rows.sorted(by: hasMorePages)
  }

  /// Whether the row `a` comes before the row `b` in a document: rows with more pages come first.
  private static func hasMorePages(_ a: Self, _ b: Self) -> Bool {
    if a.pages.before != b.pages.before { return a.pages.before > b.pages.before }
    if a.pages.after != b.pages.after { return a.pages.after > b.pages.after }
    return (a.name, a.cause?.rawValue ?? "") < (b.name, b.cause?.rawValue ?? "")
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
