import Addresses
import ByteReading

/// The contents of an order file, in the file's order.
///
/// Duplicates are kept: which of them counts depends on the linker, see `OrderFileDialect.lastDuplicateWins`.
package struct OrderFile: Sendable {
  package let dialect: OrderFileDialect
  package private(set) var entries: [OrderFileEntry] = []
  /// The line number of each entry, from 1.
  package private(set) var lines: [Int] = []
  /// The range of each entry's name in the file: its symbol or, in a dialect that names sections, its section or the
  /// comment that names the symbol. The bytes may be another spelling of the name, such as `[*]` for `*`. The range is
  /// empty for an entry that was not read from a file.
  package private(set) var nameRanges: [Range<Int>] = []
  package private(set) var comments: [OrderFileComment] = []
  /// Lines that name no function: globs for many sections, `.text.*`, or a string literal.
  package private(set) var patterns: [OrderFilePattern] = []
  /// Lines that name strings, which ld64.lld orders.
  package private(set) var strings: [OrderFileString] = []
  /// The parts of the file that begin with a title, in the file's order. The lines before the first title are for no certain
  /// image.
  package private(set) var listings: [Listing] = []
  /// Lines that the linker accepts, but probably reads differently from what the author meant.
  package internal(set) var warnings: [OrderFileWarning] = []
  /// Whether the last comment announces data.
  private var isInData = false

  package init(dialect: OrderFileDialect) { self.dialect = dialect }

  /// The order of one image.
  package struct Listing: Hashable, Sendable {
    /// The file name of the image.
    package var image: String
    /// The line of the title, from 1.
    package var line: Int
  }

  /// Adds `entry` at the end.
  ///
  /// - Parameters:
  ///   - nameRange: the range of the name in the file.
  ///   - position: the place of the entry, used for the error only.
  /// - Throws: `tooLarge` if the file has `limit` entries, comments and patterns already.
  package mutating func append(
    _ entry: OrderFileEntry, line: Int, nameRange: Range<Int> = 0..<0,
    at position: FileOffset = FileOffset(rawValue: 0),
    limit: UInt64 = ParsingLimits.orderFileLines
  ) throws(ParseError) {
    try checkCount(limit: limit, line: line, at: position)
    var entry = entry
    entry.isData = isInData
    entries.append(entry)
    lines.append(line)
    nameRanges.append(nameRange)
  }

  /// Returns a file with only the entries at the ascending `indexes`.
  package func keeping(_ indexes: [Int]) -> OrderFile {
    var file = OrderFile(dialect: dialect)
    file.entries = indexes.map { entries[$0] }
    file.lines = indexes.map { lines[$0] }
    file.nameRanges = indexes.map { nameRanges[$0] }
    return file
  }

  /// The image that the title above a line names; `nil` if no title is above it.
  ///
  /// - Complexity: O(log *n*) for *n* titles.
  package func image(ofLine line: Int) -> String? {
    let next = listings.partitioningIndex { $0.line > line }
    return next == 0 ? nil : listings[next - 1].image
  }

  /// Returns this file without the entries, strings and comments that `isKept` refuses. `isKept` gets the index of an entry, or
  /// `nil` for a string or a comment, and the line. The new file has no `listings`.
  package func keeping(_ isKept: (_ entry: Int?, _ line: Int) -> Bool) -> OrderFile {
    var file = keeping(entries.indices.filter { isKept($0, lines[$0]) })
    file.comments = comments.filter { isKept(nil, $0.line) }
    file.strings = strings.filter { isKept(nil, $0.line) }
    file.patterns = patterns
    file.warnings = warnings
    return file
  }

  mutating func append(
    _ comment: OrderFileComment, at position: FileOffset = FileOffset(rawValue: 0)
  ) throws(ParseError) {
    try checkCount(line: comment.line, at: position)
    comments.append(comment)
    if let image = OrderFileTitle.image(in: comment.text) {
      listings.append(Listing(image: image, line: comment.line))
    }
    isInData = comment.text.elementsEqual(" \(OrderFileComment.data)".utf8)
  }

  mutating func append(_ pattern: OrderFilePattern, at position: FileOffset) throws(ParseError) {
    try checkCount(line: pattern.line, at: position)
    patterns.append(pattern)
  }

  mutating func append(_ string: OrderFileString, at position: FileOffset) throws(ParseError) {
    try checkCount(line: string.line, at: position)
    strings.append(string)
  }

  private func checkCount(
    limit: UInt64 = ParsingLimits.orderFileLines, line: Int, at position: FileOffset
  ) throws(ParseError) {
    let count = UInt64(entries.count + comments.count + patterns.count + strings.count)
    guard count < limit else {
      throw ParseError(
        .tooLarge(limit: limit, found: count + 1), "order file", at: position, line: line)
    }
  }
}

