import Addresses
import ByteReading

/// A 64-bit little-endian Mach-O file, which may lie within another file: its header, load commands, segments and
/// sections. <https://github.com/apple-oss-distributions/xnu/blob/main/EXTERNAL_HEADERS/mach-o/loader.h>
///
/// The load commands are read by the initializer. The data that they point to is read, and compared with the size of
/// the file, when it is needed.
package struct MachOFile: Sendable {
  package let bytes: FileBytes
  /// The range of the Mach-O file in `bytes`: all of it, a slice of a fat file, or a member of an archive.
  package let range: ByteRange
  package let header: MachHeader
  package let commands: [LoadCommand]
  package let segments: [MachOSegment]
  /// The sections, in the order of the load commands; symbols count sections from 1.
  package let sections: [MachOSection]

  /// - Parameter range: a range of `bytes`; `nil` for all bytes.
  /// - Throws: the error in the header, a load command, or a segment; positions are counted from the start of
  ///   `bytes`.
  package init(parsing bytes: FileBytes, at range: ByteRange? = nil) throws(ParseError) {
    self.bytes = bytes
    self.range = range ?? bytes.all
    var input = ByteCursor(bytes, in: self.range)
    header = try MachHeader(parsing: &input)
    let commandBytes = try input.readRange(UInt64(header.commandsSize), "sizeofcmds")

    input = ByteCursor(bytes, in: commandBytes)
    var commands: [LoadCommand] = []
    var segments: [MachOSegment] = []
    var sections: [MachOSection] = []
    for _ in 0..<header.commandCount {
      let command = try LoadCommand(parsing: &input)
      commands.append(command)
      guard command.kind == .segment else { continue }
      var contents = command.contents(bytes)
      segments.append(
        try MachOSegment(parsing: &contents, index: segments.count, addingTo: &sections))
    }
    self.commands = commands
    self.segments = segments
    self.sections = sections
  }
}

extension MachOFile {
  /// The first command of `kind`. A second command would be an error of the linker; loaders reject or ignore it.
  package func command(_ kind: LoadCommandKind) -> LoadCommand? {
    commands.first { $0.kind == kind }
  }

  /// The first section called `name`: `__TEXT,__text`.
  package func section(named name: String) -> MachOSection? {
    sections.first { $0.name.elementsEqual(name.utf8) }
  }

  /// The first segment called `name`.
  package func segment(named name: String) -> MachOSegment? {
    segments.first { $0.name.elementsEqual(name.utf8) }
  }

  /// The stated address of the Mach-O header, from which the linker counts offsets in memory; `nil` in an
  /// object file.
  package var baseAddress: StatedAddress? { segment(named: "__TEXT")?.range.start }

  /// The 16 bytes of `LC_UUID`; `nil` if there is none.
  package func uuid() throws(ParseError) -> [UInt8]? {
    guard let command = command(.uuid) else { return nil }
    var input = command.contents(bytes)
    return bytes.copy(try input.readRange(16, "uuid").indices)
  }

  /// The range of a library's install name: the path in `LC_ID_DYLIB` without its zeros. `nil` if the file is not a
  /// library.
  ///
  /// - Throws: `truncated` if the name lies outside its command.
  package func installName() throws(ParseError) -> ByteRange? {
    guard let command = command(.libraryID) else { return nil }
    return try text(in: command, "dylib.name")
  }

  /// The range of `section` in `bytes`. Empty for zero-fill, and for sections of the image that a file of debug
  /// information describes but does not hold.
  ///
  /// - Throws: `truncated` if the file ends before the section does; `unsupported` if the contents are encrypted.
  package func contents(of section: MachOSection) throws(ParseError) -> ByteRange {
    guard !section.type.isZeroFill, segments[section.segment].fileSize > 0 else {
      return range.lowerBound..<range.lowerBound
    }
    return try contents(
      offset: section.offset.rawValue, size: section.range.size, "section_64.size")
  }

  /// `range(offset:size:_:)` for bytes that the loader maps.
  ///
  /// - Throws: also `unsupported` if a byte in the range is encrypted.
  func contents(offset: UInt64, size: UInt64, _ field: String) throws(ParseError) -> ByteRange {
    let found = try range(offset: offset, size: size, field)
    if let encrypted = try encryptedRange(), encrypted.overlaps(found) {
      throw ParseError(.unsupported(found: "encrypted contents"), "cryptid", at: found.lowerBound)
    }
    return found
  }

  /// The range that the App Store encrypted: code and constants, but not symbols or function starts. `nil` if
  /// the file is not encrypted, as after linking.
  package func encryptedRange() throws(ParseError) -> ByteRange? {
    guard let command = command(.encryption) else { return nil }
    var input = command.contents(bytes)
    let offset = UInt64(try input.read(UInt32.self, "cryptoff"))
    let size = UInt64(try input.read(UInt32.self, "cryptsize"))
    guard try input.read(UInt32.self, "cryptid") != 0 else { return nil }
    return try range(offset: offset, size: size, "cryptsize")
  }

  /// Returns the range `offset ..< offset + size`, counted from the start of the Mach-O file, if the range is within
  /// that file.
  ///
  /// - Throws: `truncated` with the bytes needed and found.
  func range(offset: UInt64, size: UInt64, _ field: String) throws(ParseError) -> ByteRange {
    let start = range.lowerBound.rawValue
    let count = UInt64(range.byteCount)
    guard offset <= count, size <= count - offset else {
      throw ParseError(
        .truncated(needed: size, found: count - min(offset, count)), field,
        at: FileOffset(rawValue: start + min(offset, UInt64.max - start)))
    }
    return FileOffset(rawValue: start + offset)..<FileOffset(rawValue: start + offset + size)
  }
}
