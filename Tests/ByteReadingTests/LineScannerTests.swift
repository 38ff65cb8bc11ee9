import ByteReading
import Testing

@Suite struct LineScannerTests {
  @Test(
    arguments: [
      ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\n\nb\r\n", ["a", "", "b\r"]),
      ("\n\nlast", ["", "", "last"]),
      // The first line decides whether lines end with a carriage return.
      ("a\r\n\r\nb\r\r\nc\nd", ["a", "", "b\r", "c", "d"]), ("\r\n\r\n", ["", ""]),
      ("a\r", ["a\r"]), ("a\r\nb\r", ["a", "b\r"]),
    ] as [(String, [String])])
  func linesEndAtLineFeedsAndAreCounted(text: String, expected: [String]) {
    let bytes = FileBytes(Array(text.utf8))
    var scanner = LineScanner(bytes)
    var lines: [String] = []
    while let line = scanner.next() {
      lines.append(bytes.text(line))
      #expect(scanner.lineNumber == lines.count)
    }
    #expect(lines == expected)
    #expect(scanner.position == bytes.count)
    #expect(scanner.next() == nil)
  }
}
