import FaultEstimate
import ImageModel

/// What `orderfile diff` found: the page faults that a launch is predicted to take in two layouts.
package struct DiffReport: Sendable {
  package static let schema = "orderfile.diff/1"

  package var beforePath: String
  package var afterPath: String
  /// Where the names of the startup functions come from: `2 traces`, `app.order`.
  package var startupSource: String
  package var comparison: LayoutComparison
  package var cost: FaultCost
  /// `nil` if no order file was given.
  package var obedience: OrderObedience?
  /// Startup functions that are not counted in one layout or both, earliest use first. A caller adds
  /// what could not even be named.
  package var missing: [NameWithReason]
  /// `nil` if no recording was given.
  package var measuredPageIns: PageInMeasurement?
  /// `nil` if no measured launch was given.
  package var measuredPages: MeasuredPages?
  /// Printed by the caller, behind the result; JSON carries them too.
  package var warnings: [Diagnostic]

  /// A report on `comparison`, its missing functions and its diagnostics.
  package init(
    beforePath: String, afterPath: String, startupSource: String, comparison: LayoutComparison,
    cost: FaultCost = .published, obedience: OrderObedience? = nil
  ) {
    self.beforePath = beforePath
    self.afterPath = afterPath
    self.startupSource = startupSource
    self.comparison = comparison
    self.cost = cost
    self.obedience = obedience
    missing = comparison.missing.map {
      NameWithReason(name: $0.name, reason: $0.absence.description)
    }
    warnings = comparison.diagnostics
  }

  /// The sections, most pages first.
  var sortedSections: [LayoutComparison.Row] {
    comparison.sections.sorted { a, b in
      if a.before.pages != b.before.pages { return a.before.pages > b.before.pages }
      if a.after.pages != b.after.pages { return a.after.pages > b.after.pages }
      return a.name < b.name
    }
  }
}

// MARK: Text

extension DiffReport {
  /// How much of a report is printed.
  package struct Limits: Sendable {
    /// Rows of the table before the rest is folded into one; `nil` folds nothing.
    package var sections: Int?
    /// Names in each list; `nil` prints all.
    package var names: Int?
    /// Each page that was predicted or executed alone.
    package var listsPages: Bool

    package init(sections: Int? = 10, names: Int? = 10, listsPages: Bool = false) {
      self.sections = sections
      self.names = names
      self.listsPages = listsPages
    }
  }

  /// The report for people. Warnings are not in it: they belong on standard error.
  ///
  /// - Parameter width: the terminal's, in columns; `nil` shortens no name.
  package func text(
    width: Int? = nil, limits: Limits = Limits(), names: NameWording = mangled
  ) -> String {
    let size = comparison.pageSize.wording
    let functions = counted(comparison.total.after.startupFunctions, "startup function")
    let besides =
      comparison.sections.contains { $0.cause != .startupFunction }
      ? ", or that a launch \(comparison.isMachO ? "reads" : "touches") besides" : ""
    var text = """
      predicted page faults of a cold launch: computed from the layouts, not measured
        before: \(printable(beforePath))
        after:  \(printable(afterPath))

      predicted \(size) pages that hold startup functions (\(functions), from \
      \(printable(startupSource)))\(besides):

      """
    if let inPartsText { text += inPartsText }
    text += table(foldingBehind: limits.sections).text(width: width)
    text += "\n" + savingText
    if !comparison.xnuReads.isEmpty { text += xnuReadsText }
    if let linuxFaults { text += linuxFaults.text }
    if let measuredPageIns {
      text += measuredPageIns.text(
        pageSize: comparison.pageSize, predicted: comparison.total, limit: limits.sections)
    }
    if let measuredPages {
      text += measuredPages.text(width: width, listsPages: limits.listsPages, names: names)
    }
    if let obedience { text += obedienceText(obedience, limits: limits, names: names) }
    if !missing.isEmpty {
      text += "missing \(counted(missing.count, "startup function")):\n"
      text += list(missing, limit: limits.names, names: names)
    }
    return text
  }

  /// Whether bytes are those of functions or of what ran of them; nothing if no blocks were recorded.
  private var inPartsText: String? {
    let (before, after) = comparison.inParts
    guard before + after > 0 else { return nil }
    return "  of \(before) before and \(after) after only the basic blocks that ran count\n"
  }

  var linuxFaults: LinuxFaultsSection? {
    comparison.linuxFaults.map {
      LinuxFaultsSection(
        before: $0.before, after: $0.after, kernel: comparison.kernel,
        pageSize: comparison.pageSize)
    }
  }

