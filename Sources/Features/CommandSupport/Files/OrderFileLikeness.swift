// Any text can be read as an order file. These rules tell order files from other text.

import OrderFileFormat

extension OrderFile {
  /// Returns why the file is not accepted as an order file; `nil` if it is accepted.
  ///
  /// By ld.lld's rules any text is a list of names, and by gold's rules so is any text that begins with `.text`. So a
  /// text is accepted if `gen` wrote it, if its name ends in `.order`, or if at least three quarters of its lines could
  /// be symbols.
  ///
  /// - Parameter isNamed: whether the user calls the file an order file, so that it may also be a single word.
  package func reasonAgainst(path: String, isNamed: Bool) -> String? {
    if !dialect.mayBeOtherText { return nil }
    if let first = entries.first, first.symbol.starts(with: "<?xml ".utf8) { return "XML" }
    if entries.first?.symbol == Array("v1".utf8),
      entries.dropFirst().first?.symbol.contains(0x20) ?? false
    {
      return "a profile of basic block clusters, which is for the compiler"
    }
    if path.hasSuffix(".order") || comments.first.map(\.isOwn) ?? false { return nil }
    guard !entries.isEmpty || !patterns.isEmpty else { return "text without names" }
    let strange = zip(entries, lines).filter { !($0.0.section ?? $0.0.symbol).looksLikeSymbol }
    if let (_, line) = strange.first, 4 * strange.count > entries.count {
      return "other text: line \(line) is no symbol"
    }
    return !isNamed && entries.count == 1 ? "a single word, which any text could be" : nil
  }
}

extension OrderFileComment {
  /// Whether `orderfile gen` wrote the comment.
  fileprivate var isOwn: Bool { text.starts(with: " orderfile ".utf8) }
}

extension [UInt8] {
  /// Whether the bytes could be the name of a symbol or section in C, C++, Swift or Rust. Other languages also use
  /// other characters.
  fileprivate var looksLikeSymbol: Bool {
    guard let first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
    return allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...0xff:
        true
      default:
        [UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "$"), UInt8(ascii: "@")].contains(byte)
      }
    }
  }
}
