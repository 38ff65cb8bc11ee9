import ImageModel
import PagesFormat
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
    let title =
      document.launches.isEmpty
      ? "measured: pages of text that a launch of \(image) executes, and of data\n"
        + "(DATA, 4 KiB) that it touches or that the loader writes\n\n"
      : "measured: sums over \(counted(document.launches.count, "launch", "launches")) of \(image): "
        + "pages of text that a launch executes,\n"
        + "and of data (DATA, 4 KiB) that it touches or that the loader writes\n\n"
    return title + steps.text() + "\n" + launches + dropped + floor + data
  }

  /// The pages of each launch with the given order and with the best order, and the floor.
  private var launches: String {
    guard !document.launches.isEmpty,
      let size = PagesDocument.pageSizes.firstIndex(of: document.pageSize)
    else { return "" }
    var table = Table([
      .init(document.pageSize.wording), .init("REFINED"), .init("FLOOR"),
      .init("DATA"), .init("REFINED"), .init("LAUNCH", .left),
    ])
    for launch in document.launches {
      table.add(
        [
          launch.before.text[size], launch.after.text[size], launch.floorPages,
          launch.before.data[0], launch.after.data[0],
        ].map { "\($0)" } + [launch.name])
    }
    return table.text() + "\n"
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
        "\(step.pages.text[0])", "\(step.pages.text[1])", "\(step.pages.text[2])",
        "\(step.pages.data[0])", "\(step.entries)",
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
      + "\(floor.pages - floor.startupPages) with startup code that no entry of the order file places\n"
    for page in floor.fixed {
      text += "  \(page.address)  \(page.section.map { "\($0)" } ?? "-")  "
      text += "\(page.function.map(names) ?? "-")"
      text +=
        document.launches.isEmpty ? "\n" : " (\(counted(page.launches, "launch", "launches")))\n"
    }
    return text
  }
}

extension RefineDocument.Step {
  /// The step as text, such as `52 pages of 4 KiB, 14 of 16 KiB: unused functions last, not kept`.
  package var wording: String {
    "\(pages.text[0]) pages of 4 KiB, \(pages.text[1]) of 16 KiB, \(pages.data[0]) of data: \(move)"
      + (isKept ? "" : ", not kept")
  }
}