/// A comment, without its delimiters.
package struct OrderFileComment: Hashable, Sendable {
  package var text: [UInt8]
  /// The line where it begins, from 1.
  package var line: Int

  /// The comment before data, which end at the next comment; and the comment before functions that follow data.
  static let data = "data"
  static let functions = "functions"
  /// The comment of an order file that `orderfile refine` has written.
  package static let refined = "refined by orderfile refine"

  /// Whether the comment says that `orderfile refine` has written the order file.
  package var isRefined: Bool {
    String(decoding: text, as: UTF8.self).split(separator: " ").joined(separator: " ")
      == Self.refined
  }

  /// Whether it only announces the entries that follow.
  package var isMark: Bool {
    [Self.data, Self.functions].contains { text.elementsEqual(" \($0)".utf8) }
      || Self.functionName(in: text) != nil
  }
}

extension OrderFileComment {
  /// The beginning of a comment that names the function of the section in the next line: `# function: f`.
  static let functionMark = " function: "

  /// The range of the function's name in the comment `text`; `nil` if the comment names no function.
  static func functionName(in text: [UInt8]) -> Range<Int>? {
    let name = functionMark.utf8.count..<max(text.count, functionMark.utf8.count)
    return text.starts(with: functionMark.utf8) && !name.isEmpty ? name : nil
  }
}

/// The function that a comment names.
struct CommentedFunction {
  var name: [UInt8]
  /// The range of the function's name in the file.
  var range: Range<Int>
  /// The line of the comment, from 1.
  var line: Int
}

/// A glob that names many sections, or `.text`, which contains the functions that were not compiled into separate
/// sections; in ld64's dialect a string literal.
package struct OrderFilePattern: Hashable, Sendable {
  package var text: [UInt8]
  /// The line number, from 1.
  package var line: Int
}

/// A C string in an order file, which names the string by the hash of its bytes.
package struct OrderFileString: Hashable, Sendable {
  /// The hash of the string, as `stringHash` computes it.
  package var hash: UInt32
  /// The line number, from 1.
  package var line: Int
}

/// Something in an order file that its linker silently reads in an unexpected way.
package struct OrderFileWarning: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The UTF-8 byte order mark that begins the file is part of the first name.
    case byteOrderMark
    /// A `#` after a name does not begin a comment: it is part of the name.
    case trailingComment
    /// Blanks around a section's name are part of it.
    case outerBlank
    /// `*(a b)` does not order `a` and `b`.
    case sectionsTogether
    /// `arm64e:` and similar prefixes are part of the name: ld64 does not recognize them.
    case noArchitecture
    /// An object file is compared with the last component of a path.
    case objectFilePath
  }
  package var kind: Kind
  /// The line number, from 1.
  package var line: Int
}

extension OrderFileWarning: CustomStringConvertible {
  package var description: String {
    let text =
      switch kind {
      case .byteOrderMark: "the byte order mark is part of the first name"
      case .trailingComment: "'#' after a name is part of the name"
      case .outerBlank: "blanks around a section name are part of the name"
      case .sectionsTogether: "sections in one pair of parentheses keep the linker's order"
      case .noArchitecture: "what looks like an architecture is part of the name"
      case .objectFilePath: "an object file with a '/' matches none"
      }
    return "line \(line): \(text)"
  }
}
