// ld64's order files: `-order_file` of ld64, of its successor in Xcode 15 and later, and of LLVM's ld64.lld.
//
// Apple calls both of its linkers `ld`; the successor is known as ld-prime. Xcode 15 to 26 have both, Xcode 27 has
// ld-prime alone.
//
// A line is `architecture:object:symbol`. The first two parts are optional, and only their spelling
// distinguishes them from the symbol:
//
//     _main                       that function
//     -[Foo bar:with:]            names may contain blanks and colons
//     leaf.o:_helper              the local function of that object file
//     libx.a(leaf.o):_helper      the same in an archive member; `leaf.o:` does not find it
//     arm64:_main                 in this architecture only, arm64e included
//     CSTR;1956311786             a string literal, by its hash; LLD 21 and later
//     "some text"                 a string literal as in ld's manual page; no linker moves it
//
// A `#` anywhere begins a comment. The object file ends at the first `.o:`, or else at the first `.o):`, and
// is compared with the last component of the path, so a path never matches.
//
// Where the linkers differ:
//
// - If two lines name the same function, ld64 uses the last line, the other linkers the first. So no function is
//   written twice.
// - If several bodies have the name of a line, ld64.lld moves all bodies in the line's object file, or all bodies if
//   the line has no object file; ld64 moves only the first of these bodies. `ld -r` can put several bodies into one
//   object file: then no line distinguishes them.
// - ld-prime is reported to move all bodies of a name, whatever object file a line has, and to order no body of a name
//   that is listed for several object files: <https://github.com/getsentry/FaultOrdering>. So for ld-prime each name is
//   written once, without an object file.
// - ld64 calls `f.llvm.1` `f`, and so does LLD 21 and later, on both sides of the comparison.
//
// <https://github.com/apple-oss-distributions/ld64/blob/ld64-956.6/src/ld/Options.cpp> (`parseOrderFile`),
// <https://github.com/apple-oss-distributions/ld64/blob/ld64-956.6/src/ld/passes/order.cpp>,
// <https://github.com/llvm/llvm-project/blob/main/lld/MachO/SectionPriorities.cpp> (`parseOrderFile`)

import Addresses
import ByteReading
import ImageModel

extension OrderFileDialect {
  /// Apple's classic linker. A Mach-O order file that names no linker is read in this dialect. The linker does not
  /// order zero-filled data: it moves the listed zero-filled data into `__data`, where they take space in the file.
  package static let ld64 = machO(
    "ld64", lastDuplicateWins: true, .movesFirstInObjectFile, recognizes: looksLikeMachO)
  /// Apple's linker since Xcode 15. Nobody has tried what this linker does with zero-filled data.
  package static let ldPrime = machO(
    "ld-prime", lastDuplicateWins: false, .movesAll, recognizes: { isMarked($0, for: "ld-prime") })
  /// LLVM's linker for Mach-O.
  package static let ld64LLD = machO(
    "ld64.lld", lastDuplicateWins: false, .movesAllInObjectFile,
    recognizes: { isMarked($0, for: "ld64.lld") }
  ).with {
    $0.ordersZeroFilledData = true
    $0.ordersStrings = true
  }

  private static func machO(
    _ name: String, lastDuplicateWins: Bool, _ namesakes: NamesakeRule,
    recognizes: @escaping @Sendable (FileBytes) -> Bool
  ) -> OrderFileDialect {
    OrderFileDialect(
      name: name, imageFormat: .machO, namesSections: false, lastDuplicateWins: lastDuplicateWins,
      reader: { (bytes) throws(ParseError) in try readMachO(bytes, of: name) },
      writer: { writeMachO($0, header: [mark(for: name)] + $1) }, recognizes: recognizes
    ).with {
      $0.namesakes = namesakes
      $0.linkOption = "-Wl,-order_file,"
    }
  }
}

/// The prefixes that ld64 recognizes as architectures. `arm64e:` is not one of them.
private let architecturePrefixes = ["ppc:", "ppc64:", "i386:", "x86_64:", "arm:", "arm64:"]
  .map { Array($0.utf8) }

/// Prefixes that an author may take for architectures.
private let otherPrefixes = ["arm64e:", "aarch64:", "arm64_32:", "armv7:", "armv7s:", "x86_64h:"]
  .map { Array($0.utf8) }

/// The first line of a file written here: it identifies the file and its linker.
private func mark(for linker: String) -> String { "for \(linker)'s -order_file" }

private enum Line: Equatable {
  /// `name` has the indexes of the symbol within the line.
  case entry(OrderFileEntry, name: Range<Int>)
  case literal([UInt8])
  /// The line has an empty name, which names nothing.
  case nothing
}

/// - Parameter text: the text of a line without comment and line feed.
private func parse(_ text: ArraySlice<UInt8>) -> Line {
  var rest = trimmed(text)
  let whole = rest
  let prefix = architecturePrefixes.first { rest.starts(with: $0) }
  if let prefix { rest = rest.dropFirst(prefix.count) }
  var objectFile: [UInt8]?
  if let end = objectFileEnd(rest) {
    // The object file has the blanks after an architecture, too, because the linkers compare them.
    objectFile = Array(rest[..<end])
    rest = rest[(end + 1)...]
  }
  let symbol = trimmed(rest)
  if symbol.isEmpty { return .nothing }
  let isQuoted = symbol.count > 1 && symbol.first == symbol.last && symbol.first == quotationMark
  if isQuoted || symbol.starts(with: "CSTR;".utf8) { return .literal(Array(whole)) }
  return .entry(
    OrderFileEntry(
      symbol: Array(symbol), objectFile: objectFile, architecture: prefix.map { $0.dropLast() }),
    name: symbol.startIndex..<symbol.endIndex)
}

