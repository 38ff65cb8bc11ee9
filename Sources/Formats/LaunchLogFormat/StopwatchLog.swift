// Tables that a program writes itself, a line for each event:
//
//   main                  44    44
//   did finish launching  295   250
//
// The fields are the event, the milliseconds since the process began, and the milliseconds since the previous event,
// the delta. Rounding may change the delta by one. Tabs, at least two blanks, semicolons or commas separate the fields;
// names may contain single blanks. The delta may be missing, and the first line may be a title. A time that is smaller
// than the previous time begins another launch. A last line without a line feed may be cut off inside a number, and is
// left out.
//
// The splits of BLStopwatch are also read, in seconds since the previous split:
// `#1 didFinishLaunchingWithOptions: 0.123` (prettyPrintedSplits of github.com/beiliao-mobile/BLStopwatch). A logger
// may put its prefix before any line.

import Addresses
import ByteReading

enum StopwatchLog {
  private struct Line {
    var name: String
    var milliseconds: Double
    var delta: Double?
    var isSplit = false

    /// Whether the line looks like a split, in seconds, after text that is no known logger prefix.
    var mayBeSplit: Bool {
      guard !isSplit, delta == nil, name.hasSuffix(":"), milliseconds != milliseconds.rounded(),
        let mark = name.lastIndex(of: "#")
      else { return false }
      let number = name[mark...].dropFirst().prefix { $0.isNumber }
      return !number.isEmpty && name[number.endIndex...].first == " "
    }
  }

  /// - Throws: `missing` if the first lines are not a table; `invalid` with the line for a later line that is not a
  ///   part of a table.
  static func read(_ bytes: FileBytes) throws(ParseError) -> LaunchLog {
    var log = LaunchLog()
    var launch = LoggedLaunch(.stopwatch)
    var lines = LineScanner(bytes)
    var mayBeTitle = true
    var last: Line?
    while let range = lines.next() {
      guard range.count <= 8192 else { throw unknown(lines.lineNumber, range.lowerBound) }
      let text = LogPrefix.removed(from: bytes.text(range)[...]).drop {
        $0.isWhitespace || $0 == "\u{feff}"
      }
      guard !text.isEmpty else { continue }
      let isEnded = lines.position < bytes.count || bytes[bytes.count - 1] == UInt8(ascii: "\n")
      if !isEnded {
        guard last != nil else { throw unknown(lines.lineNumber, range.lowerBound) }
        log.warn("the last line has no line feed, so it may be incomplete: it is left out")
        break
      }
      guard var line = line(text) else {
        // A line without numbers is accepted as a title only at the beginning.
        guard mayBeTitle, !text.contains(where: \.isNumber) else {
          if last == nil { throw unknown(lines.lineNumber, range.lowerBound) }
          throw ParseError(
            .invalid(
              expected: "an event, milliseconds and a delta",
              found: "'\(text.prefix(60))'"), "stopwatch",
            at: FileOffset(rawValue: UInt64(range.lowerBound)),
            line: lines.lineNumber)
        }
        mayBeTitle = false
        continue
      }
      mayBeTitle = false
      guard !line.mayBeSplit, last.map({ $0.isSplit == line.isSplit }) ?? true else {
        throw ParseError(
          .invalid(
            expected:
              "one kind of lines, with each split (#1 NAME: SECONDS) at the start of its line",
            found: "'\(text.prefix(60))'"), "stopwatch",
          at: FileOffset(rawValue: UInt64(range.lowerBound)), line: lines.lineNumber)
      }
      let isFirstSplit = line.isSplit && line.name.hasPrefix("#1 ")
      if line.isSplit { line.milliseconds += isFirstSplit ? 0 : last?.milliseconds ?? 0 }
      if let last, isFirstSplit || line.milliseconds < last.milliseconds {
        try log.add(launch)
        launch.stages = []
      }
      if let delta = line.delta, let before = launch.stages.last?.nanoseconds {
        let computed = line.milliseconds - before / 1e6
        if abs(computed - delta) > 1.000_001 {
          log.warn(
            "line \(lines.lineNumber): the delta of '\(line.name)' is not the difference between its time and the time of the line before"
          )
        }
      }
      launch.stages.append(LoggedStage(line.name, nanoseconds: (line.milliseconds * 1e6).rounded()))
      last = line
    }
    guard !launch.stages.isEmpty else { throw unknown(1, 0) }
    try log.add(launch)
    return log
  }

  private static func line(_ text: Substring) -> Line? {
    if text.first == "#", let colon = text.lastIndex(of: ":"),
      let seconds = LogNumber.decimal(text[colon...].dropFirst().filter { $0 != " " && $0 != "\r" })
    {
      return Line(
        name: String(text[..<colon]), milliseconds: seconds * 1000, delta: nil, isSplit: true)
    }
    let fields = fields(text)
    guard (2...3).contains(fields.count), !fields[0].isEmpty else { return nil }
    let numbers = fields.dropFirst().map { LogNumber.decimal($0) }
    guard let milliseconds = numbers[0], numbers.allSatisfy({ $0 != nil }) else { return nil }
    return Line(
      name: fields[0], milliseconds: milliseconds, delta: numbers.count > 1 ? numbers[1] : nil)
  }

  private static func fields(_ text: Substring) -> [String] {
    func split(_ separator: Character) -> [String] {
      text.split(separator: separator, omittingEmptySubsequences: false).map {
        var field = $0
        while let first = field.first, first.isWhitespace || first == "\"" { field.removeFirst() }
        while let last = field.last, last.isWhitespace || last == "\"" { field.removeLast() }
        return String(field)
      }
    }
    for separator: Character in ["\t", ";"] where text.contains(separator) {
      let found = split(separator).filter { separator != "\t" || !$0.isEmpty }
      if (2...3).contains(found.count) { return found }
    }
    var words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    // A comma may separate fields or be a decimal comma: `a 1,5` and `a, 1, 5`.
    let isDecimal =
      words.last.map { LogNumber.decimal($0) != nil } ?? false
      && words.dropLast().allSatisfy { !$0.hasSuffix(",") }
    if !isDecimal, text.contains(",") {
      let found = split(",")
      if (2...3).contains(found.count) { return found }
    }
    var numbers: [String] = []
    while numbers.count < 2, words.count > 1, let word = words.last, LogNumber.decimal(word) != nil
    {
      numbers.insert(word, at: 0)
      words.removeLast()
    }
    let isAmbiguous =
      words.count > 1 && words.last.map { $0.contains(",") && $0.first?.isNumber ?? false } ?? false
    guard !isAmbiguous else { return [] }
    guard !numbers.isEmpty else { return [] }
    return [words.joined(separator: " ")] + numbers
  }

  private static func unknown(_ line: Int, _ position: Int) -> ParseError {
    ParseError(
      .missing,
      "a launch: dyld's or glibc's statistics, dyld's libraries, 'event ms delta', MetricKit's JSON, an xctrace export or a trace",
      at: FileOffset(rawValue: UInt64(position)), line: line)
  }
}
