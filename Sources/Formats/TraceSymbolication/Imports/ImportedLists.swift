// Lists of functions in time order, one per line: of symbols, or of stated addresses.
//
// Blank lines and lines that begin with `#` are skipped; a carriage return at the end of a line is removed.
// Blanks around an address are ignored, but names may contain and end with blanks.

import Addresses
import ByteReading
import ImageModel
import OrderFileFormat
import Symbolication

extension ImportedLaunch {
  /// Reads a list of symbols. Names from another build of the program are matched as in `SymbolMap.resolve`; a name
  /// that several functions have adds all of them.
  ///
  /// - Complexity: O(*n* + *b*) for *n* bytes in the list and *b* in the names of the image.
  package init(symbols bytes: FileBytes, of image: Image) {
    self.init(image)
    var map = SymbolMap(image.layout)
    forEachEntry(bytes) { line, range in
      let name = SymbolName(bytes: bytes.copy(range))
      add(name, map.resolve(name), line: line)
    }
    explainMissing()
  }

  /// Reads the entries of an order file, in its order. Literals, patterns and entries for other architectures than the
  /// image's do not count as entries.
  ///
  /// - Complexity: O(*n* + *b*) for *n* bytes in the order file and *b* in the names of the image.
  package init(order: OrderFile, of image: Image) {
    self.init(image)
    var map = SymbolMap(image.layout)
    var seen: Set<OrderFile.Symbol> = []
    let listed = Set(order.symbols(for: image.architecture))
    for (entry, line) in zip(order.entries, order.lines) {
      let symbol = OrderFile.Symbol(
        name: SymbolName(bytes: entry.symbol),
        objectFile: entry.objectFile.map { SymbolName(bytes: $0) })
      guard listed.contains(symbol), seen.insert(symbol).inserted else { continue }
      add(symbol.name, map.resolve(symbol.name, from: symbol.objectFile), line: line)
    }
    explainMissing()
  }

  /// Adds the functions that an entry of a list names, or the entry itself to `missing`.
  mutating func add(
    _ name: SymbolName, _ resolution: Resolution, line: Int, nanoseconds: UInt64? = nil,
    thread: UInt32? = nil
  ) {
    entryCount += 1
    switch resolution {
    case .exact(let found), .canonical(let found, _):
      for function in found { add(function, nanoseconds: nanoseconds, thread: thread) }
    case .missing(let why):
      // The reason is given as a missing symbol, because nothing shows that the name ever was in a build of this
      // program.
      let reason = why == .inlinedOrRemoved ? .noSuchSymbol : why
      missing.append(Missing(line: line, text: name, reason: reason.description))
    }
  }

  /// Sets the reasons why the image has no functions of the missing names, where the image states a reason.
  mutating func explainMissing() {
    let absences = image.layout.absences(of: missing.map(\.text))
    for index in missing.indices {
      guard let absence = absences[NameKey(missing[index].text.bytes)] else { continue }
      missing[index].reason = absence.inList
      missing[index].isNamedByImage = true
    }
  }

  /// Reads a list of hexadecimal addresses, with or without `0x`. An address inside a function adds this function.
  ///
  /// - Throws: `invalid` with the line number, if a line is not an address.
  package init(addresses bytes: FileBytes, of image: Image) throws(ParseError) {
    self.init(image)
    var error: ParseError?
    forEachEntry(bytes) { line, range in
      guard error == nil else { return }
      entryCount += 1
      guard let address = statedAddress(bytes, range) else {
        error = ParseError(
          .invalid(
            expected: "up to 16 hexadecimal digits", found: "'\(bytes.text(range))'"), "address",
          at: FileOffset(rawValue: UInt64(range.lowerBound)), line: line)
        return
      }
      if !add(functionHolding: address) {
        missing.append(
          Missing(
            line: line, text: SymbolName(bytes: bytes.copy(range)), reason: "in no function"))
      }
    }
    if let error { throw error }
  }
}

extension AbsentSymbol.Reason {
  /// Why a line of a list with this name is no use of a function.
  fileprivate var inList: String {
    switch self {
    case .shared: "imported from another image, so it can't be ordered in this image"
    case .undefined: "undefined, so it can't be ordered"
    case .absolute: "a number, not a function"
    case .discarded: "discarded by the linker"
    case .data: "data, not a function"
    }
  }
}

private func forEachEntry(_ bytes: FileBytes, _ body: (_ line: Int, Range<Int>) -> Void) {
  var scanner = LineScanner(bytes)
  while var range = scanner.next() {
    if let last = range.last, bytes[last] == UInt8(ascii: "\r") { range = range.dropLast() }
    let isBlank = range.allSatisfy { isBlankByte(bytes[$0]) }
    guard !isBlank, bytes[range.lowerBound] != UInt8(ascii: "#") else { continue }
    body(scanner.lineNumber, range)
  }
}

private func isBlankByte(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
}

private func statedAddress(_ bytes: FileBytes, _ range: Range<Int>) -> StatedAddress? {
  var text = bytes.copy(range)[...]
  while let first = text.first, isBlankByte(first) { text = text.dropFirst() }
  while let last = text.last, isBlankByte(last) { text = text.dropLast() }
  if text.starts(with: Array("0x".utf8)) || text.starts(with: Array("0X".utf8)) {
    text = text.dropFirst(2)
  }
  guard (1...16).contains(text.count), text.allSatisfy({ isLowerHexDigit($0 | 0x20) }) else {
    return nil
  }
  return UInt64(String(decoding: text, as: UTF8.self), radix: 16)
    .map(StatedAddress.init(rawValue:))
}
