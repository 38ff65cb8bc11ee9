import ImageModel
import PagesFormat
import Rendering

/// The text report about options that remove pages.
package struct AdviceText {
  private let document: AdviceDocument
  private let width: Int?

  /// - Parameter width: the terminal's width in columns; `nil` shortens nothing.
  package init(_ document: AdviceDocument, width: Int? = nil) {
    self.document = document
    self.width = width
  }

  package var text: String {
    let command = document.command.map(shellWord).joined(separator: " ")
    var text = "pages of \(printable(document.image.path)) that a launch reads or writes: "
    text += "\(document.present.data.total[0]) of 4 KiB\n"
    text += "launch: \(printable(command))\n"
    let isMeasured = document.variation != nil
    let kept = document.options.filter { $0.givesUp == nil && isShown($0) }
    let others = document.options.filter { $0.givesUp != nil && isShown($0) }
    text +=
      "\n"
      + (isMeasured ? "measured" : "predicted from the tables of the image; nothing was linked")
      + "\n"
    text += kept.isEmpty ? "no option without a drawback saves a page\n" : table(kept)
    if !others.isEmpty {
      text += "\noptions with a drawback:\n" + table(others)
      for option in others {
        let words = (option.compiling + option.linking).joined(separator: " ")
        text += "  \(words) gives up \(option.givesUp ?? "")\n"
      }
    }
    if let together = document.together { text += self.together(together) }
    let same = document.options.filter { $0.outcome == .unchanged }.map(\.name)
    if !same.isEmpty { text += "\nno effect: \(same.joined(separator: ", "))\n" }
    let more = document.options.filter { isMeasured && $0.outcome != .unchanged && !isShown($0) }
      .filter { document.saved(by: $0) != nil }.map { "\($0.name) (\(wording($0)))" }
    if !more.isEmpty { text += "\nno page saved: \(more.joined(separator: ", "))\n" }
    for option in document.options {
      guard case .failed(let reason) = option.outcome else { continue }
      text += "\ncan't be linked: \(option.name): \(printable(reason))\n"
    }
    return text
  }

  private func isShown(_ option: AdviceDocument.Option) -> Bool {
    document.saved(by: option) ?? 0 > 0
  }

  private func wording(_ option: AdviceDocument.Option) -> String {
    let saved = document.saved(by: option) ?? 0
    return saved > 0 ? "-\(saved)" : saved == 0 ? "0" : "+\(-saved)"
  }

  private func table(_ options: [AdviceDocument.Option]) -> String {
    var table = Table([
      .init("PAGES"), .init("CODE"), .init("OPTIONS", .left), .init("EFFECT", .left),
    ])
    for option in options {
      var code = "-"
      if case .measured(let pages) = option.outcome {
        let change = pages.text[0] - document.present.text[0]
        code = change > 0 ? "+\(change)" : "\(change)"
      }
      table.add([
        wording(option), code, (option.compiling + option.linking).joined(separator: " "),
        option.effect + (option.needs.map { "; needs \($0)" } ?? ""),
      ])
    }
    return table.text(width: width)
  }

  private func together(_ together: AdviceDocument.Together) -> String {
    let (before, after) = (document.present.data, together.pages.data)
    let words = (together.compiling + together.linking).joined(separator: " ")
    var text = "\ntogether: \(words)\n"
    text += "  \(before.total[0]) -> \(after.total[0]) pages read or written "
    text +=
      "(\(Percentage.change(from: UInt64(clamping: before.total[0]), to: UInt64(clamping: after.total[0])))), "
    text += "\(document.present.text[0]) -> \(together.pages.text[0]) of code executed\n\n"
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
