// The page map in a terminal. Each segment is drawn as lines of characters. A character is one page, or several pages
// if the segment has too many.
//
//     text 0x2000, 12 pages: 5 predicted, 5 executed
//       0x2000 ▓█░h··      the share that the launch uses, else the cause
//              xx xr       how the page was touched, if that was measured
//              [==]        what the linker placed as the order file asks

import Addresses
import FaultEstimate
import ImageModel
import Rendering

/// The text of the page maps of the two layouts of a diff.
package struct PageMapText {
  private let maps: [(title: String, map: PageMap, segments: [DrawnSegment])]
  private let pageSize: PageSize
  private let style: PageMapStyle
  /// The number of bytes that a character of the map represents, as a page size.
  private let scale: PageSize

  /// Returns `nil` for a document without maps.
  package init?(_ document: DiffDocument, style: PageMapStyle) {
    guard let maps = document.prediction.pageMaps else { return nil }
    let pageSize = document.prediction.pageSize
    self.pageSize = pageSize
    self.maps = [
      ("before: \(printable(document.before.path))", maps.before),
      ("after: \(printable(document.after.path))", maps.after),
    ].map { ($0.0, $0.1, $0.1.drawnSegments(pageSize)) }
    self.style = style
    let fitting = MapScale.fitting(
      self.maps.map { $0.segments.filter(\.hasCells).map(\.segment.range) },
      in: PageMapStyle.mostCells, pageSize)
    let wanted = (style.scale ?? fitting).unit
    scale = wanted.bytes < pageSize.bytes ? pageSize : wanted
  }

  package var text: String {
    var text = "\n"
    text += wrapped("page map, predicted from the layouts:", [cellWording], indentation: 0)
    text += legend
    for (title, map, segments) in maps {
      text += "\n  \(title)\n"
      for segment in segments { text += lines(of: segment, in: map) }
    }
    return text
  }
}

// MARK: Legend

extension PageMapText {
  private var cellWording: String {
    guard pagesInCell > 1 else { return "a character is a page of \(pageSize.wording)" }
    return "a character is \(pagesInCell) pages of \(pageSize.wording), \(scale.wording)"
  }

  private var pagesInCell: Int { Int(scale.bytes / pageSize.bytes) }

  private var legend: String {
    let shares = style.shares
    let unit = pagesInCell > 1 ? "them" : "it"
    var text = wrapped(
      "share of \(unit) that the launch uses:",
      zip(shares, ["none", "under 25%", "under 50%", "under 75%", "more"]).map { "\($0) \($1)" })
    let pages = maps.flatMap { $0.map.pages }
    let causes = TouchCause.allCases.filter { cause in
      cause != .startupFunction && pages.contains { $0.causes.first == cause }
    }
    if !causes.isEmpty {
      text += wrapped("no startup function:", causes.map { "\($0.letter) \($0.mapWording)" })
    }
    let accesses = Access.allCases.filter { access in
      pages.contains { $0.accesses.first == access }
    }
    if !accesses.isEmpty {
      text += wrapped(
        "measured, in the line below:", accesses.map { "\($0.letter) \($0.mapWording)" })
    }
    if maps.contains(where: { $0.map.ordered != nil }) {
      text += "  [==] or = alone: placed as the order file asks\n"
    }
    return text
  }

