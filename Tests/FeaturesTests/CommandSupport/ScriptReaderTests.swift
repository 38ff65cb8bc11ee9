import ByteReading
import CommandSupport
import ProcessLaunch
import TestSupport
import Testing

/// The scripts of `--script`.
@Suite struct ScriptReaderTests {
  private static func read(_ text: String) throws(ParseError) -> TerminalScript {
    try TerminalScript(parsing: FileBytes(Array(text.utf8)), path: "a.script")
  }

  private static let example = """
    resize 100x30   # the size at the start
    # A comment.

    wait "say \\"x\\" \\\\ # no comment"
    \ttype "G" Ctrl-F "a b"  Enter # another
    wait quiet within 2.5
    resize 80x24
    type Up F1 F12 Alt-x Ctrl-[ Ctrl-Space
    wait end within 90
    """

  @Test func aLineIsAStep() throws {
    let script = try Self.read(Self.example)
    #expect(script.size == .init(columns: 100, rows: 30) && !script.hasReady)
    #expect(
      script.steps == [
        .init(line: 4, .wait(.text(#"say "x" \ # no comment"#), seconds: 30)),
        .init(
          line: 5,
          .type([.bytes([0x47]), .bytes([6]), .bytes(Array("a b".utf8)), .bytes([13])])),
        .init(line: 6, .wait(.quiet, seconds: 2.5)),
        .init(line: 7, .resize(.usual)),
        .init(
          line: 8,
          .type([
            .cursor(0x41), .bytes([27, 0x4f, 0x50]), .bytes([27] + Array("[24~".utf8)),
            .bytes([27, 0x78]), .bytes([27]), .bytes([0]),
          ])),
        .init(line: 9, .wait(.end, seconds: 90)),
      ])
    #expect(try Self.read("wait \"x\"\r\nready\r\n").hasReady)
  }

  @Test(
    arguments: [
      ("", "invalid script: expected a line such as 'wait \"TEXT\"', found none (at line 1)"),
      (
        "# nothing\n",
        "invalid script: expected a line such as 'wait \"TEXT\"', found none (at line 1)"
      ),
      (
        "wiat end",
        "invalid step: expected wait, type, resize or ready, found 'wiat', did you mean 'wait'? (at line 1, column 1)"
      ),
      (
        "wait",
        "invalid event: expected a text in quotes, quiet or end, found the end of the line (at line 1, column 5)"
      ),
      (
        "wait x",
        "invalid event: expected a text in quotes, quiet or end, found 'x' (at line 1, column 6)"
      ),
      ("wait \"\"", "invalid text: expected a character, found '\"\"' (at line 1, column 6)"),
      ("wait \"x", "invalid text: expected a quote at its end, found '\"x' (at line 1, column 6)"),
      (
        "wait \"x\"y",
        "invalid line: expected a blank after the text, found 'y' (at line 1, column 9)"
      ),
      (
        "wait \"x\" withn 3",
        "invalid limit: expected 'within SECONDS', found 'withn', did you mean 'within'? (at line 1, column 10)"
      ),
      (
        "wait \"x\" within -1",
        "invalid limit: expected seconds above 0, at most 86400, found '-1' (at line 1, column 17)"
      ),
      (
        "wait end within 0",
        "invalid limit: expected seconds above 0, at most 86400, found '0' (at line 1, column 17)"
      ),
      (
        "wait end within 5 x", "invalid line: expected its end, found 'x' (at line 1, column 19)"
      ),
      (
        "\ntype Entr",
        "invalid key: expected a text in quotes, or a key such as Enter, Esc, Up or Ctrl-C, found 'Entr', did you mean 'Enter'? (at line 2, column 6)"
      ),
      (
        "type",
        "invalid key: expected a text in quotes, or a key such as Enter, Esc, Up or Ctrl-C, found the end of the line (at line 1, column 5)"
      ),
      (
        "type Ctrl-1",
        "invalid key: expected a text in quotes, or a key such as Enter, Esc, Up or Ctrl-C, found 'Ctrl-1' (at line 1, column 6)"
      ),
      (
        #"type "\n""#,
        #"invalid text: expected \" or \\ (keys such as Enter are words), found '\n"' (at line 1, column 7)"#
      ),
      (
        "type \"a\tb\"",
        "invalid text: expected no control character: name a key, such as Tab, found '\\tb\"' (at line 1, column 8)"
      ),
      (
        "resize 80",
        "invalid size: expected columns and rows, such as 80x24, at most 500x200, found '80' (at line 1, column 8)"
      ),
      (
        "resize 501x24",
        "invalid size: expected columns and rows, such as 80x24, at most 500x200, found '501x24' (at line 1, column 8)"
      ),
      (
        "ready\nwait end",
        "invalid line: expected no line after 'ready', which ends the launch, found 'wait' (at line 2, column 1)"
      ),
      ("ready now", "invalid line: expected its end, found 'now' (at line 1, column 7)"),
    ])
  func anythingElseIsAnErrorWithItsPlace(text: String, message: String) {
    let error = #expect(throws: ParseError.self) { try Self.read(text) }
    #expect("\(error.map { "\($0)" } ?? "")" == message)
  }

  @Test func otherBytesAreAnError() {
    let error = #expect(throws: ParseError.self) {
      try TerminalScript(
        parsing: FileBytes(Array("ready".utf8) + [10, 0xff]), path: "a.script")
    }
    #expect(
      "\(error.map { "\($0)" } ?? "")"
        == "invalid line: expected UTF-8, found other bytes (at line 2)")
  }

  @Test func aScriptIsBounded() {
    let long = String(repeating: "wait quiet\n", count: 10_001)
    #expect(throws: ParseError.self) { try Self.read(long) }
    #expect(throws: ParseError.self) {
      try Self.read("wait \"\(String(repeating: "x", count: 256))\"")
    }
    #expect(throws: ParseError.self) {
      try Self.read("type \"\(String(repeating: "x", count: 4097))\"")
    }
    #expect(throws: ParseError.self) { try Self.read(String(repeating: "#\n", count: 1 << 20)) }
  }

  @Test func damagedScriptsAreReadOrRefused() {
    let good = Array(Self.example.utf8)
    for length in hostilePrefixLengths(of: good) {
      _ = try? TerminalScript(parsing: FileBytes(Array(good[..<length])), path: "")
    }
    for bytes in byteFlips(of: good) {
      _ = try? TerminalScript(parsing: FileBytes(bytes), path: "")
    }
  }
}
