import Addresses
import ByteReading
import TestSupport
import Testing
import XctraceFormat

/// All rows of an export, each on a line. References are replaced by the values to which they refer.
private func dump(_ bytes: [UInt8]) throws(ParseError) -> String {
  let export = XctraceExport()
  var lines: [String] = []
  try export.read(FileBytes(bytes)) { row in
    var parts = ["\(row.table)"]
    if let time = row.nanoseconds { parts.append("at \(time)") }
    if let process = row.process { parts.append("\(process.number) '\(escaped(process.label))'") }
    if let thread = row.thread { parts.append("thread \(thread)") }
    if let operation = row.operation { parts.append("'\(escaped(operation))'") }
    if let address = row.address { parts.append("\(address)") }
    if let size = row.sizeBytes { parts.append("\(size) bytes") }
    if let duration = row.durationNanoseconds { parts.append("for \(duration)") }
    if let stack = row.stack {
      let frames = export.frames(ofStack: stack).map { "\($0.address)@\($0.binary ?? -1)" }
      parts.append("stack \(stack): \(frames.joined(separator: " "))")
    }
    lines.append(parts.joined(separator: ", "))
  }
  for (index, binary) in export.binaries.enumerated() {
    let uuid = binary.uuid.map { $0.map { String($0, radix: 16) }.joined(separator: " ") }
    lines.append(
      "binary \(index): \(escaped(binary.architecture)) at \(binary.loadAddress.map(\.description) ?? "?"), "
        + "\(uuid ?? "no UUID"), \(escaped(binary.path))")
  }
  lines.append("others: \(export.otherTables.map { escaped($0) })")
  return lines.joined(separator: "\n") + "\n"
}

@Suite struct XctraceExportTests {
  @Test func rowsAreReadAsRecorded() throws {
    try expectGolden(
      try dump(try fixture("xctrace/launch/input.xml")), "xctrace/launch/expected.txt")
  }

  /// A document of one table with `rows`.
  private func table(_ name: String, _ rows: String) -> [UInt8] {
    Array(
      """
      <?xml version="1.0"?>
      <trace-query-result>
      <node xpath='x'><schema name="\(name)"/>
      \(rows)
      </node>
      </trace-query-result>
      """.utf8)
  }

  private func rows(_ bytes: [UInt8]) throws -> [XctraceRow] {
    var rows: [XctraceRow] = []
    try XctraceExport().read(FileBytes(bytes)) { rows.append($0) }
    return rows
  }

  @Test func framesMayStandInTheTaggedBacktraceItself() throws {
    let export = XctraceExport()
    var stacks: [[UInt64]] = []
    let bytes = table(
      "cpu-profile",
      """
      <row><sample-time id="1">5</sample-time><tagged-backtrace id="2"><frame id="3" name="a" addr="0x10"/>
      <frame id="4" name="b" addr="0x20"/></tagged-backtrace></row>
      <row><sample-time ref="1"/><tagged-backtrace ref="2"/></row>
      <row><tagged-backtrace id="5"><frame ref="4"/></tagged-backtrace></row>
      <row><tagged-backtrace id="6"><backtrace id="7"/></tagged-backtrace></row>
      """)
    try export.read(FileBytes(bytes)) { row in
      #expect(row.table == .samples)
      stacks.append(export.frames(ofStack: row.stack ?? 0).map(\.address.rawValue))
    }
    #expect(stacks == [[0x10, 0x20], [0x10, 0x20], [0x20], []])
  }

  @Test func anAddressWithoutTextIsTakenFromItsFormat() throws {
    let rows = try rows(
      table(
        "virtual-memory",
        """
        <row><start-time>1</start-time><vm-op>Zero Fill</vm-op><address fmt="0x1F"></address></row>
        <row><start-time>\n 2 </start-time><address fmt="0x1f">-8</address><thread><tid>9</tid>
        <process fmt="A (3)"><pid>3</pid></process></thread></row>
        """))
    #expect(rows.map(\.address?.rawValue) == [0x1f, 0xffff_ffff_ffff_fff8])
    #expect(rows.map(\.nanoseconds) == [1, 2])
    #expect(rows[0].operation == Array("Zero Fill".utf8))
    #expect(rows[1].thread == 9 && rows[1].process?.number == 3)
  }

  @Test func aReferenceToAValueOfAnotherKindIsNoValue() throws {
    let rows = try rows(
      table(
        "time-profile",
        """
        <row><sample-time id="1">7</sample-time><backtrace ref="1"/></row>
        <row><sample-time ref="9"/><thread><tid ref="2"/></thread><process ref="1"/></row>
        <row><backtrace id="2"><frame ref="1"/></backtrace><sample-time ref="2"/></row>
        """))
    #expect(rows.map(\.nanoseconds) == [7, nil, nil])
    #expect(rows.map(\.process) == [nil, nil, nil])
    #expect(rows.map(\.stack) == [nil, nil, 0])
  }