/// The index of the colon after an object file: in the first `.o:`, or else in the first `.o):`.
private func objectFileEnd(_ rest: ArraySlice<UInt8>) -> Int? {
  let colons = rest.indices.filter { rest[$0] == UInt8(ascii: ":") }
  func first(behind ending: String) -> Int? {
    colons.first { rest[..<$0].suffix(ending.utf8.count).elementsEqual(ending.utf8) }
  }
  return first(behind: ".o") ?? first(behind: ".o)")
}

private func readMachO(_ bytes: FileBytes, of linker: String) throws(ParseError) -> OrderFile {
  var file = OrderFile(dialect: OrderFileDialect(name: linker) ?? .ld64)
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
    case .literal(let text) where file.dialect.ordersStrings:
      if let hash = stringHash(text) {
        try file.append(OrderFileString(hash: hash, line: lines.number), at: lines.offset)
      } else {
        try file.append(OrderFilePattern(text: text, line: lines.number), at: lines.offset)
      }
    case .literal(let text):
      try file.append(OrderFilePattern(text: text, line: lines.number), at: lines.offset)
    case .entry(let entry, let name):
      if let kind = misunderstanding(entry) {
        file.warnings.append(OrderFileWarning(kind: kind, line: lines.number))
      }
      try file.append(
        entry, line: lines.number, nameRange: lines.range(of: line[name]), at: lines.offset)
    }
  }
  return file
}

/// The hash in a line that names a string for all architectures and object files; decimal, or hexadecimal after `0x`.
private func stringHash(_ line: [UInt8]) -> UInt32? {
  let prefix = OrderFileDialect.stringPrefix.utf8
  guard line.starts(with: prefix) else { return nil }
  let number = String(decoding: line.dropFirst(prefix.count), as: UTF8.self)
  return number.hasPrefix("0x") ? UInt32(number.dropFirst(2), radix: 16) : UInt32(number)
}

/// The way in which linkers read a line differently from what its author probably meant.
private func misunderstanding(_ entry: OrderFileEntry) -> OrderFileWarning.Kind? {
  let beginning = entry.objectFile ?? entry.symbol
  if otherPrefixes.contains(where: { beginning.starts(with: $0) }) { return .noArchitecture }
  let isPath = entry.objectFile?.contains(UInt8(ascii: "/")) ?? false
  return isPath ? .objectFilePath : nil
}

private func writeMachO(_ entries: [OrderFileEntry], header: [String]) -> WrittenOrderFile {
  var writer = OrderFileWriter()
  writer.appendHashComment(header)
  for (i, entry) in entries.enumerated() {
    // If no line can name the object file, the name is written alone, which applies to all object files.
    let everywhere = OrderFileEntry(symbol: entry.symbol, architecture: entry.architecture)
    writer.mark(entry)
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

/// The reason why no line can represent `entry`; `nil` if a line can represent it, so that reading the line gives the
/// entry again.
private func reasonAgainstLine(_ entry: OrderFileEntry) -> UnwritableEntry.Reason? {
  guard let first = entry.symbol.first, let last = entry.symbol.last else { return .emptyName }
  let line = line(entry)
  if line.contains(0) { return .zeroByte }
  if line.contains(UInt8(ascii: "\n")) || line.contains(UInt8(ascii: "\r")) { return .lineBreak }
  if isBlank(first) || isBlank(last) { return .outerBlank }
  if line.contains(hash) { return .hash }
  switch parse(line[...]) {
  case .literal: return .takenForLiteral
  case .entry(let read, _)
  where read.symbol == entry.symbol && read.objectFile == entry.objectFile
    && read.architecture == entry.architecture:
    return nil
  default: return .takenForPrefix
  }
}

/// Whether this is a file that was written here for `linker`.
private func isMarked(_ bytes: FileBytes, for linker: String) -> Bool {
  var lines = OrderFileLines(bytes)
  return (try? lines.next()) == Array("# \(mark(for: linker))".utf8)
}

/// Whether this is a file that was written here for ld64, or names symbols as Mach-O does.
///
/// Mach-O's C names begin with an underscore, most clearly C++'s `__Z` and Swift's `_$s`; ELF's C names do not. An
/// order file for ELF may contain a few names with an underscore (`_start`), and an order file for Mach-O a few names
/// without. So three quarters of the first 1,000 entries must look like Mach-O.
@Sendable private func looksLikeMachO(_ bytes: FileBytes) -> Bool {
  if isMarked(bytes, for: "ld64") { return true }
  var lines = OrderFileLines(bytes)
  var count = 0
  var ofMachO = 0
  while count < 1000, let line = try? lines.next() {
    guard case .entry(let entry, _) = parse(line.prefix { $0 != hash }) else { continue }
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
  // With a single underscore, these are ELF names of C++ and Rust v0.
  let isELF = ["_Z", "_RN", "_RI", "_RX", "_RY", "_RM"].contains { name.starts(with: $0.utf8) }
  return !isELF
}

private let hash = UInt8(ascii: "#")
private let quotationMark = UInt8(ascii: "\"")
