import FaultEstimate
import ImageModel
import Rendering

/// The measurements of the two layouts.
extension DiffText {
  func measuredPageIns(_ pageIns: PageInMeasurement) -> String {
    var table = Table([
      .init("PAGES", separator: " "), .init("AFTER", separator: " → "), .init("SAVED"),
      .init("CHANGE"), .init("MILLISECONDS"), .init("AFTER", separator: " → "),
      .init("SECTION", .left),
    ])
    func cell<Value>(_ value: Value?) -> String { value.map { "\($0)" } ?? "-" }
    func add(_ row: PageInMeasurement.Row) {
      table.add([
        cell(row.before?.pages), cell(row.after?.pages), cell(row.pages?.saved),
        cell(row.pages?.change), cell(row.before?.milliseconds), cell(row.after?.milliseconds),
        row.name.description,
      ])
    }
    let folded = Table.folding(pageIns.sections, keeping: limits.sections) {
      pageIns.sum($0, name: SymbolName("\($0.count) other sections"))
    }
    for row in folded { add(row) }
    add(pageIns.total)
    let text = pageIns.sum(pageIns.sections.filter(\.isOfText), name: "__TEXT")
    let predicted = document.prediction.pages
    let sources = [
      pageIns.before.map { "  before: \(printable($0.process)) in \(paths($0))\n" },
      pageIns.after.map { "  after:  \(printable($0.process)) in \(paths($0))\n" },
    ]
    return """

      measured page-ins (File Backed Page In in the recording), \(document.prediction.pageSize.wording) pages:
      \(sources.compactMap { $0 }.joined())\(table.text())\
      __TEXT: measured \(cell(text.before?.pages)) → \(cell(text.after?.pages)) pages, predicted \
      \(predicted.before) → \(predicted.after)

      """
  }

  private func paths(_ source: PageInMeasurement.Source) -> String {
    source.paths.map(printable).joined(separator: ", ")
  }

  func measuredPages(_ pages: MeasuredPages) -> String {
    var text = "\nexecuted pages of code, predicted and measured:\n"
    for (layout, side) in pages.sides {
      let command = side.source.command.map(shellWord).joined(separator: " ")
      text += "  \(layout): \(printable(command)), by \(printable(side.source.method)), in "
      text += "\(printable(side.source.path))\n"
    }
    text += counts(pages).text()
    text += "\n" + differencesByCause(pages)
    if limits.listsPages, pages.sides.contains(where: { !$0.side.differences.isEmpty }) {
      text += "\n" + differences(pages).text(width: width)
    }
    for (layout, side) in pages.sides where side.pagesRead.measured > 0 {
      text +=
        "\(layout): \(counted(side.pagesRead.measured, "page")) of code only read, not executed, "
      text += "\(side.pagesRead.predicted) of them predicted\n"
    }
    return text + DataPagesChangeText(pages).text
  }

  private func counts(_ pages: MeasuredPages) -> Table {
    var table = Table([
      .init("PREDICTED"), .init("MEASURED"), .init("ERROR"), .init("ERROR %"),
      .init("PAGES", .left), .init("LAYOUT", .left),
    ])
    for (layout, side) in pages.sides {
      for count in side.counts {
        table.add([
          "\(count.predicted)", "\(count.measured)", signed(count.error),
          Percentage.change(from: UInt64(count.measured), to: UInt64(count.predicted)),
          count.pageSize.wording, layout,
        ])
      }
    }
    return table
  }

  private func signed(_ number: Int) -> String { number > 0 ? "+\(number)" : "\(number)" }

  private func differencesByCause(_ pages: MeasuredPages) -> String {
    let size = (pages.before ?? pages.after)?.pageSize ?? .fourKibibytes
    var table = Table([
      .init("ONLY PREDICTED"), .init("ONLY EXECUTED"), .init("CAUSE", .left),
      .init("LAYOUT", .left),
    ])
    for (layout, side) in pages.sides {
      let causes = side.causes
      for count in causes {
        table.add([
          "\(count.onlyPredicted)", "\(count.onlyExecuted)", count.cause.wording, layout,
        ])
      }
      table.add([
        "\(causes.reduce(0) { $0 + $1.onlyPredicted })",
        "\(causes.reduce(0) { $0 + $1.onlyExecuted })", "all causes", layout,
      ])
    }
    return
      "\(size.wording) pages that are only predicted, or only executed, by cause:\n\(table.text())"
  }

  private func differences(_ pages: MeasuredPages) -> Table {
    var table = Table([
      .init("PAGE"), .init("ONLY", .left), .init("LAYOUT", .left), .init("CAUSE", .left),
      .init("FUNCTION", .left),
    ])
    for (layout, side) in pages.sides {
      for difference in side.differences {
        table.add([
          "\(difference.address)", difference.isExecuted ? "executed" : "predicted", layout,
          difference.cause.wording, difference.function.map(names) ?? "-",
        ])
      }
    }
    return table
  }
}

extension PageAccount.Cause {
  fileprivate var wording: String {
    switch self {
    case .functionPart: "part of a function not entered"
    case .otherPath: "another path taken"
    case .newCode: "not in the recorded build"
    case .noEntry: "no entry recorded"
    case .coldPart: "cold part split off"
    case .noSymbol: "code without a symbol"
    case .touch(let cause): cause.wording
    }
  }
}

extension TouchCause {
  fileprivate var wording: String {
    switch self {
    case .startupFunction: "startup function"
    case .wholeSection: "section read"
    case .linkageTable: "linkage table"
    case .cRuntime: "C runtime"
    case .initializer: "initializer"
    case .mergedBody: "merged body"
    case .constant: "constant read"
    case .header: "header"
    }
  }
}
