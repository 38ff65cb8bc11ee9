import ImageModel
import Rendering

/// The text report of a refinement: a row for each trial, and the floor.
package struct RefineText {
  private let document: RefineDocument
  private let names: NameWording

  package init(_ document: RefineDocument, names: @escaping NameWording = mangled) {
    self.document = document
    self.names = names
  }

  package var text: String {
    let image = printable(document.imagePath)
    return "measured: pages of text that a launch of \(image) executes, and of data\n"
      + "(DATA, 4 KiB) that it touches or that the loader writes\n\n"
      + steps.text() + "\n" + dropped + floor + data
  }

  private var dropped: String {
    guard document.droppedEntries > 0 else { return "" }
    return
      "dropped \(counted(document.droppedEntries, "entry", "entries")) of symbols that the image lacks\n"
  }

  /// What the pages of data hold: `data: 51 pages of 4 KiB: 5 that the loader writes, ...`
  private var data: String {
    let pages = document.data
    let holders = [
      (pages.loader, "that the loader writes"), (pages.listed, "with listed data"),
      (pages.unlisted, "with other data"), (pages.unnamed, "with data without a name"),
      (pages.other, "of sections that no linker orders"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    guard !holders.isEmpty else { return "" }
    let all = counted(pages.total, "page")
    return "data: \(all) of 4 KiB: " + holders.joined(separator: ", ") + "\n"
  }

  private var steps: Table {
    var table = Table([
      .init("4 KiB"), .init("16 KiB"), .init("64 KiB"), .init("DATA"), .init("ENTRIES"),
      .init("KEPT", .left),
      .init("ORDER", .left),
    ])
    for step in document.steps {
      table.add([
        "\(step.textPages)", "\(step.textPages16k)", "\(step.textPages64k)",
        "\(step.dataPages.first ?? 0)", "\(step.entries)",
        step.isKept ? "yes" : "", step.move,
      ])
    }
    return table
  }

  private var floor: String {
    let floor = document.floor
    var text =
      "floor: \(floor.pages) pages of \(ByteCount(document.pageSize.bytes).wording): "
      + "\(floor.startupPages) for \(ByteCount(floor.startupBytes).wording) of ordered startup functions, "
      + "\(floor.fixed.count) with startup code that no entry of the order file places\n"
    for page in floor.fixed {
      text += "  \(page.address)  \(page.section.map { "\($0)" } ?? "-")  "
      text += "\(page.function.map(names) ?? "-")\n"
    }
    return text
  }
}

extension RefineDocument.Step {
  /// The step as text, such as `52 pages of 4 KiB, 14 of 16 KiB: unused functions last, not kept`.
  package var wording: String {
    "\(textPages) pages of 4 KiB, \(textPages16k) of 16 KiB, \(dataPages.first ?? 0) of data: \(move)"
      + (isKept ? "" : ", not kept")
  }
}
