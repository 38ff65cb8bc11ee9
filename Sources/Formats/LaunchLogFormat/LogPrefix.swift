// The prefixes that loggers put before each line of a program or a loader:
//
//     2020-05-12 10:11:12.123456+0800 App[312:4711] text            NSLog
//     2020-05-12 10:11:12.123456+0800 mac App[312]: (Lib) text      log show --style syslog
//     2020-05-12 10:11:12.123 Df App[312:4711] [area:kind] text     log show --style compact
//     May 12 10:11:12 iPhone App[312] <Notice>: text                syslogd, idevicesyslog, Console
//     2020-05-12T10:11:12+0200 host App[312]: text                  journalctl
//
// A prefix begins with a date and a time. It ends after the process number, or after the logger's tags that follow.
// dyld's own beginning of a line, `dyld[312]: text`, is not a prefix.

import ByteReading

enum LogPrefix {
  /// Returns `line` without its prefix and the blanks before it; `line` itself if it has no prefix.
  static func removed(from line: Substring) -> Substring {
    let text = line.drop { $0 == " " || $0 == "\t" || $0 == "\u{feff}" }
    guard let first = text.utf8.first, first < 0x80, first != UInt8(ascii: "#"),
      var rest = withoutTime(text)
    else { return line }
    guard let (name, behind) = process(in: rest) else { return line }
    if let last = name.last, last == "dyld" || last == "dyld_sim" {
      return rest[last.startIndex...]
    }
    rest = behind
    if rest.first == ":" { rest.removeFirst() }
    rest = rest.drop { $0 == " " }
    // Some loggers add `<Notice>:`, `(Library)` or `[area:kind]`.
    for (open, close) in [("<", ">"), ("(", ")"), ("[", "]")] as [(Character, Character)]
    where rest.first == open {
      guard let end = rest.prefix(mostCharacters).firstIndex(of: close) else { continue }
      rest = rest[end...].dropFirst()
      if rest.first == ":" { rest.removeFirst() }
      rest = rest.drop { $0 == " " }
    }
    return rest
  }

  /// The number of characters in which a host and a process name, or a tag, are searched.
  private static let mostCharacters = 200

  /// Returns the words before the first process number in brackets, and the text after the brackets.
  private static func process(in text: Substring) -> (words: [Substring], rest: Substring)? {
    let beginning = text.prefix(mostCharacters)
    var start = beginning.startIndex
    while let open = beginning[start...].firstIndex(of: "[") {
      let inside = beginning[open...].dropFirst()
      guard let close = inside.firstIndex(of: "]") else { return nil }
      let number = inside[..<close]
      if number.first?.isNumber ?? false, number.allSatisfy({ $0.isHexDigit || $0 == ":" }) {
        let words = beginning[..<open].split(separator: " ")
        return words.isEmpty ? nil : (words, text[close...].dropFirst())
      }
      start = close
    }
    return nil
  }

  /// Returns the text after a date and a time; `nil` if `text` does not begin with them.
  private static func withoutTime(_ text: Substring) -> Substring? {
    guard
      let time = removing("0000-00-00T00:00:00", from: text)
        ?? removing("0000-00-00 00:00:00", from: text)
        ?? removing("Aaa 00 00:00:00", from: text) ?? removing("Aaa  0 00:00:00", from: text)
        ?? removing("Aaa 0 00:00:00", from: text)
    else { return nil }
    // The fraction and the time zone after the time are skipped.
    let rest = time.drop { $0 != " " && (".,+-Z:".contains($0) || $0.isNumber) }
    guard rest.first == " " else { return nil }
    return rest.drop { $0 == " " }
  }

  /// Removes a match of `pattern` from the beginning; `nil` if the beginning does not match. `A` and `a` match any
  /// letter, and `0` any digit.
  private static func removing(_ pattern: String, from text: Substring) -> Substring? {
    var rest = text
    for mark in pattern {
      guard let character = rest.popFirst(), character.isASCII else { return nil }
      switch mark {
      case "0": guard character.isNumber else { return nil }
      case "A", "a": guard character.isLetter else { return nil }
      case "T": guard character == "T" else { return nil }
      default: guard character == mark else { return nil }
      }
    }
    return rest
  }
}
