import CommandSupport
import FaultEstimate
import ImageModel
import Rendering

/// The text report of a diff. Warnings are not part of the report: they go to standard error.
package struct DiffText {
  /// The limits of the printed text.
  package struct Limits: Sendable {
    /// The number of table rows before the rest is folded into one; `nil` folds nothing.
    package var sections: Int?
    /// The number of names in each list; `nil` prints all.
    package var names: Int?
    /// Whether to list each page that is only predicted or only executed.
    package var listsPages: Bool

    package init(sections: Int? = 10, names: Int? = 10, listsPages: Bool = false) {
      self.sections = sections
      self.names = names
      self.listsPages = listsPages
    }
  }

  let document: DiffDocument
  let width: Int?
  let limits: Limits
  let names: NameWording

  /// - Parameter width: the terminal's width in columns; `nil` shortens no name.
  package init(
    _ document: DiffDocument, width: Int? = nil, limits: Limits = Limits(),
    names: @escaping NameWording = mangled
  ) {
    self.document = document
    self.width = width
    self.limits = limits
    self.names = names
  }

  package var text: String {
    var text = title
    if document.refusal == nil { text += prediction }
    if let reason = document.dataPagesUnknown {
      text += "\nno prediction for pages of data: \(printable(reason))\n"
    }
    if let pageIns = document.measurement.pageIns { text += measuredPageIns(pageIns) }
    if let pages = document.measurement.pages { text += measuredPages(pages) }
    // Only users who split functions need the costs of splitting.
    if document.prediction.functionsByBlocks != nil, let sizes = document.imageSizes {
      text += imageSizes(sizes)
    }
    if let order = document.compliance.order { text += compliance(order) }
    if let prefetch = document.compliance.prefetch { text += prefetch.text }
    if let drifted = document.compliance.drifted, !drifted.isEmpty {
      text +=
        "other basic blocks than in the recorded build: \(counted(drifted.count, "startup function")):\n"
      text += list(drifted)
    }
    if !document.missing.isEmpty {
      text += "missing \(counted(document.missing.count, "startup function")):\n"
      text += list(document.missing)
    }
    let next = NextStepsText(document.nextSteps).text
    return text + (next.isEmpty ? "" : "\n" + next)
  }

  private var prediction: String {
    var text = header
    if let blocks = document.prediction.functionsByBlocks {
      // The column BYTES counts only the blocks that ran of functions whose blocks were recorded.
      text += "  \(blocks.before) functions before and \(blocks.after) after count only with the "
      text += "basic blocks that ran\n"
    }
    text += sections.text(width: width)
    text += band + "\n" + saving
    if let reads = document.prediction.xnuReads, !reads.isEmpty { text += xnuReads(reads) }
    if let faults = document.prediction.linuxFaults { text += linuxFaults(faults) }
    if let data = document.prediction.dataPages {
      text +=
        DataPagesPredictionText(
          prediction: data, pageSize: document.prediction.pageSize,
          isMachO: document.prediction.isMachO
        ).text
    }
    return text + traces
  }

  /// The pages of each single launch; empty unless there are several launches.
  private var traces: String {
    guard let mean = document.prediction.meanOfTraces,
      let worst = document.prediction.worstTracesFirst.first
    else {
      return ""
    }
    var table = Table([
      .init("PAGES", separator: " "), .init("AFTER", separator: " → "), .init("CHANGE"),
      .init("TRACE", .left),
    ])
    func add(_ pages: BeforeAfter<Int>, _ name: String) {
      table.add(["\(pages.before)", "\(pages.after)", pages.change, name])
    }
    let count = document.prediction.traces.count
    let shown = min(limits.sections ?? count, count)
    for trace in document.prediction.worstTracesFirst[..<shown] {
      add(
        trace.pages,
        trace.path + (trace.launches > 1 ? " (\(trace.launches) launches)" : ""))
    }
    let launches = document.prediction.launchesOfTraces
    table.add([
      Decimal.text(mean.before, places: 1), Decimal.text(mean.after, places: 1),
      Percentage.change(from: mean.before, to: mean.after),
      launches > count ? "MEAN of \(launches) launches" : "MEAN of \(count) traces",
    ])
    add(worst.pages, "WORST: \(worst.path)")
    return "\npredicted pages of each launch alone, ordered by pages after"
      + (hasBand ? ", without the missing functions" : "")
      + (shown < count ? ", \(shown) of \(count)" : "") + ":\n" + table.text(width: width)
  }

  private var title: String {
    let title =
      document.refusal.map(printable)
      ?? "predicted page faults of a cold launch: computed from the layouts, not measured"
    return """
      \(title)
        before: \(printable(document.before.path))
        after:  \(printable(document.after.path))

      """
  }

  private var header: String {
    let functions = counted(document.after.startupFunctions, "startup function")
    let besides =
      document.prediction.sections.contains { $0.cause != .startupFunction }
      ? ", and other pages that a launch \(document.prediction.isMachO ? "reads" : "touches")" : ""
    return """

      predicted \(document.prediction.pageSize.wording) pages that hold startup functions (\(functions), from \
      \(printable(document.startupSource)))\(besides):
      \(unseen)
      """
  }

  /// The sentences about code that the figures leave out.
  private var unseen: String {
    var text = ""
    if let code = document.recordable, let percent = code.percent, percent < 100 {
      text += "  not counted: code that could not be recorded (\(code.wording))\n"
    }
    if let unknown = document.recordableUnknown {
      text += "  unknown: how much of the code could be recorded (\(unknown.wording))\n"
    }
    for (layout, side) in [
      ("before", document.newCode?.before), ("after", document.newCode?.after),
    ] {
      guard let code = side, code.functions > 0 else { continue }
      let lacking =
        document.newCode?.reference == .recordedImage
        ? "which the recorded build lacks"
        : "which the layout before lacks; the recorded image is gone"
      text += "  not counted: \(code.wording(names)) in the layout \(layout), \(lacking)\n"
    }
    return text
  }

  private var sections: Table {
    // Only Linux maps 64 KiB around a fault.
    let hasWindows = !document.prediction.isMachO
    var columns: [Table.Column] = [
      .init("PAGES", separator: " "), .init("AFTER", separator: " → "), .init("SAVED"),
      .init("CHANGE"), .init("FLOOR"),
    ]
    if hasWindows { columns += [.init("64Ki WINDOWS"), .init("AFTER", separator: " → ")] }
    columns += [.init("FUNCTIONS"), .init("BYTES"), .init("SECTION", .left)]
    var table = Table(columns)
    func add(_ row: DiffDocument.Section) {
      var cells = [
        "\(row.pages.before)", "\(row.pages.after)", "\(row.pages.saved)", row.pages.change,
        "\(row.floorPages)",
      ]
      if hasWindows { cells += ["\(row.windows64k.before)", "\(row.windows64k.after)"] }
      cells += [
        "\(row.startupFunctions)", "\(ByteCount(row.startupBytes))",
        row.name.description + (row.cause?.remark ?? ""),
      ]
      table.add(cells)
    }
    let rows = Table.folding(document.prediction.sections, keeping: limits.sections) {
      DiffDocument.Section($0, name: SymbolName("\($0.count) other sections"))
    }
    for row in rows { add(row) }
    var total = document.total
    total.name = SymbolName("TOTAL predicted (\(document.prediction.pageSize.wording) pages)")
    add(total)
    return table
  }

  private var hasBand: Bool { document.prediction.hasBand }

  private var saving: String {
    let area = document.prediction.faultCurveArea
    let saved = document.prediction.pages.saved
    let lowerEnd = hasBand ? ", without the missing functions" : ""
    let text = """
      predicted fault curve area: \(area.before) → \(area.after) page-steps (\(area.change))\(lowerEnd)
      predicted \(saved < 0 ? "loss" : "saving"): \(counted(abs(saved), "page-in"))
      """
    guard let cost = document.prediction.cost else { return text + "\n" + savingBand }
    let (low, typical, high) = (
      cost.low * abs(saved), cost.typical * abs(saved), cost.high * abs(saved)
    )
    let isBand = cost.low != cost.high
    let duration = isBand ? "\(low) to \(high) ms, typically \(typical) ms" : "\(typical) ms"
    let rate =
      isBand ? "\(cost.low) to \(cost.high) ms, typically \(cost.typical) ms" : "\(cost.typical) ms"
    return text + ", \(duration)\n  at \(rate) per page-in (\(printable(cost.source)))\n"
      + savingBand
  }

  /// The largest number of pages, if the missing functions lie on pages of their own; empty if no function is missing.
  private var band: String {
    guard hasBand, let presence = document.presence else { return "" }
    let most = document.prediction.pagesAtMost
    let all = counted(presence.all, "startup function")
    return """
      at most \(most.before) → \(most.after): \(presence.before) of \(all) are in the layout before, \
      \(presence.after) in the layout after; the missing functions may lie on pages of their own

      """
  }

  private var savingBand: String {
    guard hasBand else { return "" }
    let saved = document.prediction.savedPages
    return "  with the missing functions: \(saved.lowerBound) to \(saved.upperBound) saved\n"
  }

  private func compliance(_ order: OrderCompliance) -> String {
    let present = Percentage.share(order.present, of: order.entries)
    let inOrder = Percentage.share(order.inOrder, of: order.present)
    var text = """
      order file: \(order.present) of \(counted(order.entries, "entry", "entries")) present \
      (\(present)), \(order.inOrder) of these in order (\(inOrder)), checked in the layout after

      """
    if let coverage = document.compliance.coverage {
      let share = Percentage.share(coverage.covered, of: coverage.functions)
      let bytes = Percentage.share(
        Int(clamping: coverage.coveredBytes), of: Int(clamping: coverage.bytes))
      let functions = counted(coverage.functions, "startup function")
      text += "  \(coverage.covered) of \(functions) (\(share)) in order, "
      text += "with \(bytes) of the bytes\n"
    }
    if let data = order.data {
      if data.entries > 0 {
        text += "  data: \(data.present) of \(counted(data.entries, "entry", "entries")) present, "
        text += "\(data.inOrder) of these in order\n"
      }
      if data.strings > 0 {
        let strings = counted(data.strings, "entry", "entries")
        text += "  strings: \(data.presentStrings) of \(strings) present, "
        text += "\(data.stringsInOrder) of these in order\n"
      }
      if let firstDeviation = data.firstDeviation {
        text += "  first deviation of data: \(printable(firstDeviation))\n"
      }
    } else if order.dataEntries > 0 {
      let entries = counted(order.dataEntries, "entry names", "entries name")
      text += "  \(entries) data, whose order a link map does not show\n"
    }
    if let firstDeviation = order.firstDeviation {
      text += "  first deviation: \(printable(firstDeviation))\n"
    }
    if !order.unorderable.isEmpty {
      text += "unable to order \(counted(order.unorderable.count, "entry", "entries")):\n"
      text += list(order.unorderable)
    }
    return text
  }

  private func list(_ entries: [NameWithReason]) -> String {
    let shown = min(limits.names ?? entries.count, entries.count)
    var lines = entries[..<shown].map { "  \(printable(names($0.name))): \($0.reason)\n" }
    if shown < entries.count { lines.append("  and \(entries.count - shown) more\n") }
    return lines.joined()
  }
}

extension RecordableUnknown {
  fileprivate var wording: String {
    switch self {
    case .noTrace: "no trace was given"
    case .importedTrace: "the trace was imported"
    case .recordedImageGone: "the recorded image is gone"
    case .notShownByImage: "the recorded image does not show it"
    }
  }
}

extension TouchCause {
  /// A remark after the section's name; empty for startup functions.
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
