import FaultEstimate
import ImageModel
import JSON

/// The pages of code that launches of the two layouts of a diff really executed, beside the predicted ones:
/// the user's own measurement.
package struct MeasuredPages: Sendable {
  /// One measured launch, and what the prediction for its layout makes of it.
  package struct Side: Sendable {
    /// Of the document.
    package var path: String
    /// How access was withheld: `preload`, `ptrace`.
    package var method: String
    package var command: [String]
    package var account: PageAccount

    package init(path: String, method: String, command: [String], account: PageAccount) {
      self.path = path
      self.method = method
      self.command = command
      self.account = account
    }
  }

  /// `nil` for a layout that was not measured.
  package var before: Side?
  package var after: Side?

  package init(before: Side?, after: Side?) {
    self.before = before
    self.after = after
  }

  private var sides: [(layout: String, side: Side)] {
    [before.map { ("before", $0) }, after.map { ("after", $0) }].compactMap { $0 }
  }
}

extension PageAccount.Count {
  /// Negative where fewer were predicted.
  var error: Int { predicted - executed }
}

extension PageAccount.Cause {
  /// For people.
  var wording: String {
    switch self {
    case .functionPart: "part of a function not entered"
    case .otherPath: "another path taken"
    case .noEntry: "no entry recorded"
    case .coldPart: "cold part split off"
    case .noSymbol: "code without a symbol"
    case .touch(let cause): cause.wording
    }
  }
}

extension TouchCause {
  /// For people.
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

// MARK: Text

extension MeasuredPages {
  /// - Parameter listsPages: whether each page that differs has a row.
  func text(width: Int?, listsPages: Bool, names: NameWording) -> String {
    var text = "\nmeasured pages of code, beside those that are predicted to be executed:\n"
    for (layout, side) in sides {
      let command = side.command.map(shellWord).joined(separator: " ")
      text += "  \(layout): \(printable(command)), by \(printable(side.method)), in "
      text += "\(printable(side.path))\n"
    }
    text += counts.text()
    text += "\n" + differenceText
    if listsPages, sides.contains(where: { !$0.side.account.differences.isEmpty }) {
      text += "\n" + list(names).text(width: width)
    }
    for (layout, side) in sides where side.account.pagesRead.measured > 0 {
      let read = side.account.pagesRead
      text += "\(layout): \(counted(read.measured, "page")) of code only read, "
      text += "\(read.predicted) of them predicted\n"
    }
    return text
  }

  private var counts: Table {
    var table = Table([
      .init("PREDICTED"), .init("MEASURED"), .init("ERROR"), .init("ERROR %"),
      .init("PAGES", .left), .init("LAYOUT", .left),
    ])
    for (layout, side) in sides {
      for count in side.account.counts {
        table.add([
          "\(count.predicted)", "\(count.executed)", signed(count.error),
          Percentage.change(from: UInt64(count.executed), to: UInt64(count.predicted)),
          count.pageSize.wording, layout,
        ])
      }
    }
    return table
  }

  private func signed(_ number: Int) -> String { number > 0 ? "+\(number)" : "\(number)" }

  private var differenceText: String {
    let size = (before ?? after)?.account.pageSize ?? .fourKibibytes
    var table = Table([
      .init("ONLY PREDICTED"), .init("ONLY EXECUTED"), .init("CAUSE", .left),
      .init("LAYOUT", .left),
    ])
    for (layout, side) in sides {
      let account = side.account
      for cause in PageAccount.Cause.allCases {
        let (predicted, executed) = (
          account.count(cause, wasExecuted: false), account.count(cause, wasExecuted: true)
        )
        guard predicted + executed > 0 else { continue }
        table.add(["\(predicted)", "\(executed)", cause.wording, layout])
      }
      table.add([
        "\(account.differences.count { !$0.wasExecuted })",
        "\(account.differences.count { $0.wasExecuted })", "all causes", layout,
      ])
    }
    return
      "\(size.wording) pages that are only predicted, or only executed, by cause:\n\(table.text())"
  }

  private func list(_ names: NameWording) -> Table {
    var table = Table([
      .init("PAGE"), .init("ONLY", .left), .init("LAYOUT", .left), .init("CAUSE", .left),
      .init("FUNCTION", .left),
    ])
    for (layout, side) in sides {
      for difference in side.account.differences {
        table.add([
          "\(difference.page)", difference.wasExecuted ? "executed" : "predicted", layout,
          difference.cause.wording, difference.function.map(names) ?? "-",
        ])
      }
    }
    return table
  }
}

// MARK: JSON

extension MeasuredPages {
  /// Adds the members: one for each measured layout.
  func write(to json: inout JSONWriter) {
    if let after { json.object("after") { write(after, to: &$0) } }
    if let before { json.object("before") { write(before, to: &$0) } }
  }

  /// `pages` has both counts for each page size; `causes` sum up to `differences`, which are pages of
  /// `pageSizeBytes` in one set alone: `isExecuted` says in which.
  private func write(_ side: Side, to json: inout JSONWriter) {
    let account = side.account
    json.array("causes") { json in
      for cause in PageAccount.Cause.allCases {
        let (predicted, executed) = (
          account.count(cause, wasExecuted: false), account.count(cause, wasExecuted: true)
        )
        guard predicted + executed > 0 else { continue }
        json.object { json in
          json.member("cause", cause.rawValue)
          json.member("onlyExecuted", executed)
          json.member("onlyPredicted", predicted)
        }
      }
    }
    json.array("command") { json in for word in side.command { json.element(word) } }
    json.array("differences") { json in
      for difference in account.differences {
        json.object { json in
          json.member("address", difference.page)
          json.member("cause", difference.cause.rawValue)
          if let function = difference.function { json.member("function", function) }
          json.member("isExecuted", difference.wasExecuted)
        }
      }
    }
    json.member("method", side.method)
    json.member("pageSizeBytes", account.pageSize.bytes)
    json.array("pages") { json in
      for count in account.counts {
        json.object { json in
          json.member("error", count.error)
          json.member("measured", count.executed)
          json.member("pageSizeBytes", count.pageSize.bytes)
          json.member("predicted", count.predicted)
        }
      }
    }
    json.object("pagesRead") { json in
      json.member("measured", account.pagesRead.measured)
      json.member("predicted", account.pagesRead.predicted)
    }
    json.member("path", side.path)
  }
}