  private func table(foldingBehind limit: Int?) -> Table {
    // Only Linux maps 64 KiB around a fault.
    let hasWindows = !comparison.isMachO
    var columns: [Table.Column] = [
      .init("PAGES", separator: " "), .init("AFTER", separator: " → "), .init("SAVED"),
      .init("CHANGE"), .init("FLOOR"),
    ]
    if hasWindows { columns += [.init("64Ki WINDOWS"), .init("AFTER", separator: " → ")] }
    columns += [.init("FUNCTIONS"), .init("BYTES"), .init("SECTION", .left)]
    var table = Table(columns)
    func add(_ row: LayoutComparison.Row) {
      var cells = [
        "\(row.before.pages)", "\(row.after.pages)", "\(row.savedPages)",
        Percentage.change(from: UInt64(row.before.pages), to: UInt64(row.after.pages)),
        "\(row.after.floorPages)",
      ]
      if hasWindows { cells += ["\(row.before.windows64k)", "\(row.after.windows64k)"] }
      cells += [
        "\(row.after.startupFunctions)", "\(ByteCount(row.after.startupBytes))",
        row.name.description + (row.cause?.remark ?? ""),
      ]
      table.add(cells)
    }
    let rows = Table.folding(sortedSections, keeping: limit) { others in
      LayoutComparison.Row(
        name: SymbolName("\(others.count) other sections"),
        before: others.map(\.before).reduce(TouchedPages(), +),
        after: others.map(\.after).reduce(TouchedPages(), +))
    }
    for row in rows { add(row) }
    var total = comparison.total
    total.name = SymbolName("TOTAL predicted (\(comparison.pageSize.wording) pages)")
    add(total)
    return table
  }

  /// Each kernel's reads, with and without the order.
  private var xnuReadsText: String {
    var table = Table([
      .init("READS", separator: " "), .init("AFTER", separator: " → "), .init("CHANGE"),
      .init("BYTES READ"), .init("AFTER", separator: " → "), .init("CHANGE"),
      .init("KERNEL", .left),
    ])
    for (before, after) in comparison.xnuReads {
      table.add([
        "\(before.reads)", "\(after.reads)",
        Percentage.change(from: UInt64(before.reads), to: UInt64(after.reads)),
        "\(ByteCount(before.bytesRead))", "\(ByteCount(after.bytesRead))",
        Percentage.change(from: before.bytesRead, to: after.bytesRead), before.kernel.name,
      ])
    }
    return """

      predicted reads, as these kernels cluster them around faults (no device has confirmed it):
      \(table.text())
      """
  }

  private var savingText: String {
    let (before, after) = (comparison.before.curve.area, comparison.after.curve.area)
    let saved = comparison.total.savedPages
    let pages = counted(abs(saved), "page-in")
    let (low, typical, high) = (
      cost.low * abs(saved), cost.typical * abs(saved), cost.high * abs(saved)
    )
    let isBand = cost.low != cost.high
    let duration = isBand ? "\(low) to \(high) ms, typically \(typical) ms" : "\(typical) ms"
    let rate =
      isBand ? "\(cost.low) to \(cost.high) ms, typically \(cost.typical) ms" : "\(cost.typical) ms"
    return """
      predicted fault curve area: \(before) → \(after) page-steps \
      (\(Percentage.change(from: before, to: after)))
      predicted \(saved < 0 ? "loss" : "saving"): \(pages), \(duration)
        at \(rate) per page-in (\(printable(cost.source)))

      """
  }

  private func obedienceText(
    _ obedience: OrderObedience, limits: Limits, names: NameWording
  ) -> String {
    let present = Percentage.share(obedience.present, of: obedience.entries)
    let inOrder = Percentage.share(obedience.inOrder, of: obedience.present)
    var text = """
      order file: \(obedience.present) of \(counted(obedience.entries, "entry", "entries")) present \
      (\(present)), \(obedience.inOrder) of these in order (\(inOrder)), as read from the layout after

      """
    if let firstDeviation = obedience.firstDeviation {
      text += "  first deviation: \(printable(firstDeviation))\n"
    }
    if !obedience.unorderable.isEmpty {
      text += "unable to order \(counted(obedience.unorderable.count, "entry", "entries")):\n"
      text += list(obedience.unorderable, limit: limits.names, names: names)
    }
    return text
  }

  private func list(
    _ entries: [NameWithReason], limit: Int?, names: NameWording
  ) -> String {
    let shown = min(limit ?? entries.count, entries.count)
    var lines = entries[..<shown].map { "  \(printable(names($0.name))): \($0.reason)\n" }
    if shown < entries.count { lines.append("  and \(entries.count - shown) more\n") }
    return lines.joined()
  }
}

extension TouchCause {
  /// What a row of the table says about it; nothing for the usual rule.
  fileprivate var remark: String {
    switch self {
    case .startupFunction: ""
    case .wholeSection: " (whole)"
    case .header: " (first page)"
    case .linkageTable: " (entries called)"
    case .cRuntime: " (C runtime)"
    case .initializer: " (initializers)"
    case .mergedBody: " (merged bodies)"
    case .constant: " (constants read)"
    }
  }
}
