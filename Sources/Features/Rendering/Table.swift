/// Rows of text under column titles. Numbers are right-aligned; the name, which is long, comes last.
package struct Table {
  package struct Column {
    package enum Alignment { case left, right }
    package var title: String
    package var alignment: Alignment
    /// The text between this column and the one before it; the title line has blanks there.
    package var separator: String
    /// Shortens a text of the last column to a number of columns of a terminal.
    package var shorten: (String, Int) -> String

    package init(
      _ title: String, _ alignment: Alignment = .right, separator: String = "  ",
      shortening: @escaping (String, Int) -> String = shortened
    ) {
      self.title = title
      self.alignment = alignment
      self.separator = separator
      shorten = shortening
    }
  }

  private let columnsOfTable: [Column]
  private var rows: [[String]] = []

  /// - Precondition: at least one column.
  package init(_ columns: [Column]) {
    precondition(!columns.isEmpty, "a table has columns")
    columnsOfTable = columns
  }

  /// Adds a row; control characters in it are shown as escapes.
  ///
  /// - Precondition: as many cells as columns.
  package mutating func add(_ cells: [String]) {
    precondition(cells.count == columnsOfTable.count, "a row has a cell for each column")
    rows.append(cells.map(printable))
  }

  /// Returns the table as text. Each line ends with a newline, and no line ends with blanks.
  ///
  /// - Parameter width: the terminal's width in columns. The last column is shortened to fit, but not below
  ///   16 columns. `nil` shortens nothing.
  /// - Complexity: O(*b*) for *b* bytes in all cells.
  package func text(width: Int? = nil) -> String {
    let last = columnsOfTable.count - 1
    var widths = columnsOfTable.map { columns(of: $0.title) }
    for row in rows {
      for column in row.indices { widths[column] = max(widths[column], columns(of: row[column])) }
    }
    if let width {
      let separators = columnsOfTable.map { columns(of: $0.separator) }.reduce(0, +)
      let others = widths.dropLast().reduce(0, +) + separators
      widths[last] = min(widths[last], max(16, width - others))
    }
    var text = ""
    appendLine(columnsOfTable.map(\.title), widths, isTitle: true, to: &text)
    appendLine(widths.map { String(repeating: "-", count: $0) }, widths, isTitle: true, to: &text)
    for row in rows { appendLine(row, widths, isTitle: false, to: &text) }
    return text
  }

  private func appendLine(
    _ cells: [String], _ widths: [Int], isTitle: Bool, to text: inout String
  ) {
    let last = cells.count - 1
    for index in cells.indices {
      let column = columnsOfTable[index]
      let blankSeparator = String(repeating: " ", count: columns(of: column.separator))
      text += isTitle ? blankSeparator : column.separator
      let cell = index == last ? column.shorten(cells[index], widths[index]) : cells[index]
      // The last column is not padded with blanks, because one C++ name can be as long as thousands of others.
      let isShown = index < last || column.alignment == .right
      let room = isShown ? max(0, widths[index] - columns(of: cell)) : 0
      let padding = String(repeating: " ", count: room)
      switch column.alignment {
      case .right: text += padding + cell
      case .left: text += cell + padding
      }
    }
    text += "\n"
  }
}

extension Table {
  /// Returns the first `limit` rows, and one row that `fold` makes of all others, so that the rows add up to the same
  /// total. If only one row would be folded, it is kept. If `limit` is `nil`, all rows are kept.
  package static func folding<Row>(
    _ rows: [Row], keeping limit: Int?, into fold: (ArraySlice<Row>) -> Row
  ) -> [Row] {
    guard let limit, rows.count > limit + 1 else { return rows }
    return rows[..<limit] + [fold(rows[limit...])]
  }
}
