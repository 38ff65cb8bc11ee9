// The page map in a terminal: each segment as lines of characters, one for each page, or for several if they are too many.
//
//     text 0x2000, 12 pages: 5 predicted, 5 executed
//       0x2000 ▓█░h··      the share that the launch uses, else the cause
//              xx xr       how the page was touched, if that was measured
//              [==]        what the linker placed as the order file asks

import Addresses
import FaultEstimate
import ImageModel

/// The text of the two maps of a diff.
package struct PageMapText {
  private let maps: [(title: String, map: PageMap)]
  private let pageSize: PageSize
  private let style: PageMapStyle
  /// The bytes of a character, as if they were a page.
  private let scale: PageSize

  /// `nil` for a document without maps.
  package init?(_ document: DiffDocument, style: PageMapStyle) {
    guard let maps = document.pageMaps else { return nil }
    self.maps = [
      ("before: \(printable(document.before.path))", maps.before),
      ("after: \(printable(document.after.path))", maps.after),
    ]
    pageSize = document.pageSize
    self.style = style
    let fitting = MapScale.fitting(
      self.maps.map { $0.map.drawn.map(\.range) }, in: PageMapStyle.mostCells, pageSize)
    let wanted = (style.scale ?? fitting).unit
    scale = wanted.bytes < pageSize.bytes ? pageSize : wanted
  }

  package var text: String {
    var text = "\npage map, predicted from the layouts: \(cellWording)\n" + legend
    for (title, map) in maps {
      text += "\n  \(title)\n"
      for segment in map.segments { text += lines(of: segment, in: map) }
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
    var text =
      "  share of \(unit) that the launch uses: \(shares[0]) none  \(shares[1]) under 25%  "
    text += "\(shares[2]) under 50%  \(shares[3]) under 75%  \(shares[4]) more\n"
    let pages = maps.flatMap { $0.map.pages }
    let causes = TouchCause.allCases.filter { cause in
      cause != .startupFunction && pages.contains { $0.causes.first == cause }
    }
    if !causes.isEmpty {
      text += "  no startup function: "
      text += causes.map { "\($0.letter) \($0.mapWording)" }.joined(separator: "  ") + "\n"
    }
    let accesses = Access.allCases.filter { access in
      pages.contains { $0.accesses.first == access }
    }
    if !accesses.isEmpty {
      text += "  measured, in the line below: "
      text += accesses.map { "\($0.letter) \($0.mapWording)" }.joined(separator: "  ") + "\n"
    }
    if maps.contains(where: { $0.map.ordered != nil }) {
      text += "  [==] placed as the order file asks\n"
    }
    return text
  }
}

// MARK: Lines

extension PageMapText {
  /// The columns before the characters of a line: blanks, the address of the first, and a blank.
  private var margin: Int {
    let last = maps.flatMap { $0.map.drawn }.map { $0.range.end }.max()
    return (last ?? StatedAddress(rawValue: 0)).description.count + 5
  }

  /// A multiple of 16, so that addresses in the margin are round.
  private var cellsPerLine: Int { max(16, (style.width - margin) / 16 * 16) }

  private func lines(of segment: PageMap.Segment, in map: PageMap) -> String {
    let pages = map.pages(in: segment, pageSize)
    var text = "    \(segment.kind.rawValue) \(segment.range.start), "
    text += counted(pageSize.pageCount(of: segment.range), "page") + ": "
    text += summary(of: pages, of: segment.kind, in: map) + "\n"
    guard map.draws(segment) else { return text }

    let cells = cells(of: segment, pages)
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
        text += String(repeating: " ", count: margin)
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

  /// A character of the map: the pages for which it stands.
  private struct Cell {
    var number: StatedPage
    var start: StatedAddress
    var usedBytes: UInt64 = 0
    /// The first of all causes; `nil` if none is predicted to be touched.
    var cause: TouchCause?
    var access: Access?
    var isUntouched: Bool { cause == nil && access == nil }
  }

  private func cells(
    of segment: PageMap.Segment, _ pages: ArraySlice<PageMap.Page>
  ) -> [Cell] {
    let numbers = scale.pages(of: segment.range)
    var cells = numbers.map { Cell(number: $0, start: scale.start(of: $0)) }
    for page in pages {
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
    let address = start.description
    var text = String(repeating: " ", count: margin - 1 - address.count) + address + " "
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

  private func character(of cell: Cell) -> Character {
    guard let cause = cell.cause else { return style.shares[0] }
    guard cause == .startupFunction else { return cause.letter }
    return style.shares[1 + Int(min(3, cell.usedBytes * 4 / scale.bytes))]
  }

  private func bracket(_ cell: StatedPage, _ ordered: AddressRange) -> Character {
    let cells = scale.pages(of: ordered)
    if cell == cells.lowerBound { return "[" }
    if cell == cells.upperBound { return "]" }
    return cells.contains(cell) ? "=" : " "
  }

  /// The characters, each in the colour of its cause.
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

extension PageMap {
  /// The segments of which something is known.
  fileprivate var drawn: [Segment] { segments.filter { draws($0) } }

  /// Code is predicted; other segments only by what code is known to read.
  fileprivate func draws(_ segment: Segment) -> Bool {
    if isMeasured || segment.kind == .text { return true }
    let place = pages.partitioningIndex { $0.address >= segment.range.start }
    return place < pages.count && pages[place].address < segment.range.end
  }

  /// The pages on which bytes of `segment` are.
  fileprivate func pages(in segment: Segment, _ pageSize: PageSize) -> ArraySlice<Page> {
    let first = pageSize.start(of: pageSize.page(of: segment.range.start))
    let start = pages.partitioningIndex { $0.address >= first }
    return pages[start..<pages.partitioningIndex { $0.address >= segment.range.end }]
  }
}
