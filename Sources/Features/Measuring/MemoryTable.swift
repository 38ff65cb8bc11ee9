import PagesFormat
import Rendering

/// The table of the resident memory, with a column for each program.
struct MemoryTable {
  private let sides: [MeasuredMemory.Side]

  init(_ memory: MeasuredMemory) { sides = memory.sides }

  func text(width: Int?) -> String {
    var columns = sides.prefix(2).map { Table.Column($0.name.uppercased()) }
    if sides.count > 1 { columns.append(Table.Column("CHANGE")) }
    columns += sides.dropFirst(2).map { Table.Column($0.name.uppercased()) }
    let figures = sides[0].figures
    let title =
      "resident memory \(figures.moment.wording), measured, median of "
      + "\(counted(figures.launches.count, "warm launch", "warm launches"))"
      + (sides.count > 1 ? " of each" : "")
    var table = Table(columns + [Table.Column(title.uppercased(), .left)])
    func add(_ name: String, _ cells: [String], change: String = "-") {
      var cells = cells
      if sides.count > 1 { cells.insert(change, at: 2) }
      table.add(cells + [name])
    }
    for row in MemoryRow.rows(of: sides.map(\.figures)) {
      add(
        row.name, row.values.map { $0.map { "\(ByteCount($0))" } ?? "-" },
        change: Self.change(row.values))
    }
    add("file system of the image", sides.map { $0.figures.fileSystem ?? "unknown" })
    return table.text(width: width)
  }

  /// Returns the change from the first program's value to the second's; `-` if one of the values is missing.
  private static func change(_ values: [UInt64?]) -> String {
    guard values.count > 1, let before = values[0], let after = values[1] else { return "-" }
    return Percentage.change(from: before, to: after)
  }
}