  /// Returns `title` followed by `items`, in lines that fit the width.
  private func wrapped(_ title: String, _ items: [String], indentation: Int = 2) -> String {
    let margin = String(repeating: " ", count: indentation)
    var lines = [margin + title]
    for (index, item) in items.enumerated() {
      let added = (index == 0 ? " " : "  ") + item
      if lines[lines.count - 1].count + added.count <= style.width {
        lines[lines.count - 1] += added
      } else {
        lines.append("\(margin)  \(item)")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

// MARK: Lines

extension PageMapText {
  /// The number of columns before the map's characters in a line: blanks, the address of the first character, and a
  /// blank.
  private var margin: Int {
    let last = maps.flatMap(\.segments).filter(\.hasCells).map { $0.segment.range.end }.max()
    return (last ?? StatedAddress(rawValue: 0)).description.count + 5
  }

  /// The number of the map's characters in a line: a multiple of 16, so that addresses in the margin are round.
  private var cellsPerLine: Int { max(16, (style.width - margin) / 16 * 16) }

  private func lines(of drawn: DrawnSegment, in map: PageMap) -> String {
    let (segment, pages) = (drawn.segment, drawn.pages)
    var text = "    \(segment.kind.rawValue) \(segment.range.start), "
    text += counted(drawn.numbers.count, "page") + ": "
    text += summary(of: pages, of: segment.kind, in: map) + "\n"
    guard drawn.hasCells else { return text }

    let cells = cells(of: drawn)
    var start = 0
    while start < cells.count {
      let end = min(start + cellsPerLine, cells.count)
      var last = end
      if cells[start..<end].allSatisfy(\.isUntouched) {
        last = cells[start...].firstIndex { !$0.isUntouched } ?? cells.count
        last = last == cells.count ? last : start + (last - start) / cellsPerLine * cellsPerLine
      }
      if last - start > 2 * cellsPerLine {
        let skipped = (last - start) * pagesInCell
        text += addressMargin(cells[start].start)
        text += "\(style.shares[0]) for \(skipped) pages\n"
        start = last
      } else {
        text += line(
          cells[start..<end], isMeasured: map.isMeasured,
          ordered: map.ordered?.intersection(segment.range))
        start = end
      }
    }
    return text
  }

  private func summary(
    of pages: ArraySlice<PageMap.Page>, of kind: Segment, in map: PageMap
  ) -> String {
    let predicted = pages.count { $0.isPredicted }
    let prediction = kind == .text || predicted > 0 ? "\(predicted) predicted" : "not predicted"
    guard map.isMeasured else { return prediction }
    let counts = Access.allCases.compactMap { access in
      let count = pages.count { $0.accesses.first == access }
      return count == 0 ? nil : "\(count) \(access.mapWording)"
    }
    return ([prediction] + (counts.isEmpty ? ["none touched"] : counts)).joined(separator: ", ")
  }

  /// A character of the map, and the pages that it represents.
  private struct Cell {
    var number: StatedPage
    var start: StatedAddress
    var usedBytes: UInt64 = 0
    /// The first of the causes for which these pages are predicted to be touched; `nil` if there are none.
    var cause: TouchCause?
    var access: Access?
    var isUntouched: Bool { cause == nil && access == nil }
  }

  private func cells(of drawn: DrawnSegment) -> [Cell] {
    guard let first = drawn.numbers.first, let last = drawn.numbers.last else { return [] }
    let numbers =
      scale.page(of: pageSize.start(of: first))...scale.page(of: pageSize.start(of: last))
    var cells = numbers.map { Cell(number: $0, start: scale.start(of: $0)) }
    for page in drawn.pages {
      let number = max(scale.page(of: page.address), numbers.lowerBound)
      let place = numbers.lowerBound.distance(to: number)
      guard cells.indices.contains(place) else { continue }
      cells[place].usedBytes += UInt64(page.usedBytes)
      cells[place].cause = [cells[place].cause, page.causes.first].compactMap { $0 }.min()
      cells[place].access = Access.allCases.first {
        $0 == cells[place].access || $0 == page.accesses.first
      }
    }
    return cells
  }

  private func line(
    _ cells: ArraySlice<Cell>, isMeasured: Bool, ordered: AddressRange?
  ) -> String {
    guard let start = cells.first?.start else { return "" }
    var text = addressMargin(start)
    let blanks = String(repeating: " ", count: margin)
    text += coloured(cells.map { ($0.cause, character(of: $0)) }) + "\n"
    func add(_ characters: [Character]) {
      let line = String(String(characters).reversed().drop { $0 == " " }.reversed())
      if !line.isEmpty { text += blanks + line + "\n" }
    }
    if isMeasured { add(cells.map { $0.access?.letter ?? " " }) }
    if let ordered { add(cells.map { bracket($0.number, ordered) }) }
    return text
  }

  private func addressMargin(_ address: StatedAddress) -> String {
    let address = address.description
    return String(repeating: " ", count: max(0, margin - 1 - address.count)) + address + " "
  }

  private func character(of cell: Cell) -> Character {
    guard let cause = cell.cause else { return style.shares[0] }
    guard cause == .startupFunction else { return cause.letter }
    return style.shares[1 + Int(min(3, cell.usedBytes * 4 / scale.bytes))]
  }

  private func bracket(_ cell: StatedPage, _ ordered: AddressRange) -> Character {
    let cells = scale.pages(of: ordered)
    if cells.count == 1, cell == cells.lowerBound { return "=" }
    if cell == cells.lowerBound { return "[" }
    if cell == cells.upperBound { return "]" }
    return cells.contains(cell) ? "=" : " "
  }

  /// Returns the characters, each in the colour of its cause.
  private func coloured(_ characters: [(cause: TouchCause?, character: Character)]) -> String {
    guard style.isColoured else { return String(characters.map(\.character)) }
    var text = ""
    var colour = 0
    for (cause, character) in characters {
      let next = cause == nil ? 2 : cause == .startupFunction ? 36 : 33
      if next != colour { text += "\u{1b}[0;\(next)m" }
      colour = next
      text.append(character)
    }
    return text + "\u{1b}[0m"
  }
}

// MARK: Words

extension TouchCause {
  fileprivate var letter: Character {
    switch self {
    case .startupFunction: "f"
    case .wholeSection: "w"
    case .linkageTable: "l"
    case .cRuntime: "c"
    case .initializer: "i"
    case .mergedBody: "m"
    case .constant: "d"
    case .header: "h"
    }
  }

  fileprivate var mapWording: String {
    switch self {
    case .startupFunction: "startup function"
    case .wholeSection: "whole section"
    case .linkageTable: "linkage table"
    case .cRuntime: "C runtime"
    case .initializer: "initializer"
    case .mergedBody: "merged body"
    case .constant: "constant"
    case .header: "header"
    }
  }
}

extension Access {
  fileprivate var letter: Character {
    switch self {
    case .execute: "x"
    case .read: "r"
    case .write: "w"
    case .kernel: "k"
    }
  }

  fileprivate var mapWording: String {
    switch self {
    case .execute: "executed"
    case .read: "read"
    case .write: "written"
    case .kernel: "by the kernel"
    }
  }
}

// MARK: Parts of a map

/// A segment with the pages of the map that count for the segment.
private struct DrawnSegment {
  var segment: PageMap.Segment
  var numbers: Range<StatedPage>
  /// The touched pages whose numbers are in `numbers`.
  var pages: ArraySlice<PageMap.Page>
  /// Whether touches of the segment are known. Touches of code are predicted. Touches of other segments are predicted
  /// only where code is known to read them.
  var hasCells: Bool
}

extension PageMap {
  fileprivate func drawnSegments(_ pageSize: PageSize) -> [DrawnSegment] {
    zip(segments, pageNumbers(pageSize)).map { segment, numbers in
      let start = pages.partitioningIndex { pageSize.page(of: $0.address) >= numbers.lowerBound }
      let end = pages.partitioningIndex { pageSize.page(of: $0.address) >= numbers.upperBound }
      let isKnown = isMeasured || segment.kind == .text || start < end
      return DrawnSegment(
        segment: segment, numbers: numbers, pages: pages[start..<end],
        hasCells: isKnown && !numbers.isEmpty)
    }
  }
}
