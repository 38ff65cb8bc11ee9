import ImageModel
import PagesFormat
import Rendering

/// The text about the pages of an image that were read or written: by section, and by first accessor.
struct DataPagesText {
  private let image: PagesDocument.Image

  init(_ image: PagesDocument.Image) { self.image = image }

  /// Two tables, each with a blank line before it; empty if no pages of data were counted.
  var text: String {
    let data = DataPages(of: image)
    guard !data.rows.isEmpty else { return "" }
    let scope =
      image.loading == nil
      ? "without the touches of the loader before it" : "from the loading of the image on"
    return "\nread or written, \(scope); each page is counted at its first touch\n"
      + sections(data).text() + "\n" + accessors(data).text()
  }

  private func sections(_ data: DataPages) -> Table {
    let accessors = data.shares.filter { $0.pages[0] > 0 }.map(\.accessor)
    var table = Table(
      [.init("4 KiB"), .init("16 KiB"), .init("64 KiB")]
        + accessors.map { .init($0.rawValue.uppercased()) } + [.init("SECTION", .left)])
    var rest = data.rows[...]
    while let first = rest.first {
      let rows = rest.prefix { $0.section == first.section && $0.segment == first.segment }
      rest = rest.dropFirst(rows.count)
      let sums = first.pages.indices.map { index in rows.reduce(0) { $0 + $1.pages[index] } }
      let shares = accessors.map { accessor in
        rows.first { $0.accessor == accessor }.map { "\($0.pages[0])" } ?? ""
      }
      let name = first.section ?? "-"
      table.add(
        sums.map(String.init) + shares + [first.segment == .text ? "\(name) (text)" : name])
    }
    let totals = accessors.map { accessor in
      "\(data.shares.first { $0.accessor == accessor }?.pages[0] ?? 0)"
    }
    table.add(data.total.map(String.init) + totals + ["TOTAL"])
    return table
  }

  private func accessors(_ data: DataPages) -> Table {
    var table = Table([
      .init("4 KiB"), .init("16 KiB"), .init("64 KiB"), .init("ALONE"), .init("TOUCHED BY", .left),
    ])
    for share in data.shares {
      table.add(
        share.pages.map(String.init) + ["\(share.alone[0])", share.accessor.wording])
    }
    return table
  }
}
