import ByteReading
import ImageModel

/// The order-file syntax of one linker.
///
/// Each dialect has its own file, with its reader, its writer and its rules. To add one, write such a file
/// and add the dialect to `all`.
package struct OrderFileDialect: Sendable {
  /// What a line moves if several functions of the image have the name in the line.
  package enum NamesakeRule: Hashable, Sendable {
    /// The line moves all functions of the name, also if the line has an object file.
    case movesAll
    /// The line moves all functions of the name in the line's object file; all functions of the name if the line has no
    /// object file.
    case movesAllInObjectFile
    /// The line moves the first function of the name in the line's object file; the first of all functions of the name
    /// if the line has no object file.
    case movesFirstInObjectFile
  }

  /// The name on the command line: `lld`, `gold`, `gnu-ld`, `ld64`, `ld-prime`, `ld64.lld`.
  package let name: String
  /// The format of the images that the linker writes.
  package let imageFormat: ImageFormat
  /// Whether a line names an input section, `.text.f`, and not a symbol.
  package let namesSections: Bool
  /// Whether the last of two equal lines counts; otherwise the first does.
  package let lastDuplicateWins: Bool

  package let reader: @Sendable (FileBytes) throws(ParseError) -> OrderFile
  package let writer: @Sendable ([OrderFileEntry], [String]) -> WrittenOrderFile
  /// Whether the beginning of a file can only be in this dialect.
  package let recognizes: @Sendable (FileBytes) -> Bool

  package internal(set) var namesakes = NamesakeRule.movesAll
  /// Whether other text can be mistaken for an order file in this dialect, because at most one line shows the dialect.
  package internal(set) var mayBeOtherText = false
  /// Whether the linker moves functions out of their output sections into a section for all listed functions. Otherwise
  /// it orders each output section separately.
  package internal(set) var movesToOwnSection = false
  /// Whether the linker orders zero-filled data.
  package internal(set) var ordersZeroFilledData = false
  /// Returns an order of the variables with the given names; each variable is in a section of its own. `gen` orders
  /// data only by dialects with `ordersData`, but all linkers have a syntax for the order of variables.
  package internal(set) var orderOfVariables: @Sendable ([String]) -> String = { names in
    names.map { "\($0)\n" }.joined()
  }
  /// Whether the linker orders C strings, by their hashes.
  package internal(set) var ordersStrings = false

  /// The linker's name in sentences; `nil` if it is `name`.
  package internal(set) var ownTitle: String?
  /// The linker's name after a compiler driver's `-fuse-ld=`; `nil` for the linkers of Xcode.
  package internal(set) var driverName: String?
  /// The beginnings of the linker's statement about itself, with `--version` and in the images that the linker writes.
  package internal(set) var statements: [String] = []
  /// The option of a compiler driver that passes an order file to the linker; the path follows.
  package internal(set) var linkOption: String?
  /// The linker's own argument against warnings about symbols that an order file lists and the image lacks; `nil` if the linker
  /// does not warn.
  package internal(set) var quietArgument: String?
  /// The linker's own argument that permits version scripts to name undefined symbols; `nil` if the linker needs none.
  package internal(set) var undefinedVersionArgument: String?
  /// The name of the same linker's dialect for Mach-O images; `nil` if there is none, or if this is the dialect.
  package internal(set) var machOName: String?

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

  /// Returns the dialect with other values of the properties that have a default value.
  func with(_ change: (inout OrderFileDialect) -> Void) -> OrderFileDialect {
    var dialect = self
    change(&dialect)
    return dialect
  }
}

extension OrderFileDialect {
  /// The linker's own arguments that pass the order file at `path` to it; `nil` if it has no such option.
  package func linkerArguments(orderFile path: [UInt8]) -> [[UInt8]]? {
    guard let linkOption else { return nil }
    // The option is split at commas, which separate arguments after `-Wl`.
    var arguments = linkOption.split(separator: ",", omittingEmptySubsequences: false).dropFirst()
      .map { Array($0.utf8) }
    guard let last = arguments.popLast() else { return nil }
    return arguments + [last + path]
  }

  /// All dialects. A file that no dialect recognizes is read in the last dialect of its image format or, if
  /// the format is unknown, in the last of all.
  package static let all: [OrderFileDialect] = [.gnuLD, .gold, .ldPrime, .ld64LLD, .ld64, .lld]

  /// The dialect called `name`; `nil` if there is none.
  package init?(name: String) {
    guard let dialect = Self.all.first(where: { $0.name == name }) else { return nil }
    self = dialect
  }

  /// This linker's dialect for images of `format`; `nil` if the linker can't write such images. LLD has a dialect for
  /// each format.
  package func writing(_ format: ImageFormat) -> OrderFileDialect? {
    if imageFormat == format { return self }
    return format == .machO ? machOName.flatMap(Self.init(name:)) : nil
  }

  /// The dialect in which `bytes` seem to be written. A list of symbols is read as lld's, unless they are
  /// Mach-O symbols.
  ///
  /// - Parameter format: the format of the images that the file is for; `nil` means any format.
  package init(
    guessedFrom bytes: FileBytes, of format: ImageFormat? = nil,
    among dialects: [OrderFileDialect] = all
  ) {
    let possible = dialects.filter { format == nil || $0.imageFormat == format }
    self = possible.first { $0.recognizes(bytes) } ?? possible.last ?? .lld
  }

  /// The dialect that most users want for images of `format`.
  package static func usual(for format: ImageFormat) -> OrderFileDialect {
    switch format {
    case .elf: .lld
    case .machO: .ldPrime
    }
  }

  /// The linker's name in sentences: `GNU ld` for `gnu-ld`.
  package var title: String { ownTitle ?? name }

  /// Whether most users want this dialect for the images that the linker writes.
  package var isUsual: Bool { self == Self.usual(for: imageFormat) }

  /// Reads an order file.
  ///
  /// - Throws: `invalid` for a zero byte, which no name contains, so that the file is not an order file;
  ///   `tooLarge`; and for a dialect with a grammar `invalid`, `missing` or `unsupported`. Errors have the
  ///   line.
  /// - Complexity: O(*n*) for *n* bytes.
  package func read(_ bytes: FileBytes) throws(ParseError) -> OrderFile { try reader(bytes) }

  /// Writes `entries` in their order; of equal lines only the first is written.
  ///
  /// - Parameters:
  ///   - strings: the hashes of strings, for a dialect that orders them; other dialects leave them out.
  ///   - header: lines for a comment at the top, without delimiters.
  /// - Returns: the bytes, which end with a line feed and depend only on the arguments, and the entries left
  ///   out.
  /// - Complexity: O(*n*) for *n* bytes in all names, on average.
  package func write(
    _ entries: [OrderFileEntry], strings: [UInt32] = [], header: [String] = []
  ) -> WrittenOrderFile {
    var written = writer(entries, header)
    guard ordersStrings else { return written }
    var seen: Set<UInt32> = []
    for hash in strings where seen.insert(hash).inserted {
      written.bytes += Array("\(Self.stringPrefix)\(hash)\n".utf8)
    }
    return written
  }

  /// Whether the linker orders data by name, too. The linkers of the other dialects would need the name of each input
  /// section, which no image states.
  package var ordersData: Bool { !namesSections }

  /// The beginning of a line that names a string by its hash.
  static let stringPrefix = "CSTR;"
}

extension OrderFileDialect: Hashable, CustomStringConvertible {
  package static func == (a: Self, b: Self) -> Bool { a.name == b.name }
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
  package var description: String { name }
}
