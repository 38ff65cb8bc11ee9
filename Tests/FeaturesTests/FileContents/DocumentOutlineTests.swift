import ByteReading
import FileContents
import TestSupport
import Testing

@Suite struct DocumentOutlineTests {
  private static func outline(_ bytes: [UInt8], _ schema: String) throws -> String {
    try DocumentOutline(parsing: FileBytes(bytes), schema: schema).text
  }

  @Test func theOutlineOfADocumentIsAsRecorded() throws {
    let text = try Self.outline(fixture("reporting/gen/expected.json"), "orderfile.gen/2")
    try expectGolden(text, "reporting/show/outline/expected.txt")
  }

  @Test func longArraysAreCutAndControlCharactersEscaped() throws {
    let numbers = (1...12).map { "\($0)" }.joined(separator: ", ")
    let text = try Self.outline(
      Array(
        #"{"a": [\#(numbers)], "b": [], "c": {"d": "x\u001b[31m"}, "e": [[1, 2], [null]], "schema": "s"}"#
          .utf8), "s")
    #expect(
      text == """
        a: 12
        \((1...10).map { "  - \($0)\n" }.joined())  and 2 more: see --json
        b: 0
        c:
          d: x\\x1b[31m
        e: 2
          - - 1
            - 2
          - - null

        """)
  }

  @Test(.needs(.time)) func damagedDocumentsAreErrorsOrShown() throws {
    let json = try fixture("reporting/gen/expected.json")
    for length in hostilePrefixLengths(of: json) where length < json.count - 1 {
      #expect(throws: ParseError.self) {
        try Self.outline(Array(json[..<length]), "orderfile.gen/2")
      }
    }
    for bytes in byteFlips(of: json) { _ = try? Self.outline(bytes, "orderfile.gen/2") }
  }
}
