// The launches in a profile of LLVM, in its text form (`.proftext`).
//
// A build with -fprofile-generate and -mllvm -pgo-temporal-instrumentation (clang 20 and later: -ftemporal-profile) notes
// when each function runs first. Each run of the program writes a raw profile with one trace: the functions in this
// order. `llvm-profdata merge` collects the traces of several runs.
//
//     :ir
//     :temporal_prof_traces
//     # Num Temporal Profile Traces:
//     2
//     # Temporal Profile Trace Stream Size:
//     7
//     # Weight:
//     1
//     main,app/load.c;row,_ZN3app4openEv,
//     # Weight:
//     3
//     main,
//     main                         records of functions follow, with counters
//
// Empty lines and lines that begin with `#` are skipped. A local function has the path of its source file before its
// name, with `;` between them, or `:` from LLVM 17 (`app/load.c:row`). The stream size is the number of traces that
// were merged; a random sample of them is kept. When profiles are merged, `--temporal-profile-max-trace-length` limits
// the number of functions of a trace.
// <https://github.com/llvm/llvm-project/blob/main/llvm/lib/ProfileData/InstrProfReader.cpp>
// (`TextInstrProfReader::readTemporalProfTraceData`)

import Addresses
import ByteReading

/// The traces of a profile. It refers to the bytes that it was read from, so it is small even if they contain many
/// names.
package struct TemporalProfile: Sendable {
  /// The functions that one run of the program used, in the order of their first uses.
  package struct Trace: Sendable {
    /// The weight of the trace: the number of traces that it counts as.
    package var weight: UInt64
    /// The number of the trace's line, from 1.
    package var line: Int
    fileprivate var names: Range<Int>
  }

  /// The name of a function.
  package struct Name: Sendable {
    /// The range of the symbol, without Mach-O's underscore.
    package var symbol: Range<Int>
    /// The path of the source file of a local function; `nil` for other functions.
    package var file: Range<Int>?
  }

  package let bytes: FileBytes
  package private(set) var traces: [Trace] = []
  /// The number of traces that were merged; `traces` may be a sample of them.
  package private(set) var streamSize: UInt64 = 0

  /// - Throws: `missing` for a file without such traces; `invalid` or `truncated` for damaged traces.
  /// - Complexity: O(*n*) for *n* bytes up to the end of the last trace.
  package init(parsing bytes: FileBytes) throws(ParseError) {
    self.bytes = bytes
    var lines = ProfileLines(bytes)
    while let header = lines.next(), bytes[header.lowerBound] == UInt8(ascii: ":") {
      guard bytes.text(header).lowercased() == Self.title else { continue }
      let count = try lines.number("Num Temporal Profile Traces")
      streamSize = try lines.number("Temporal Profile Trace Stream Size")
      var read: UInt64 = 0
      while read < count {
        let weight = try lines.number("Weight")
        let names = try lines.required("temporal profile trace")
        traces.append(Trace(weight: weight, line: lines.lineNumber, names: names))
        read += 1
      }
      return
    }
    throw ParseError(
      .missing, Self.title, at: FileOffset(rawValue: 0), line: max(1, lines.lineNumber))
  }

  private static let title = ":temporal_prof_traces"

  /// The names of `trace`, in their order. A function may be named more than once.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  package func forEachName(of trace: Trace, _ body: (Name) -> Void) {
    var rest = trace.names
    while !rest.isEmpty {
      let end = bytes.firstIndex(of: UInt8(ascii: ","), in: rest) ?? rest.upperBound
      let text = trimmed(rest.lowerBound..<end)
      rest = min(end + 1, rest.upperBound)..<rest.upperBound
      guard !text.isEmpty else { continue }
      let delimiter = bytes.firstIndex(of: UInt8(ascii: ";"), in: text)
      if let delimiter, delimiter + 1 < text.upperBound {
        body(
          Name(symbol: delimiter + 1..<text.upperBound, file: text.lowerBound..<delimiter))
      } else {
        body(Name(symbol: text, file: nil))
      }
    }
  }

  /// Splits a name into file and function, as LLVM 17 joins them for a local function; `nil` if the name
  /// can't have a file. A `:` does not prove a file: Objective-C selectors and Kotlin functions have
  /// colons, too.
  package func olderForm(of name: Name) -> Name? {
    guard name.file == nil else { return nil }
    let text = name.symbol
    func isMethod(_ colon: Int) -> Bool {
      colon + 2 < text.upperBound && bytes[colon + 2] == UInt8(ascii: "[")
        && (bytes[colon + 1] == UInt8(ascii: "-") || bytes[colon + 1] == UInt8(ascii: "+"))
    }
    let colons = text.filter { bytes[$0] == UInt8(ascii: ":") }
    guard let colon = colons.first(where: isMethod) ?? colons.last, colon > text.lowerBound,
      colon + 1 < text.upperBound
    else { return nil }
    return Name(symbol: colon + 1..<text.upperBound, file: text.lowerBound..<colon)
  }

  private func trimmed(_ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, isBlank(bytes[start]) { start += 1 }
    while start < end, isBlank(bytes[end - 1]) { end -= 1 }
    return start..<end
  }
}

private func isBlank(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
}

/// The lines that are neither empty nor comments.
private struct ProfileLines {
  private var scanner: LineScanner
  var lineNumber: Int { scanner.lineNumber }

  init(_ bytes: FileBytes) { scanner = LineScanner(bytes) }

  mutating func next() -> Range<Int>? {
    while let line = scanner.next() {
      if !line.isEmpty, scanner.bytes[line.lowerBound] != UInt8(ascii: "#") { return line }
    }
    return nil
  }

  mutating func required(_ field: String) throws(ParseError) -> Range<Int> {
    guard let line = next() else {
      throw ParseError(
        .truncated(needed: 1, found: 0), field, at: FileOffset(rawValue: UInt64(scanner.position)),
        line: lineNumber + 1)
    }
    return line
  }

  mutating func number(_ field: String) throws(ParseError) -> UInt64 {
    let line = try required(field)
    guard line.count <= 20, let number = UInt64(scanner.bytes.text(line)) else {
      throw ParseError(
        .invalid(
          expected: "a number",
          found:
            "'\(scanner.bytes.text(line.lowerBound..<min(line.upperBound, line.lowerBound + 40)))'"),
        field, at: FileOffset(rawValue: UInt64(line.lowerBound)), line: lineNumber)
    }
    return number
  }
}
