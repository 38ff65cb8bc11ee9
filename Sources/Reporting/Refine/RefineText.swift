import ImageModel

/// The text report of a refinement: a row for each trial, and the floor.
package struct RefineText {
  private let document: RefineDocument
  private let names: NameWording

  package init(_ document: RefineDocument, names: @escaping NameWording = mangled) {
    self.document = document
    self.names = names
  }

  package var text: String {
    "measured: pages of text that a launch of \(printable(document.imagePath)) executes\n\n"
      + steps.text() + "\n" + dropped + floor
  }

  private var dropped: String {
    guard document.droppedEntries > 0 else { return "" }
    return
      "dropped \(counted(document.droppedEntries, "entry", "entries")) of symbols that the image lacks\n"
  }

  private var steps: Table {
    var table = Table([
      .init("4 KiB"), .init("16 KiB"), .init("64 KiB"), .init("ENTRIES"), .init("KEPT", .left),
      .init("ORDER", .left),
    ])
    for step in document.steps {
      table.add([
        "\(step.textPages)", "\(step.textPages16k)", "\(step.textPages64k)", "\(step.entries)",
        step.isKept ? "yes" : "", step.move,
      ])
    }
    return table
  }

  private var floor: String {
    let floor = document.floor
    var text =
      "floor: \(floor.pages) pages of \(ByteCount(document.pageSize.bytes)): "
      + "\(floor.startupPages) for \(ByteCount(floor.startupBytes)) of ordered startup functions, "
      + "\(floor.fixed.count) with code that no entry places\n"
    for page in floor.fixed {
      text += "  \(page.address)  \(page.section.map { "\($0)" } ?? "-")  "
      text += "\(page.function.map(names) ?? "-")\n"
    }
    return text
  }
}

extension RefineDocument.Step {
  /// `52 pages of 4 KiB, 14 of 16 KiB: unused functions last, not kept`
  package var wording: String {
    "\(textPages) pages of 4 KiB, \(textPages16k) of 16 KiB: \(move)" + (isKept ? "" : ", not kept")
  }
}
