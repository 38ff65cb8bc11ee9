import ByteReading
import ImageModel

/// The language that one linker reads order files in.
///
/// Each dialect has a file of its own, with its reader, its writer and the rules it keeps; to add one,
/// write such a file and name the dialect in `all`.
package struct OrderFileDialect: Sendable {
  /// As the command line writes it: `lld`, `gold`, `gnu-ld`, `ld64`.
  package let name: String
  /// Of the images that the linker writes.
  package let imageFormat: ImageFormat
  /// Whether a line names an input section, `.text.f`, and not a symbol.
  package let namesSections: Bool
  /// Which of two equal lines decides: the last, or else the first.
  package let lastDuplicateWins: Bool

  package let reader: @Sendable (FileBytes) throws(ParseError) -> OrderFile
  package let writer: @Sendable ([OrderFileEntry], [String]) -> WrittenOrderFile
  /// Whether a file's beginning can only be this dialect.
  package let recognizes: @Sendable (FileBytes) -> Bool

  package init(
    name: String, imageFormat: ImageFormat, namesSections: Bool, lastDuplicateWins: Bool,
    reader: @escaping @Sendable (FileBytes) throws(ParseError) -> OrderFile,
    writer: @escaping @Sendable ([OrderFileEntry], [String]) -> WrittenOrderFile,
    recognizes: @escaping @Sendable (FileBytes) -> Bool
  ) {
    self.name = name
    self.imageFormat = imageFormat
    self.namesSections = namesSections
    self.lastDuplicateWins = lastDuplicateWins
    self.reader = reader
    self.writer = writer
    self.recognizes = recognizes
  }
}

extension OrderFileDialect {
  /// All dialects. The last one of an image format is what a file for such images is taken for that no other
  /// recognizes, and the last of all what any file is.
  package static let all: [OrderFileDialect] = [.gnuLD, .gold, .ld64, .lld]

  /// The dialect of that `name`, if there is one.
  package init?(name: String) {
    guard let dialect = Self.all.first(where: { $0.name == name }) else { return nil }
    self = dialect
  }

  /// The dialect that `bytes` look written in. A file of symbols is taken for lld's, unless they are
  /// Mach-O's.
  ///
  /// - Parameter format: of the images that it is for; `nil` is any.
  package init(
    guessedFrom bytes: FileBytes, of format: ImageFormat? = nil,
    among dialects: [OrderFileDialect] = all
  ) {
    let possible = dialects.filter { format == nil || $0.imageFormat == format }
    self = possible.first { $0.recognizes(bytes) } ?? possible.last ?? .lld
  }

  /// What a user most likely wants for images of that format.
  package static func usual(for format: ImageFormat) -> OrderFileDialect {
    all.last { $0.imageFormat == format } ?? .lld
  }

  /// Reads an order file.
  ///
  /// - Throws: `invalid` for a zero byte (no name holds one: the file is not an order file),
  ///   `tooLarge`, and where the dialect has a grammar `invalid`, `missing` or `unsupported`; with the
  ///   line.
  /// - Complexity: O(*n*) for *n* bytes.
  package func read(_ bytes: FileBytes) throws(ParseError) -> OrderFile { try reader(bytes) }

  /// Writes `entries` in their order; of equal lines only the first.
  ///
  /// - Parameter header: lines of a comment at the top, without what opens and closes it.
  /// - Returns: the same bytes for the same arguments, ending with a line feed, and what those leave out.
  /// - Complexity: O(*n*) for *n* bytes in all names, on average.
  package func write(_ entries: [OrderFileEntry], header: [String] = []) -> WrittenOrderFile {
    writer(entries, header)
  }
}

extension OrderFileDialect: Hashable, CustomStringConvertible {
  package static func == (a: Self, b: Self) -> Bool { a.name == b.name }
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
  package var description: String { name }
}
