// What loggers put before each line that a program or a loader prints:
//
//     2020-05-12 10:11:12.123456+0800 App[312:4711] text            NSLog
//     2020-05-12 10:11:12.123456+0800 mac App[312]: (Lib) text      log show --style syslog
//     2020-05-12 10:11:12.123 Df App[312:4711] [area:kind] text     log show --style compact
//     May 12 10:11:12 iPhone App[312] <Notice>: text                syslogd, idevicesyslog, Console
//     2020-05-12T10:11:12+0200 host App[312]: text                  journalctl
//
// It begins with a date and a time, and ends behind the number of the process. dyld puts its own name and process before
// its lines, `dyld[312]: text`: these are no prefix.

import ByteReading

enum LogPrefix {
  /// The line without the prefix; the line itself if it has none. Blanks at its beginning are left out.
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
    // `<Notice>:`, `(Library)` and `[area:kind]` of some loggers.
    for (open, close) in [("<", ">"), ("(", ")"), ("[", "]")] as [(Character, Character)]
    where rest.first == open {
      guard let end = rest.prefix(mostBytes).firstIndex(of: close) else { continue }
      rest = rest[end...].dropFirst()
      if rest.first == ":" { rest.removeFirst() }
      rest = rest.drop { $0 == " " }
    }
    return rest
  }

  /// No date, host and name of a process are longer.
  private static let mostBytes = 200

  /// The words before the first number of a process in brackets, and what follows these.
  private static func process(in text: Substring) -> (words: [Substring], rest: Substring)? {
    let beginning = text.prefix(mostBytes)
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

  /// What follows a date and a time at the beginning of `text`; `nil` if there are none.
  private static func withoutTime(_ text: Substring) -> Substring? {
    guard
      let time = removing("0000-00-00T00:00:00", from: text)
        ?? removing("0000-00-00 00:00:00", from: text)
        ?? removing("Aaa 00 00:00:00", from: text) ?? removing("Aaa  0 00:00:00", from: text)
        ?? removing("Aaa 0 00:00:00", from: text)
    else { return nil }
    // A fraction and a time zone.
    let rest = time.drop { $0 != " " && (".,+-Z:".contains($0) || $0.isNumber) }
    guard rest.first == " " else { return nil }
    return rest.drop { $0 == " " }
  }

  /// Removes what looks like `pattern`, in which a letter stands for any and `0` for a digit.
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