  @Test(arguments: [
    ("<trace-query-result><node>", "missing the end of 2 open elements (at line 1)"),
    ("", "missing an element (at line 1)"),
    ("<a>\n<b></a>", "invalid XML: expected well-formed XML, found mismatched tag (at line 2)"),
    (
      "#!/bin/sh",
      "invalid XML: expected well-formed XML, found not well-formed (invalid token) (at line 1)"
    ),
    (
      "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>",
      "unsupported <!DOCTYPE: found a document type declaration (at line 1)"
    ),
    (
      "<trace-toc><run number='1'/></trace-toc>",
      "unsupported trace-toc: found a table of contents, expected an export with --xpath (at line 1)"
    ),
    (
      "<q><schema name='time-profile'/>\n\n<row><sample-time id='x'>",
      "invalid id: expected a decimal number, found 'x' (at line 3)"
    ),
    (
      "<q><schema name='time-profile'/><row><sample-time>12:30</sample-time>",
      "invalid sample-time: expected a decimal number, found other text (at line 1)"
    ),
    (
      "<q><frame addr='4096'/>",
      "invalid addr: expected 0x and hexadecimal digits, found '4096' (at line 1)"
    ),
    (
      String(repeating: "<a>", count: 300),
      "nesting too large: expected at most 256, found 257 (at line 1)"
    ),
  ])
  func whatIsNoExportIsSaidSo(text: String, message: String) {
    do {
      _ = try dump(Array(text.utf8))
      Issue.record("'\(text)' was read")
    } catch {
      #expect(error.description == message)
    }
  }

  /// The error comes after the 17th chunk of 1 MiB with every version of libexpat.
  @Test(arguments: [
    ("<q>", "<row fmt='", 3, 1), ("<q>\n<row fmt='>'/>", "<row fmt=\"'>", 18, 2),
    ("<q><!-- <a -->\n\n", "<!-- it's > ", 16, 3),
    ("<q><![CDATA[<]]>\n", "<?", 17, 2),
  ])
  func markupWithoutAnEndIsRefused(text: String, opening: String, position: Int, line: Int) {
    let bytes = Array((text + opening).utf8) + [UInt8](repeating: 0x61, count: 20 << 20)
    let message =
      "tag too large: expected at most 16777216, found \((17 << 20) - position) (at line \(line))"
    do {
      _ = try dump(bytes)
      Issue.record("\(opening) was read")
    } catch {
      #expect(error.position.rawValue == position && error.description == message, "\(error)")
    }
  }

  @Test(.needs(.time)) func aLongTextIsRead() throws {
    let value = String(repeating: "'a' > ]] ", count: 2 << 20)
    let text = "<q>'<![CDATA[\(value)]]>\(value)</q>"
    #expect(try dump(Array(text.utf8)) == dump(Array("<q></q>".utf8)))
  }

  /// libexpat may defer the tag until it has 18 MiB.
  @Test(.needs(.time)) func aLongTagWithAnEndIsRead() throws {
    let value = String(repeating: "a", count: 9 << 20)
    let text = "<q><a fmt='\(value)'/>" + String(repeating: "<b>\n</b>", count: 1_500_000) + "</q>"
    #expect(try dump(Array(text.utf8)) == dump(Array("<q></q>".utf8)))
  }
}

@Suite struct XctraceHostileTests {
  @Test(.needs(.time)) func everyPrefixThrows() throws {
    let whole = try fixture("xctrace/launch/input.xml")
    let boundaries =
      lineBoundaries(of: whole) + whole.indices.filter { whole[$0] == UInt8(ascii: ">") }
    for end in hostilePrefixLengths(of: whole, boundaries: boundaries)
    where end < whole.count - 1 {
      #expect(throws: ParseError.self) { try dump(Array(whole[..<end])) }
    }
  }

  @Test(.needs(.time)) func aFlippedByteThrowsOrParses() throws {
    let whole = try fixture("xctrace/launch/input.xml")
    for damaged in byteFlips(of: whole, count: 3000) { _ = try? dump(damaged) }
  }

  /// Only digits are changed, in ids, references and addresses, so that the file is still XML.
  @Test func aFlippedDigitThrowsOrParses() throws {
    let whole = try fixture("xctrace/launch/input.xml")
    var random = SeededRandom(seed: 3)
    for index in whole.indices where (0x30...0x39).contains(whole[index]) {
      var copy = whole
      copy[index] = UInt8.random(in: 0x30...0x39, using: &random)
      _ = try? dump(copy)
    }
  }
}
