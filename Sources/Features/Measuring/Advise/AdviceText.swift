import CommandSupport
import ImageModel
import LaunchMeasurement
import PagesFormat
import Rendering

/// The text report about changes to a build.
package struct AdviceText {
  private let document: AdviceDocument
  private let width: Int?

  /// - Parameter width: the terminal's width in columns; `nil` shortens nothing.
  package init(_ document: AdviceDocument, width: Int? = nil) {
    self.document = document
    self.width = width
  }

  private typealias Change = AdviceDocument.Change

  package var text: String {
    let command = document.command.map(shellWord).joined(separator: " ")
    let present = document.present
    let text =
      "pages of \(printable(document.image.path)) that a launch touches: \(present.text[0]) of code and "
      + "\(present.data.total[0]) of data, of 4 KiB\n"
      + "launch: \(printable(command))\n\n"
    return text + (document.variation == nil ? predictions : measured)
  }

  // MARK: Predictions

  private var predictions: String {
    var text = "predicted from the tables of the image; nothing was linked\n"
    var table = Table([.init("PAGES"), .init("OPTIONS", .left), .init("EFFECT", .left)])
    let saving = document.changes.filter { document.saved(by: $0) ?? 0 > 0 }
    guard !saving.isEmpty else { return text + "no option saves a page\n" }
    for change in saving {
      table.add([
        "-\(document.saved(by: change) ?? 0)", options(change), change.effect + needs(change),
      ])
    }
    text += table.text(width: width)
    for change in saving {
      if let loss = change.givesUp { text += "\(options(change)) gives up \(loss)\n" }
    }
    return text
  }

  // MARK: Measured

  private var measured: String {
    let kept = document.changes.filter { $0.givesUp == nil }
    let others = document.changes.filter { $0.givesUp != nil }
    var rows = [row("without changes", document.present, isPresent: true)]
    if let again = document.again {
      var build = document.present
      build.costs = again
      rows.append(row("without changes, again", build, isPresent: true))
    }
    rows += kept.compactMap(row)
    if let together = document.together { rows.append(row("together", together.build)) }
    var text = "measured\n" + table(rows)
    if !columns.isEmpty { text += legend }
    let drawbacks = others.compactMap(row)
    if !drawbacks.isEmpty {
      text += "\nchanges with a drawback, which are never in 'together':\n" + table(drawbacks)
    }
    let saving = document.changes.filter { $0.isMeasured && document.saved(by: $0) ?? 0 > 0 }
    if !saving.isEmpty { text += "\n" + saving.map(explanation).joined() }
    if let together = document.together { text += self.together(together) }
    text += prefetching
    let same = document.changes.filter { $0.outcome == .unchanged }.map(\.name)
    if !same.isEmpty { text += "\nno effect: \(same.joined(separator: ", "))\n" }
    for change in document.changes {
      guard case .failed(let reason) = change.outcome else { continue }
      let lines = reason.split(separator: "\n").map { printable(String($0)) }
      text += "\ncan't be built: \(change.name): \(lines.joined(separator: "\n"))\n"
    }
    return text
  }

  /// A column of the table that only some measurements have.
  private struct Column {
    var title: String
    var cell: (AdviceDocument.Costs) -> String?
  }

  private var columns: [Column] {
    let columns = [
      Column(title: "REQUESTS") { $0.cold?.requests.map(Self.count) },
      Column(title: "MAJOR FAULTS") { $0.cold.map { Self.count($0.majorFaults) } },
      Column(title: "COLD") { $0.cold.map(Self.time) },
      Column(title: "WARM") { $0.warm.map(Self.time) },
      Column(title: "RSS") { $0.memory.map { "\(ByteCount($0.rss))" } },
    ]
    guard let costs = document.present.costs else { return [] }
    return columns.filter { $0.cell(costs) != nil }
  }

  private static func count(_ value: Double) -> String {
    Decimal.text(value, places: value == value.rounded() ? 0 : 1)
  }

  private static func time(_ launches: AdviceDocument.Launches) -> String {
    guard let comparison = launches.comparison else {
      return Decimal.milliseconds(nanoseconds: launches.wallNanoseconds) + " ms"
    }
    let change = comparison.change
    let share = Decimal.percent(change.share, isSigned: true)
    guard let interval = change.interval else { return share }
    return share + " (\(Decimal.percent(interval.lowerBound, isSigned: true).dropLast()) to "
      + "\(Decimal.percent(interval.upperBound, isSigned: true)))"
  }

  private func table(_ rows: [[String]]) -> String {
    var table = Table(
      [.init("CODE"), .init("DATA"), .init("CHANGE")] + columns.map { .init($0.title) }
        + [.init("FILE"), .init("BUILT WITH", .left)])
    for row in rows { table.add(row) }
    return table.text(width: width)
  }

  /// The row of a change; `nil` if the change has no effect, or can't be built.
  private func row(_ change: Change) -> [String]? {
    guard case .measured(let build) = change.outcome else { return nil }
    return row(change.name, build)
  }

  private func row(
    _ name: String, _ build: AdviceDocument.Build, isPresent: Bool = false
  ) -> [String] {
    let change = Percentage.change(
      from: UInt64(clamping: document.present.pages), to: UInt64(clamping: build.pages))
    return ["\(build.text[0])", "\(build.data.total[0])", isPresent ? "" : change]
      + columns.map { column in build.costs.flatMap(column.cell) ?? "-" }
      + ["\(ByteCount(build.fileBytes))", name]
  }

  private var legend: String {
    var parts: [String] = []
    if let device = document.measurement.device {
      parts.append("cold launches from \(device.wording)")
    }
    let launches = document.present.costs?.cold ?? document.present.costs?.warm
    if let launches {
      parts.append(
        "times of \(counted(launches.count, "launch", "launches")): the median, and the change with its 95% interval"
      )
    }
    if let memory = document.present.costs?.memory {
      parts.append(
        "RSS of the process: the median of \(counted(memory.launches, "launch", "launches"))")
    }
    return parts.map { "\($0)\n" }.joined()
  }

  private func explanation(of change: Change) -> String {
    "\(change.name), \(options(change)): \(change.effect)\(needs(change))"
      + (change.givesUp.map { "; gives up \($0)" } ?? "") + "\n"
  }

  private func needs(_ change: Change) -> String { change.needs.map { "; needs \($0)" } ?? "" }

  private func options(_ change: Change) -> String {
    printable((change.compiling + change.linking).joined(separator: " "))
  }

  /// Why `together` has no prefetching; empty if it has, or if the image can't be built with it.
  private var prefetching: String {
    let name = BuildChange.prefetch.name
    guard document.together?.names.contains(name) != true,
      document.changes.contains(where: { $0.name == name && $0.isMeasured })
    else { return "" }
    return document.measurement.device == nil
      ? "\n\(name) is not in 'together': it saves requests and no pages; --device slow shows how many\n"
      : "\n\(name) is not in 'together': cold launches do not cost less with it\n"
  }

  // MARK: Together

  /// What the user has to do for the files that the options name.
  private func filesHint(_ together: AdviceDocument.Together) -> String {
    var text = ""
    if document.usesToolset {
      text +=
        document.keepsFiles
        ? "  or build with --toolset \(AdviceDocument.toolsetName), which is among the files of --files\n"
        : "  (to get a toolset with these options: --files FOLDER)\n"
    }
    guard together.names.contains(where: BuildChange.namesWithFiles.contains) else { return text }
    let name = printable(fileName(ofPath: document.image.path))
    if !document.keepsFiles { text += "  (to get the files \(name).*: --files FOLDER)\n" }
    if together.names.contains(BuildChange.prefetch.name) {
      text += "  compile \(name)-prefetch.c with -O2 -fPIC\n"
    }
    return text
  }

  private func together(_ together: AdviceDocument.Together) -> String {
    let build = together.build
    let (before, after) = (document.present.data, build.data)
    let change = Percentage.change(
      from: UInt64(clamping: document.present.pages), to: UInt64(clamping: build.pages))
    var text = "\ntogether: \(together.names.joined(separator: ", "))\n"
    if !together.compiling.isEmpty {
      text += "  compile with \(printable(together.compiling.joined(separator: " ")))\n"
    }
    text += "  link with \(printable(together.linking.joined(separator: " ")))\n"
    text += filesHint(together)
    text +=
      "  \(document.present.pages) -> \(build.pages) pages (\(change)): "
      + "\(document.present.text[0]) -> \(build.text[0]) of code executed, "
      + "\(before.total[0]) -> \(after.total[0]) of data read or written\n\n"
    var table = Table([
      .init("BEFORE"), .init("AFTER"), .init("SECTION", .left), .init("TOUCHED FIRST BY", .left),
    ])
    var seen: Set<[String]> = []
    for row in before.rows + after.rows {
      let key = [row.section ?? "-", row.accessor.rawValue]
      guard seen.insert(key).inserted else { continue }
      func count(_ data: DataPages) -> Int {
        data.rows.reduce(0) { sum, other in
          [other.section ?? "-", other.accessor.rawValue] == key ? sum + other.pages[0] : sum
        }
      }
      guard count(before) > 0 || count(after) > 0 else { continue }
      table.add(["\(count(before))", "\(count(after))", key[0], row.accessor.wording])
    }
    table.add(["\(before.total[0])", "\(after.total[0])", "TOTAL", ""])
    return text + table.text(width: width)
  }
}

extension AdviceDocument.Change {
  fileprivate var isMeasured: Bool { if case .measured = outcome { true } else { false } }
}
