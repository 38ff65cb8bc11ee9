// A script, as people write it:
//
//     # Opens a file, goes to its end, and quits.
//     wait "notes.txt"
//     type "G" Ctrl-F
//     wait quiet within 5
//     type Esc ":q!" Enter
//     wait end
//
// The grammar is in docs/how-to/LAUNCHES.md. A line has one step, so errors state a line and a column.

import Addresses
import ByteReading
import ImageModel
import ProcessLaunch
import Rendering

extension TerminalScript {
  /// - Throws: if the file can't be read or is not a script.
  package init(at path: String) throws(Diagnostic) {
    let bytes = try InputFile.bytes(path)
    do { try self.init(parsing: bytes, path: path) } catch {
      throw Diagnostic("\(error)", context: [path])
    }
  }

  /// The largest number of steps in a script, and of bytes in its file: far more than anybody types.
  static let mostSteps = 10_000
  static let mostBytes = 1 << 20

  /// - Complexity: O(*n*) for a script of *n* bytes.
  package init(parsing bytes: FileBytes, path: String) throws(ParseError) {
    guard bytes.count <= Self.mostBytes else {
      throw ParseError(
        .tooLarge(limit: UInt64(Self.mostBytes), found: UInt64(bytes.count)), "script",
        at: FileOffset(rawValue: 0))
    }
    self.init(path: path, steps: [])
    var (start, number) = (0, 1)
    var isFirst = true
    while start < bytes.count {
      let end = bytes.firstIndex(of: UInt8(ascii: "\n"), in: start..<bytes.count) ?? bytes.count
      var line = ScriptLine(bytes.copy(start..<end), number: number, offset: start)
      if try !line.isBlank() {
        if let last = steps.last, last.action == .ready {
          throw line.invalid(
            "line", expected: "no line after 'ready', which ends the launch", at: 0)
        }
        let action = try line.action()
        if case .resize(let size) = action, isFirst {
          self.size = size
        } else {
          steps.append(Step(line: number, action))
        }
        isFirst = false
        guard steps.count <= Self.mostSteps else {
          throw ParseError(
            .tooLarge(limit: UInt64(Self.mostSteps), found: UInt64(steps.count)), "script",
            at: FileOffset(rawValue: UInt64(start)), line: number)
        }
      }
      (start, number) = (end + 1, number + 1)
    }
    guard !steps.isEmpty else {
      throw ParseError(
        .invalid(expected: "a line such as 'wait \"TEXT\"'", found: "none"), "script",
        at: FileOffset(rawValue: 0), line: 1)
    }
  }
}

/// Reads one line of a script.
private struct ScriptLine {
  private let bytes: [UInt8]
  private let number: Int
  private let offset: Int
  private var index = 0

  init(_ bytes: [UInt8], number: Int, offset: Int) {
    self.bytes = bytes.last == UInt8(ascii: "\r") ? Array(bytes.dropLast()) : bytes
    self.number = number
    self.offset = offset
  }

