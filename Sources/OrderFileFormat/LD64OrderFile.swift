// ld64's order files: `-order_file` of ld64, of its successor in Xcode 15 (`ld`), and of LLVM's ld64.lld.
//
// A line is `architecture:object:symbol`. The first two parts are optional, and nothing but their spelling
// tells them from the symbol:
//
//     _main                       that function
//     -[Foo bar:with:]            names may hold blanks and colons
//     leaf.o:_helper              the local function of that object file
//     libx.a(leaf.o):_helper      the same of a member of an archive; `leaf.o:` does not find it
//     arm64:_main                 in this architecture alone, arm64e included
//     CSTR;1956311786             a string literal by its hash; LLD 21 and later
//     "some text"                 a string literal as ld's manual page has it; no linker moves it
//
// What follows a `#` anywhere is a comment. The object file is what ends at the first `.o:`, or else at the
// first `.o):`, and is compared with the last component of the path: a path never matches.
//
// Where the linkers differ:
//
// - Of two lines for one function ld64 takes the last, ld64.lld the first. So none is written twice, and a
//   check goes by ld64.lld's rule.
// - A symbol that several object files define: ld64.lld moves all of that name, ld64 the first.
// - Of a symbol that is listed for several object files Apple's linker of Xcode 15 and later is reported to
//   order none: <https://github.com/getsentry/FaultOrdering>. No other spelling tells them apart, and the
//   other two linkers do as they are told.
// - `f.llvm.1` is called `f` by ld64, and by LLD 21 and later on both sides of the comparison.
//
// <https://github.com/apple-oss-distributions/ld64/blob/ld64-956.6/src/ld/Options.cpp> (`parseOrderFile`),
// <https://github.com/apple-oss-distributions/ld64/blob/ld64-956.6/src/ld/passes/order.cpp>,
// <https://github.com/llvm/llvm-project/blob/main/lld/MachO/SectionPriorities.cpp> (`parseOrderFile`)

import Addresses
import ByteReading
import ImageModel

extension OrderFileDialect {
  /// The order files of the linkers that write Mach-O images.
  package static let ld64 = OrderFileDialect(
    name: "ld64", imageFormat: .machO, namesSections: false, lastDuplicateWins: false,
    reader: readLD64, writer: writeLD64, recognizes: looksLikeLD64)
}

/// What ld64 takes for an architecture. `arm64e:` is none.
private let architecturePrefixes = ["ppc:", "ppc64:", "i386:", "x86_64:", "arm:", "arm64:"]
  .map { Array($0.utf8) }

/// What an author may take for one.
private let otherPrefixes = ["arm64e:", "aarch64:", "arm64_32:", "armv7:", "armv7s:", "x86_64h:"]
  .map { Array($0.utf8) }

/// What the first line of a file written here says: how the file is recognized, and where it goes.
private let mark = "for ld64's -order_file"

private enum Line: Equatable {
  case entry(OrderFileEntry)
  case literal([UInt8])
  /// A name that is empty.
  case nothing
}

/// - Parameter text: without comment and line feed.
private func parse(_ text: ArraySlice<UInt8>) -> Line {
  var rest = trimmed(text)
  let whole = rest
  let prefix = architecturePrefixes.first { rest.starts(with: $0) }
  if let prefix { rest = rest.dropFirst(prefix.count) }
  var objectFile: [UInt8]?
  if let end = objectFileEnd(rest) {
    // With the blanks behind an architecture: the linkers compare them too.
    objectFile = Array(rest[..<end])
    rest = rest[(end + 1)...]
  }
  let symbol = trimmed(rest)
  if symbol.isEmpty { return .nothing }
  let isQuoted = symbol.count > 1 && symbol.first == symbol.last && symbol.first == quotationMark
  if isQuoted || symbol.starts(with: "CSTR;".utf8) { return .literal(Array(whole)) }
  return .entry(
    OrderFileEntry(
      symbol: Array(symbol), objectFile: objectFile, architecture: prefix.map { $0.dropLast() }))
}

/// The index of the colon behind an object file: of the first `.o:`, or else of the first `.o):`.
private func objectFileEnd(_ rest: ArraySlice<UInt8>) -> Int? {
  let colons = rest.indices.filter { rest[$0] == UInt8(ascii: ":") }
  func first(behind ending: String) -> Int? {
    colons.first { rest[..<$0].suffix(ending.utf8.count).elementsEqual(ending.utf8) }
  }
  return first(behind: ".o") ?? first(behind: ".o)")
}

