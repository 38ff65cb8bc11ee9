import FaultEstimate
import ImageModel
import JSON
import LaunchMeasurement

/// The page-ins of recorded launches of the two layouts of a diff: the user's own measurement.
package struct PageInMeasurement: Sendable {
  /// One recording, or several exports of one.
  package struct Recording: Sendable {
    /// Of the exports.
    package var paths: [String]
    /// As the recording has it: `App (581)`.
    package var process: String
    package var pageIns: MeasuredPageIns

    package init(paths: [String], process: String, pageIns: MeasuredPageIns) {
      self.paths = paths
      self.process = process
      self.pageIns = pageIns
    }
  }

  /// `nil` for a layout that was not recorded.
  package var before: Recording?
  package var after: Recording?

  package init(before: Recording?, after: Recording?) {
    self.before = before
    self.after = after
  }

  /// One section, in the two recordings; or a sum. `nil` where there is no recording.
  struct Row {
    var name: SymbolName
    var before: MeasuredPageIns.Count?
    var after: MeasuredPageIns.Count?

    var isOfText: Bool {
      name == "__TEXT" || name.bytes.starts(with: Array("__TEXT,".utf8))
    }
  }

  /// Most pages first; they sum up to `total`.
  var rows: [Row] {
    var rows: [Row] = []
    for row in (before?.pageIns.rows ?? []) + (after?.pageIns.rows ?? [])
    where !rows.contains(where: { $0.name == row.name }) {
      rows.append(
        Row(
          name: row.name, before: before.map { $0.pageIns.count(of: row.name) },
          after: after.map { $0.pageIns.count(of: row.name) }))
    }
    return rows.sorted { a, b in
      let (aPages, bPages) = (a.pages, b.pages)
      return aPages == bPages ? a.name < b.name : aPages > bPages
    }
  }

  var total: Row { sum(rows, name: "TOTAL measured") }

  func sum(_ rows: [Row], name: SymbolName) -> Row {
    Row(
      name: name,
      before: before.map { _ in rows.compactMap(\.before).reduce(MeasuredPageIns.Count(), +) },
      after: after.map { _ in rows.compactMap(\.after).reduce(MeasuredPageIns.Count(), +) })
  }
}

extension PageInMeasurement.Row {
  /// The larger side's first, so that a one-sided measurement is sorted too.
  fileprivate var pages: Int { max(before?.pages ?? 0, after?.pages ?? 0) }

  var savedPages: Int? {
    guard let before, let after else { return nil }
    return before.pages - after.pages
  }

  fileprivate var change: String? {
    guard let before, let after else { return nil }
    return Percentage.change(from: UInt64(before.pages), to: UInt64(after.pages))
  }
}

extension MeasuredPageIns {
  fileprivate func count(of name: SymbolName) -> Count {
    rows.first { $0.name == name }?.count ?? Count()
  }
}

extension MeasuredPageIns.Count {
  var milliseconds: Milliseconds? {
    nanoseconds.map { Milliseconds(nanoseconds: Int(clamping: $0)) }
  }
}

// MARK: Text

extension PageInMeasurement {
  /// - Parameter predicted: pages of the layouts before and after, to stand beside.
  func text(pageSize: PageSize, predicted: LayoutComparison.Row, limit: Int?) -> String {
    var table = Table([
      .init("PAGES", separator: " "), .init("AFTER", separator: " → "), .init("SAVED"),
      .init("CHANGE"), .init("MILLISECONDS"), .init("AFTER", separator: " → "),
      .init("SECTION", .left),
    ])
    func cell<Value>(_ value: Value?) -> String { value.map { "\($0)" } ?? "-" }
    func add(_ row: Row) {
      table.add([
        cell(row.before?.pages), cell(row.after?.pages), cell(row.savedPages), cell(row.change),
        cell(row.before?.milliseconds), cell(row.after?.milliseconds), row.name.description,
      ])
    }
    let folded = Table.folding(rows, keeping: limit) {
      sum(Array($0), name: SymbolName("\($0.count) other sections"))
    }
    for row in folded { add(row) }
    add(total)
    let text = sum(rows.filter(\.isOfText), name: "__TEXT")
    let sides = [
      before.map { "  before: \(printable($0.process)) in \(paths($0))\n" },
      after.map { "  after:  \(printable($0.process)) in \(paths($0))\n" },
    ]
    return """

      measured page-ins, \(pageSize.wording) pages that a recording calls File Backed Page In:
      \(sides.compactMap { $0 }.joined())\(table.text())\
      __TEXT: measured \(cell(text.before?.pages)) → \(cell(text.after?.pages)) pages, predicted \
      \(predicted.before.pages) → \(predicted.after.pages)

      """
  }

  private func paths(_ recording: Recording) -> String {
    recording.paths.map(printable).joined(separator: ", ")
  }
}

// MARK: JSON

extension PageInMeasurement {
  /// Adds the members: `before` and `after` say what was recorded, and the `pages` and `milliseconds` that
  /// the sections sum up to. What was not recorded has no key.
  func write(to json: inout JSONWriter) {
    if let after { json.object("after") { write(after, to: &$0) } }
    if let before { json.object("before") { write(before, to: &$0) } }
    json.member("provenance", Provenance.measured)
    json.array("sections") { json in
      for row in rows { json.object { write(row, to: &$0) } }
    }
  }

  private func write(_ recording: Recording, to json: inout JSONWriter) {
    let total = recording.pageIns.total
    if let milliseconds = total.milliseconds { json.member("milliseconds", milliseconds) }
    json.member("pages", total.pages)
    json.array("paths") { json in for path in recording.paths { json.element(path) } }
    json.member("process", recording.process)
  }

  private func write(_ row: Row, to json: inout JSONWriter) {
    json.object("milliseconds") { json in
      if let after = row.after?.milliseconds { json.member("after", after) }
      if let before = row.before?.milliseconds { json.member("before", before) }
    }
    json.member("name", row.name)
    json.object("pages") { json in
      if let after = row.after { json.member("after", after.pages) }
      if let before = row.before { json.member("before", before.pages) }
      if let saved = row.savedPages { json.member("saved", saved) }
    }
  }
}
