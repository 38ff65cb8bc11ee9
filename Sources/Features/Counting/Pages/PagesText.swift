import CommandSupport
import ImageModel
import PagesFormat
import Rendering

/// The text report of the pages that a launch touched.
package struct PagesText {
  private let document: PagesDocument
  private let width: Int?
  private let names: NameWording
  private let listsPages: Bool

  /// - Parameters:
  ///   - width: the terminal's width in columns; `nil` shortens no name.
  ///   - listsPages: whether to list each page.
  package init(
    _ document: PagesDocument, width: Int? = nil, names: @escaping NameWording = mangled,
    listsPages: Bool = false
  ) {
    self.document = document
    self.width = width
    self.names = names
    self.listsPages = listsPages
  }

  package var text: String {
    var text = "pages touched, measured by \(document.method)\n"
    for image in document.images {
      text += "\n\(printable(image.path))\n" + counts(image).text()
      text += DataPagesText(image).text
      if let prefetch = image.prefetch { text += "\n" + prefetch.text + "\n" }
      if let memory = image.memory { text += "\n" + Self.table(memory).text(width: width) }
      if listsPages, !image.pages.isEmpty { text += "\n" + list(image).text(width: width) }
    }
    let next = NextStepsText(document.nextSteps).text
    return text + (next.isEmpty ? "" : "\n" + next)
  }

  private static func table(_ memory: MemoryFigures) -> Table {
    let launches = counted(memory.launches.count, "launch", "launches")
    var table = Table([
      .init("BYTES"),
      .init("RESIDENT MEMORY \(memory.moment.wording), median of \(launches)".uppercased(), .left),
    ])
    for row in MemoryRow.rows(of: [memory]) {
      table.add([row.values[0].map { "\(ByteCount($0))" } ?? "-", row.name])
    }
    table.add([memory.fileSystem ?? "unknown", "file system of the image"])
    return table
  }

  private func counts(_ image: PagesDocument.Image) -> Table {
    var table = Table([
      .init("4 KiB"), .init("OF", separator: " / "), .init("16 KiB"),
      .init("OF", separator: " / "), .init("64 KiB"), .init("OF", separator: " / "),
      .init("SEGMENT", .left),
    ])
    /// - Parameter segments: the segments whose pages in the file the row has as its total; empty for no total.
    func add(
      _ name: String, _ segments: [Segment], _ count: (PageSize) -> Int
    ) {
      table.add(
        PagesDocument.pageSizes.flatMap { size in
          let all = segments.reduce(0) { $0 + (image.fileCount(of: $1, size) ?? 0) }
          return ["\(count(size))", segments.isEmpty ? "" : "\(all)"]
        } + [name])
    }
    add("text, executed", [.text]) { image.textCount(executed: true, $0) }
    if image.textOnlyReadCount() > 0 { add("text, only read", []) { image.textOnlyReadCount($0) } }
    for segment in [Segment.readOnly, .data] {
      add(segment.rawValue, [segment]) { image.count(of: segment, $0) }
    }
    add("TOTAL", Segment.allCases) { size in
      Segment.allCases.reduce(0) { $0 + image.count(of: $1, size) }
    }
    return table
  }

  private func list(_ image: PagesDocument.Image) -> Table {
    let pages = (image.loading ?? []) + image.pages
    let isKnown = pages.contains { $0.accessor != nil }
    let touched: [Table.Column] =
      isKnown ? [.init("BY", .left), .init("SECTION", .left), .init("SYMBOL", .left)] : []
    var table = Table(
      [.init("STEP"), .init("ACCESS", .left), .init("SEGMENT", .left), .init("PAGE")] + touched
        + [.init("INSTRUCTION"), .init("FUNCTION", .left)])
    for page in pages {
      let function = page.function.map(names) ?? "-"
      let place = page.instructionImage.map { " in \($0)" } ?? ""
      let touched = [
        page.accessor?.rawValue ?? "-", page.section ?? "-", page.symbol.map(names) ?? "-",
      ]
      table.add(
        ["\(page.step)", page.access.rawValue, page.segment.rawValue, "\(page.address)"]
          + (isKnown ? touched : [])
          + [page.instruction.map { "\($0)" } ?? "-", function + place])
    }
    return table
  }
}
