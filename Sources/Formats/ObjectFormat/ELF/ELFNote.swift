import Addresses
import ByteReading

/// A note: its owner, its type, and its bytes. <https://gabi.xinuos.com/elf/07-pheader.html>
package struct ELFNote: Sendable {
  /// The range of the owner's name in the file, without its terminating zero: `GNU`.
  package var owner: ByteRange
  package var type: ELFNoteType
  /// The range of the descriptor in the file, without its padding.
  package var descriptor: ByteRange

  /// Parses a note. `alignment` is 8 for `.note.gnu.property`, and 4 for all other notes. It counts from the beginning
  /// of the note: sections of notes need not be aligned in the file, and llvm-bolt does not align them.
  init(parsing input: inout ByteCursor, alignment: UInt64) throws(ParseError) {
    let start = input.position
    let nameSize = try input.read(UInt32.self, "n_namesz")
    let descriptorSize = try input.read(UInt32.self, "n_descsz")
    type = ELFNoteType(rawValue: try input.read(UInt32.self, "n_type"))
    let name = try input.readRange(UInt64(nameSize), "n_name")
    owner =
      name.isEmpty ? name : name.lowerBound..<FileOffset(rawValue: name.upperBound.rawValue - 1)
    try input.align(to: alignment, from: start, "n_name")
    descriptor = try input.readRange(UInt64(descriptorSize), "n_desc")
    try input.align(to: alignment, from: start, "n_desc")
  }
}

/// `n_type`. Its meaning depends on the owner; these types are GNU's.
package struct ELFNoteType: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let gnuBuildID = Self(rawValue: 3)  // NT_GNU_BUILD_ID
}

/// The readable notes of a file, and the error in the first unreadable note. The notes after it in the same section or
/// segment are left out.
private struct ELFNotes {
  var notes: [ELFNote] = []
  var problem: ParseError?

  /// Appends the notes in a range of `file`.
  mutating func append(
    _ file: ELFFile, alignment: UInt64, _ range: () throws(ParseError) -> ByteRange
  ) {
    do throws(ParseError) {
      var input = ByteCursor(file.bytes, in: try range(), endianness: file.header.endianness)
      while !input.isAtEnd {
        notes.append(try ELFNote(parsing: &input, alignment: alignment == 8 ? 8 : 4))
      }
    } catch { problem = problem ?? error }
  }

  /// The bytes of the GNU build ID; `nil` if there is none.
  func buildID(in file: ELFFile) -> [UInt8]? {
    let found = notes.first { note in
      note.type == .gnuBuildID && note.owner.byteCount == 3
        && file.bytes.hasPrefix("GNU", at: note.owner.indices.lowerBound)
    }
    return found.map { file.bytes.copy($0.descriptor.indices) }
  }
}

extension ELFFile {
  /// All readable notes, from the sections or, in a file without sections, from the segments; and the error in the
  /// first unreadable note, after which the rest of its section is left out.
  ///
  /// Sections are preferred: a file of debug information keeps them, while the offsets in its segments are
  /// meaningless.
  package func notes() -> (notes: [ELFNote], problem: ParseError?) {
    let found = preferredNotes
    return (found.notes, found.problem)
  }

  private var preferredNotes: ELFNotes { sections.isEmpty ? notesInSegments : notesInSections }

  private var notesInSections: ELFNotes {
    var found = ELFNotes()
    for section in sections where section.type == .note {
      found.append(self, alignment: section.alignment) { () throws(ParseError) in
        try contents(of: section)
      }
    }
    return found
  }

  private var notesInSegments: ELFNotes {
    var found = ELFNotes()
    var budget = ByteBudget(limit: UInt64(bytes.count))
    for segment in segments where segment.type == .note {
      found.append(self, alignment: segment.alignment) { () throws(ParseError) in
        let range = try bytes.range(offset: segment.offset, size: segment.fileSize, "p_offset")
        try budget.take(range.byteCount, "segments that share bytes", at: range.lowerBound)
        return range
      }
    }
    return found
  }

  /// The bytes of the GNU build ID; `nil` if there is none.
  package func buildID() -> [UInt8]? { preferredNotes.buildID(in: self) }

  /// The bytes of the GNU build ID that a process finds in its memory; `nil` if there is none. In a file of debug
  /// information this ID is meaningless.
  package func buildIDInSegments() -> [UInt8]? { notesInSegments.buildID(in: self) }
}