  /// Returns whether the line has no step, and skips the blanks before the step.
  mutating func isBlank() throws(ParseError) -> Bool {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw ParseError(
        .invalid(expected: "UTF-8", found: "other bytes"), "line",
        at: FileOffset(rawValue: UInt64(offset)), line: number)
    }
    skipBlanks()
    return isAtEnd
  }

  private static let steps = ["wait", "type", "resize", "ready"]
  private static let events = ["quiet", "end"]

  mutating func action() throws(ParseError) -> TerminalScript.Action {
    let start = index
    let name = word()
    let action: TerminalScript.Action
    switch name {
    case "wait":
      let event = try event()
      action = .wait(event, seconds: try limit())
    case "type": action = .type(try keys())
    case "resize": action = .resize(try size())
    case "ready": action = .ready
    default: throw invalid("step", expected: Self.list(Self.steps), of: Self.steps, at: start)
    }
    guard isAtEnd else { throw invalid("line", expected: "its end", at: index) }
    return action
  }

  private mutating func event() throws(ParseError) -> TerminalScript.Event {
    let start = index
    if !isAtEnd, bytes[index] == UInt8(ascii: "\"") {
      let text = try text(most: 255)
      guard !text.isEmpty else { throw invalid("text", expected: "a character", at: start) }
      return .text(text)
    }
    switch word() {
    case "quiet": return .quiet
    case "end": return .end
    default:
      throw invalid(
        "event", expected: "a text in quotes, quiet or end", of: Self.events, at: start)
    }
  }

  /// Reads `within SECONDS` if the line has these words; otherwise returns the usual time limit.
  private mutating func limit() throws(ParseError) -> Double {
    if isAtEnd { return TerminalScript.usualLimit }
    let start = index
    guard word() == "within" else {
      throw invalid("limit", expected: "'within SECONDS'", of: ["within"], at: start)
    }
    let place = index
    let text = word()
    guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
      let seconds = Double(text), seconds > 0, seconds <= 86_400
    else {
      throw invalid("limit", expected: "seconds above 0, at most 86400", at: place)
    }
    return seconds
  }

  private mutating func size() throws(ParseError) -> TerminalScript.Size {
    let start = index
    let parts = word().split(separator: "x", omittingEmptySubsequences: false).map { part in
      part.allSatisfy { $0.isASCII && $0.isNumber } ? Int(part) ?? 0 : 0
    }
    guard parts.count == 2, (1...500).contains(parts[0]), (1...200).contains(parts[1]) else {
      throw invalid(
        "size", expected: "columns and rows, such as 80x24, at most 500x200", at: start)
    }
    return TerminalScript.Size(columns: parts[0], rows: parts[1])
  }

  private static let mostTyped = 4096

  private mutating func keys() throws(ParseError) -> [TerminalScript.Key] {
    let start = index
    var keys: [TerminalScript.Key] = []
    var count = 0
    repeat {
      let key = try key()
      keys.append(key)
      if case .bytes(let bytes) = key { count += bytes.count } else { count += 3 }
      guard count <= Self.mostTyped else {
        throw invalid("text", expected: "at most \(Self.mostTyped) bytes in one line", at: start)
      }
    } while !isAtEnd
    return keys
  }

  private mutating func key() throws(ParseError) -> TerminalScript.Key {
    if !isAtEnd, bytes[index] == UInt8(ascii: "\"") {
      return .bytes(Array(try text(most: Self.mostTyped).utf8))
    }
    let start = index
    let name = word()
    if let key = Self.named[name] { return key }
    if let key = Self.modified(name) { return key }
    throw invalid(
      "key", expected: "a text in quotes, or a key such as Enter, Esc, Up or Ctrl-C",
      of: Self.names, at: start)
  }

  /// The names of keys, each with the bytes that an xterm sends for the key.
  private static let keys: [(name: String, key: TerminalScript.Key)] =
    [
      ("Enter", .bytes([13])), ("Esc", .bytes([27])), ("Tab", .bytes([9])),
      ("Backspace", .bytes([127])), ("Space", .bytes([32])), ("Delete", sequence("3~")),
      ("Insert", sequence("2~")), ("PageUp", sequence("5~")), ("PageDown", sequence("6~")),
      ("Up", .cursor(0x41)), ("Down", .cursor(0x42)), ("Right", .cursor(0x43)),
      ("Left", .cursor(0x44)), ("Home", .cursor(0x48)), ("End", .cursor(0x46)),
    ]
    + ["P", "Q", "R", "S"].enumerated().map { ("F\($0 + 1)", .bytes([27] + Array("O\($1)".utf8))) }
    + [15, 17, 18, 19, 20, 21, 23, 24].enumerated().map { ("F\($0 + 5)", sequence("\($1)~")) }
  private static let named = Dictionary(keys.map { ($0.name, $0.key) }) { first, _ in first }
  private static let names = keys.map(\.name)

  private static func sequence(_ text: String) -> TerminalScript.Key {
    .bytes([27] + Array("[\(text)".utf8))
  }

  /// Returns the key for a name with a modifier: `Ctrl-C`, `Ctrl-Space`, `Alt-x`.
  private static func modified(_ name: String) -> TerminalScript.Key? {
    let bytes = Array(name.utf8)
    if name == "Ctrl-Space" { return .bytes([0]) }
    guard let last = bytes.last, (0x21..<0x7f).contains(last) else { return nil }
    if bytes.dropLast() == Array("Alt-".utf8)[...] { return .bytes([27, last]) }
    guard bytes.dropLast() == Array("Ctrl-".utf8)[...] else { return nil }
    let letter = last >= 0x61 && last <= 0x7a ? last - 0x20 : last
    return (0x40...0x5f).contains(letter) ? .bytes([letter - 0x40]) : nil
  }

  /// Reads a text in quotes, in which `\"` and `\\` are the characters after the backslash.
  private mutating func text(most: Int) throws(ParseError) -> String {
    let start = index
    index += 1
    var text: [UInt8] = []
    while true {
      guard index < bytes.count else {
        throw invalid("text", expected: "a quote at its end", at: start)
      }
      var byte = bytes[index]
      if byte == UInt8(ascii: "\"") { break }
      if byte < 32 || byte == 127 {
        throw invalid("text", expected: "no control character: name a key, such as Tab", at: index)
      }
      if byte == UInt8(ascii: "\\") {
        index += 1
        byte = index < bytes.count ? bytes[index] : 0
        guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
          throw invalid(
            "text", expected: #"\" or \\ (keys such as Enter are words)"#, at: index - 1)
        }
      }
      text.append(byte)
      index += 1
    }
    index += 1
    guard text.count <= most else {
      throw invalid("text", expected: "at most \(most) bytes", at: start)
    }
    guard isAtEnd || isBlank(bytes[index]) || bytes[index] == UInt8(ascii: "#") else {
      throw invalid("line", expected: "a blank after the text", at: index)
    }
    skipBlanks()
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads the next word of the line, and skips the blanks after it.
  private mutating func word() -> String {
    let start = index
    while index < bytes.count, !isBlank(bytes[index]) { index += 1 }
    let word = String(decoding: bytes[start..<index], as: UTF8.self)
    skipBlanks()
    return word
  }

  private func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

  /// Skips blanks, and a comment after them.
  private mutating func skipBlanks() {
    while index < bytes.count, isBlank(bytes[index]) { index += 1 }
    if index < bytes.count, bytes[index] == UInt8(ascii: "#") { index = bytes.count }
  }

  private var isAtEnd: Bool { index >= bytes.count }

  private static func list(_ names: [String]) -> String {
    names.dropLast().joined(separator: ", ") + " or \(names[names.count - 1])"
  }

  /// - Parameters:
  ///   - names: the words that the user may have meant.
  ///   - place: the index of the wrong word in the line.
  func invalid(
    _ field: String, expected: String, of names: [String] = [], at place: Int
  ) -> ParseError {
    let rest = bytes[min(place, bytes.count)...]
    let first = rest.prefix { !isBlank($0) }
    let word = String(decoding: (first.isEmpty ? rest : first).prefix(40), as: UTF8.self)
    let suggestion = closestName(to: word, of: names).map { ", did you mean '\($0)'?" } ?? ""
    return ParseError(
      .invalid(
        expected: expected,
        found: rest.isEmpty ? "the end of the line" : "'\(printable(word))'\(suggestion)"),
      field, at: FileOffset(rawValue: UInt64(offset + place)), line: number, column: place + 1)
  }
}
