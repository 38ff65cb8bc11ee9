import Rendering
import TestSupport
import Testing

@Suite struct TableTests {
  static func check(
    _ rows: [[String]], width: Int? = nil, _ expected: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var table = Table([
      .init("PAGES", separator: " "), .init("AFTER", separator: " → "), .init("SECTION", .left),
    ])
    for row in rows { table.add(row) }
    #expect(table.text(width: width) == expected, sourceLocation: sourceLocation)
  }

  @Test func numbersStandRightAndNamesLast() {
    Self.check(
      [["412", "96", "__TEXT,__text"], ["1234567", "38", "x"]],
      """
         PAGES   AFTER  SECTION
       -------   -----  -------------
           412 →    96  __TEXT,__text
       1234567 →    38  x

      """)
  }

  @Test func aTableWithoutRowsKeepsItsTitles() {
    Self.check([], " PAGES   AFTER  SECTION\n -----   -----  -------\n")
  }

  @Test func theLastColumnIsShortenedInItsMiddle() {
    Self.check(
      [["1", "2", "_ZN4llvm12DenseMapBaseINS_8DenseMapIPKvE"]], width: 36,
      """
       PAGES   AFTER  SECTION
       -----   -----  --------------------
           1 →     2  _ZN4llvm12…eMapIPKvE

      """)
  }

  @Test func aNarrowTerminalLeavesSixteenColumnsToTheName() {
    Self.check(
      [["1", "2", "abcdefghijklmnopqrstuvwxyz"]], width: 3,
      """
       PAGES   AFTER  SECTION
       -----   -----  ----------------
           1 →     2  abcdefgh…tuvwxyz

      """)
  }

  /// C++ names can have thousands of bytes. The other rows cost time in proportion to their own length, not to that
  /// name.
  @Test func aLongNameDoesNotSlowTheRowsOfShortOnes() {
    let growth = costGrowth(from: 2000, by: 8) { size in
      var table = Table([.init("SIZE"), .init("FUNCTION", .left)])
      table.add(["1", String(repeating: "x", count: 15 * size)])
      for _ in 0..<size { table.add(["1", "f"]) }
      #expect(table.text().utf8.count < 50 * size)
    }
    #expect(growth < 30, "eight times the rows: linear is 8, quadratic 64")
  }

  @Test func controlCharactersCannotBreakTheTable() {
    Self.check(
      [["1", "2", "a\nb\u{1b}[31m\tc\u{202e}"]],
      """
       PAGES   AFTER  SECTION
       -----   -----  ---------------------
           1 →     2  a\\nb\\x1b[31m\\tc\\x202e

      """)
  }

  @Test(arguments: [
    ("", 0), ("abc", 3), ("größe", 5), ("函数", 4), ("e\u{301}", 1), ("🚀", 2), ("\u{301}", 0),
    ("한글", 4), ("→", 1),
  ])
  func widthsAreThoseOfATerminal(text: String, expected: Int) {
    #expect(columns(of: text) == expected)
  }

  @Test(arguments: [
    ("abcdef", 6, "abcdef"), ("abcdef", 5, "ab…ef"), ("abcdef", 4, "ab…f"), ("abcdef", 1, "…"),
    ("函数函数", 6, "函…数"), ("函数函数", 5, "函…数"),
  ])
  func shorteningNeverPassesTheWidth(text: String, width: Int, expected: String) {
    #expect(shortened(text, to: width) == expected)
    #expect(columns(of: shortened(text, to: width)) <= width)
  }

  @Test(
    arguments: [
      (nil, [5, 4, 3, 2, 1]), (5, [5, 4, 3, 2, 1]), (4, [5, 4, 3, 2, 1]), (3, [5, 4, 3, -3]),
      (0, [-15]),
    ] as [(Int?, [Int])])
  func aTailOfTwoRowsOrMoreIsFolded(limit: Int?, expected: [Int]) {
    let folded = Table.folding([5, 4, 3, 2, 1], keeping: limit) { 0 - $0.reduce(0, +) }
    #expect(folded == expected)
  }

  @Test(arguments: [
    (40, "app, liba.so, libb.so, libc.so"), (29, "app, liba.so and 2 more"), (16, "app and 3 more"),
    (13, "a… and 3 more"),
  ])
  func aListThatIsTooWideSaysHowManyNamesAreLeftOut(width: Int, expected: String) {
    #expect(shortenedList("app, liba.so, libb.so, libc.so", to: width) == expected)
  }
}
