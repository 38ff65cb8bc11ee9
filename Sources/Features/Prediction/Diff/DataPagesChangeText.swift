import FaultEstimate
import ImageModel
import PagesFormat
import Rendering

/// The text about the pages that launches of two layouts read or wrote.
package struct DataPagesChangeText {
  private let pages: MeasuredPages

  package init(_ pages: MeasuredPages) { self.pages = pages }

  /// Two tables, with a blank line before each; empty if no launch has measured pages of data.
  package var text: String {
    let rows = pages.sides.flatMap { $0.side.data ?? [] }
    guard !rows.isEmpty else { return "" }
    var text =
      "\npages of 4 KiB that the launch read or wrote, measured; each page is counted at its first touch:\n"
    if let before = pages.before, let after = pages.after,
      before.countsLoading != after.countsLoading
    {
      text +=
        "  only one of the two counts includes what the loader touches before the program starts\n"
    }
    text += table(of: rows, "SECTION") { $0.section ?? "-" }.text()
    text += "\n" + table(of: rows, "TOUCHED BY") { $0.accessor.wording }.text()
    return text + accounts
  }

  /// The comparison of the measured pages with the prediction.
  private var accounts: String {
    var text = ""
    for (layout, side) in pages.sides {
      guard let account = side.predictedData else { continue }
      let error = account.predicted - account.measured
      text +=
        "\(layout): \(account.predicted) pages of data (\(account.pageSize.wording)) predicted, "
      text += "\(account.measured) measured, error \(error > 0 ? "+" : "")\(error); "
      text += "only predicted \(account.onlyPredicted)"
      let others = account.onlyMeasured.map { "\($0.pages) by \($0.toucher.wording)" }
      text += others.isEmpty ? "\n" : ", only measured \(others.joined(separator: ", "))\n"
    }
    return text.isEmpty ? "" : "\n" + text
  }

  /// - Parameter name: returns the name of the group to which a row belongs.
  private func table(
    of rows: [DataPages.Row], _ title: String, _ name: (DataPages.Row) -> String
  ) -> Table {
    var table = Table([
      .init("BEFORE"), .init("AFTER"), .init("CHANGE"), .init(title, .left),
    ])
    func add(_ title: String, _ counts: (DataPages.Row) -> Bool) {
      func count(_ side: MeasuredPages.Side?) -> Int? {
        side?.data?.filter(counts).reduce(0) { $0 + $1.pages[0] }
      }
      let (before, after) = (count(pages.before), count(pages.after))
      var change = "-"
      if let before, let after {
        change = after > before ? "+\(after - before)" : "\(after - before)"
      }
      table.add([before.map(String.init) ?? "-", after.map(String.init) ?? "-", change, title])
    }
    var seen: Set<String> = []
    for row in rows where seen.insert(name(row)).inserted {
      add(name(row)) { name($0) == name(row) }
    }
    add("TOTAL") { _ in true }
    return table
  }
}

extension DataPageAccount.Toucher {
  fileprivate var wording: String {
    switch self {
    case .loader: "the loader"
    case .kernel: "the kernel"
    case .library: "libraries"
    case .program: "the program"
    }
  }
}