@Sendable private func readLD64(_ bytes: FileBytes) throws(ParseError) -> OrderFile {
  var file = OrderFile(dialect: .ld64)
  var lines = OrderFileLines(bytes)
  while let line = try lines.next() {
    var text = line[...]
    if let comment = line.firstIndex(of: hash) {
      text = line[..<comment]
      try file.append(
        OrderFileComment(text: Array(line[(comment + 1)...]), line: lines.number), at: lines.offset)
    }
    if lines.number == 1, text.starts(with: byteOrderMark) {
      file.warnings.append(OrderFileWarning(kind: .byteOrderMark, line: 1))
    }
    switch parse(text) {
    case .nothing: break
    case .literal(let text):
      try file.append(OrderFilePattern(text: text, line: lines.number), at: lines.offset)
    case .entry(let entry):
      if let kind = misunderstanding(entry) {
        file.warnings.append(OrderFileWarning(kind: kind, line: lines.number))
      }
      try file.append(entry, line: lines.number, at: lines.offset)
    }
  }
  return file
}

/// What the author of a line probably took for something else than the linkers do.
private func misunderstanding(_ entry: OrderFileEntry) -> OrderFileWarning.Kind? {
  let beginning = entry.objectFile ?? entry.symbol
  if otherPrefixes.contains(where: { beginning.starts(with: $0) }) { return .noArchitecture }
  let isPath = entry.objectFile?.contains(UInt8(ascii: "/")) ?? false
  return isPath ? .objectFilePath : nil
}

@Sendable private func writeLD64(
  _ entries: [OrderFileEntry], header: [String]
) -> WrittenOrderFile {
  var writer = OrderFileWriter()
  writer.appendHashComment([mark] + header)
  for (i, entry) in entries.enumerated() {
    // An object file that no line can name: the name alone then covers it too.
    let everywhere = OrderFileEntry(symbol: entry.symbol, architecture: entry.architecture)
    if reasonAgainstLine(entry) == nil {
      writer.append(line(entry), for: entry, at: i)
    } else if let reason = reasonAgainstLine(everywhere) {
      writer.leaveOut(entry, at: i, reason)
    } else {
      writer.append(line(everywhere), for: entry, at: i)
    }
  }
  return writer.written
}

private func line(_ entry: OrderFileEntry) -> [UInt8] {
  [entry.architecture, entry.objectFile].compactMap { $0 }.reduce(into: []) {
    $0 += $1 + [UInt8(ascii: ":")]
  } + entry.symbol
}

/// Why no line can stand for `entry`; `nil` if one does: it reads as the entry again.
private func reasonAgainstLine(_ entry: OrderFileEntry) -> UnwritableEntry.Reason? {
  guard let first = entry.symbol.first, let last = entry.symbol.last else { return .emptyName }
  let line = line(entry)
  if line.contains(0) { return .zeroByte }
  if line.contains(UInt8(ascii: "\n")) || line.contains(UInt8(ascii: "\r")) { return .lineBreak }
  if isBlank(first) || isBlank(last) { return .outerBlank }
  if line.contains(hash) { return .hash }
  switch parse(line[...]) {
  case .literal: return .takenForLiteral
  case .entry(let read)
  where read.symbol == entry.symbol && read.objectFile == entry.objectFile
    && read.architecture == entry.architecture:
    return nil
  default: return .takenForPrefix
  }
}

/// Whether this is a file that was written here, or names symbols as Mach-O does.
///
/// C's names have an underscore in front, which C++'s `__Z` and Swift's `_$s` show best; ELF's have none.
/// An order file of ELF may hold a few such names (`_start`), one of Mach-O a few without: three quarters
/// of the first lines decide.
@Sendable private func looksLikeLD64(_ bytes: FileBytes) -> Bool {
  var lines = OrderFileLines(bytes)
  var count = 0
  var ofMachO = 0
  while count < 1000, let line = try? lines.next() {
    if lines.number == 1, line == Array("# \(mark)".utf8) { return true }
    guard case .entry(let entry) = parse(line.prefix { $0 != hash }) else { continue }
    count += 1
    if entry.objectFile != nil || entry.architecture != nil || isMachOName(entry.symbol) {
      ofMachO += 1
    }
  }
  return ofMachO > 0 && 4 * ofMachO >= 3 * count
}

private func isMachOName(_ name: [UInt8]) -> Bool {
  if name.starts(with: "-[".utf8) || name.starts(with: "+[".utf8) { return true }
  guard name.first == UInt8(ascii: "_"), name.count > 1 else { return false }
  // Without a second underscore these are ELF's: C++, and Rust v0's paths.
  let isELF = ["_Z", "_RN", "_RI", "_RX", "_RY", "_RM"].contains { name.starts(with: $0.utf8) }
  return !isELF
}

private let hash = UInt8(ascii: "#")
private let quotationMark = UInt8(ascii: "\"")
