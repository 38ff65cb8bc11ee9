import ByteReading
import JSON

/// A second in UTC, written as in RFC 3339: `2026-11-23T16:40:00Z`.
package struct HistoryTime: Hashable, Comparable, Sendable {
  /// The seconds since 1970, without leap seconds.
  package var seconds: Int

  /// - Precondition: the time is in the years 1970 to 9999.
  package init(seconds: Int) {
    precondition(Self.range.contains(seconds))
    self.seconds = seconds
  }

  private static let range = 0...253_402_300_799
  /// The latest time, 9999-12-31T23:59:59Z.
  package static let latest = HistoryTime(seconds: range.upperBound)
  private static let secondsPerDay = 86_400

  package static func < (a: Self, b: Self) -> Bool { a.seconds < b.seconds }

  /// Reads seconds since 1970, or a time as `git show --format=%cI` writes it: `2026-11-23T17:40:00+01:00`.
  ///
  /// - Returns: `nil` for other text, and for times outside the years 1970 to 9999.
  package init?(_ text: String) {
    if let seconds = Int(text), Self.range.contains(seconds), !text.hasPrefix("+") {
      self.seconds = seconds
      return
    }
    // The time is read without a regular expression, which would take a hundred times as long: a history has a time on
    // each line.
    var reader = TimeReader(text)
    guard let year = reader.number(digits: 4), reader.skip("-"),
      let month = reader.number(digits: 2), reader.skip("-"),
      let day = reader.number(digits: 2), reader.skip("Tt "),
      let hour = reader.number(digits: 2), reader.skip(":"),
      let minute = reader.number(digits: 2), reader.skip(":"),
      let second = reader.number(digits: 2), let offset = reader.offset(), reader.isAtEnd,
      (1...12).contains(month), hour < 24, minute < 60, second < 60,
      (1...Self.length(ofMonth: month, year)).contains(day)
    else { return nil }
    let seconds =
      Self.days(year, month, day) * Self.secondsPerDay + hour * 3600 + minute * 60 + second - offset
    guard Self.range.contains(seconds) else { return nil }
    self.seconds = seconds
  }

  private static func isLeap(_ year: Int) -> Bool {
    year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
  }

  private static func length(ofMonth month: Int, _ year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Returns the days from 1970-01-01, in the Gregorian calendar.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let last = year - 1
    let days = last * 365 + last / 4 - last / 100 + last / 400 - 719_162
    return days + (1..<month).reduce(day - 1) { $0 + length(ofMonth: $1, year) }
  }
}

/// Reads the parts of a written time, from the year to the offset from UTC.
private struct TimeReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { place == bytes.count }

  /// Reads a number of exactly `digits` digits.
  mutating func number(digits: Int) -> Int? {
    guard bytes.count - place >= digits else { return nil }
    var number = 0
    for byte in bytes[place..<place + digits] {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      number = number * 10 + Int(byte - UInt8(ascii: "0"))
    }
    place += digits
    return number
  }

  /// Skips the next character if it is one of `characters`; returns whether it is.
  mutating func skip(_ characters: String) -> Bool {
    guard place < bytes.count, characters.utf8.contains(bytes[place]) else { return false }
    place += 1
    return true
  }

  /// Reads the offset from UTC, which is `Z`, or a sign with hours and minutes. Returns the offset in seconds.
  mutating func offset() -> Int? {
    if skip("Zz") { return 0 }
    let isNegative = skip("-")
    guard isNegative || skip("+"), let hours = number(digits: 2) else { return nil }
    _ = skip(":")
    guard let minutes = number(digits: 2), hours < 24, minutes < 60 else { return nil }
    return (isNegative ? -1 : 1) * (hours * 3600 + minutes * 60)
  }
}

extension HistoryTime: CustomStringConvertible {
  package var description: String {
    let days = seconds / Self.secondsPerDay
    // Because leap days are ignored here, the year may be too high, and is corrected below.
    var year = 1970 + days / 365
    while Self.days(year, 1, 1) > days { year -= 1 }
    var (month, day) = (1, days - Self.days(year, 1, 1))
    while day >= Self.length(ofMonth: month, year) {
      day -= Self.length(ofMonth: month, year)
      month += 1
    }
    let second = seconds % Self.secondsPerDay
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(year)-\(two(month))-\(two(day + 1))"
      + "T\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))Z"
  }
}

extension HistoryTime: JSONValue, JSONReadable {
  package func write(to json: inout JSONWriter) { description.write(to: &json) }

  package init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    let start = cursor.nextPosition
    let text = try String(parsing: &cursor, field)
    guard let time = HistoryTime(text) else {
      throw ParseError(
        .invalid(expected: "a time such as 2026-11-23T16:40:00Z", found: "'\(text.prefix(40))'"),
        field, at: start)
    }
    self = time
  }
}
