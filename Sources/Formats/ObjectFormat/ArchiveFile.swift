// An archive is `!<arch>\n` followed by members: a header of 60 bytes of text, the contents, and a line feed if their
// size is odd. The header has 16 bytes for the name, padded with blanks. There is no standard; names are written in
// these ways:
//
//   foo.o/            GNU, System V: a slash ends the name
//   /17               the same, for a longer name: its offset in the member called `//`
//   #1/20             BSD, Darwin: the contents begin with 20 bytes of name, padded with zeros
//   foo.o             BSD, Darwin: a short name without blanks
//
// Members that are tables of symbols are called `/` and `/SYM64/`, or begin with `__.SYMDEF`.
// <https://man.freebsd.org/cgi/man.cgi?query=ar&sektion=5>, `ar.h`; llvm/lib/Object/Archive.cpp

import Addresses
import ByteReading

/// A static archive of object files.
package struct ArchiveFile: Sendable {
  package struct Member: Sendable {
    /// The range of the member's name, without its end mark and its padding.
    package var name: ByteRange
    /// The range of the member's contents, without the name.
    package var range: ByteRange
  }

  package let bytes: FileBytes
  /// The members, in the order of the file, without the tables of symbols and of names.
  package let members: [Member]

  /// - Parameter range: a range of `bytes`, for a slice of a fat file; `nil` for the whole file.
  /// - Throws: `unsupported` for a thin archive, whose members are other files; `truncated` or `invalid`
  ///   for a damaged member.
  package init(parsing bytes: FileBytes, at range: ByteRange? = nil) throws(ParseError) {
    self.bytes = bytes
    var input = ByteCursor(bytes, in: range)
    let magic = try input.readRange(8, "magic")
    guard !bytes.isEqual(magic.indices, to: "!<thin>\n") else {
      throw ParseError(.unsupported(found: "a thin archive"), "file", at: magic.lowerBound)
    }
    guard bytes.isEqual(magic.indices, to: "!<arch>\n") else {
      throw ParseError(
        .invalid(
          expected: "21 3c 61 72 63 68 3e 0a", found: hexadecimalBytes(bytes, magic.indices)),
        "magic", at: magic.lowerBound)
    }
    var members: [Member] = []
    var longNames: ByteRange?
    while !input.isAtEnd {
      let header = try Header(parsing: &input)
      let contents = try input.readRange(header.size, "ar_size")
      // The last member's padding is often left out.
      if header.size % 2 == 1, !input.isAtEnd { try input.skip(1, "ar_size") }
      switch try header.name(bytes, contents, longNames) {
      case .longNames: longNames = contents
      case .symbols: continue
      case .member(let member): members.append(member)
      }
    }
    self.members = members
  }
}

extension ArchiveFile {
  /// The header of one member: `ar_hdr`.
  private struct Header {
    /// `ar_name` without trailing blanks.
    var name: ByteRange
    /// The size in bytes, including the name if the name is part of the contents.
    var size: UInt64

    init(parsing input: inout ByteCursor) throws(ParseError) {
      let bytes = input.bytes
      name = bytes.trimmingBlanks(try input.readRange(16, "ar_name"))
      try input.skip(32, "ar_date")
      let sizeField = bytes.trimmingBlanks(try input.readRange(10, "ar_size"))
      size = try bytes.decimal(sizeField, "ar_size")
      let end = try input.readRange(2, "ar_fmag")
      guard bytes.hasPrefix("`\n", at: end.indices.lowerBound) else {
        throw ParseError(
          .invalid(expected: "60 0a", found: hexadecimalBytes(bytes, end.indices)), "ar_fmag",
          at: end.lowerBound)
      }
    }

    enum Kind {
      case member(Member)
      case symbols
      case longNames
    }

    func name(
      _ bytes: FileBytes, _ contents: ByteRange, _ longNames: ByteRange?
    ) throws(ParseError) -> Kind {
      let start = name.indices.lowerBound
      var member = Member(name: name, range: contents)
      if bytes.isEqual(name.indices, to: "/") || bytes.isEqual(name.indices, to: "/SYM64/") {
        return .symbols
      }
      if bytes.isEqual(name.indices, to: "//") { return .longNames }
      if bytes.hasPrefix("#1/", at: start) {
        var input = ByteCursor(bytes, in: contents)
        let field = FileOffset(rawValue: name.lowerBound.rawValue + 3)..<name.upperBound
        let padded = try input.readRange(try bytes.decimal(field, "ar_name"), "ar_name")
        let zero = bytes.firstIndex(of: 0, in: padded.indices) ?? padded.indices.upperBound
        member.name = padded.lowerBound..<FileOffset(rawValue: UInt64(zero))
        member.range = padded.upperBound..<contents.upperBound
      } else if bytes.hasPrefix("/", at: start) {
        let field = FileOffset(rawValue: name.lowerBound.rawValue + 1)..<name.upperBound
        let offset = try bytes.decimal(field, "ar_name")
        guard let longNames, offset < UInt64(longNames.byteCount) else {
          throw ParseError(
            .invalid(
              expected: "an offset below \(longNames?.byteCount ?? 0)", found: "\(offset)"),
            "ar_name", at: name.lowerBound)
        }
        let from = FileOffset(rawValue: longNames.lowerBound.rawValue + offset)
        let tail = (from..<longNames.upperBound).indices
        let end = bytes.firstIndex(of: UInt8(ascii: "\n"), in: tail) ?? tail.upperBound
        member.name = from..<FileOffset(rawValue: UInt64(end))
      }
      member.name = bytes.withoutSlash(member.name)
      let isSymbols = bytes.hasPrefix("__.SYMDEF", at: member.name.indices.lowerBound)
      return isSymbols && member.name.byteCount >= 9 ? .symbols : .member(member)
    }
  }
}

extension FileBytes {
  fileprivate func trimmingBlanks(_ range: ByteRange) -> ByteRange {
    let end = trimmingBlanksAtEnd(of: range.indices).upperBound
    return range.lowerBound..<FileOffset(rawValue: UInt64(end))
  }

  /// `range` without the slash that ends a GNU name.
  fileprivate func withoutSlash(_ range: ByteRange) -> ByteRange {
    let end = range.indices.upperBound
    guard end > range.indices.lowerBound, self[end - 1] == UInt8(ascii: "/") else { return range }
    return range.lowerBound..<FileOffset(rawValue: UInt64(end - 1))
  }

  fileprivate func decimal(_ range: ByteRange, _ field: String) throws(ParseError) -> UInt64 {
    guard let value = UInt64(text(range.indices)) else {
      throw ParseError(
        .invalid(expected: "a decimal number", found: "'\(text(range.indices))'"), field,
        at: range.lowerBound)
    }
    return value
  }
}
