import Addresses
import ByteReading

/// A note: its owner, its type, and its bytes. <https://gabi.xinuos.com/elf/07-pheader.html>
package struct ELFNote: Sendable {
  /// The range of the owner's name in the file, without its zero: `GNU`.
  package var owner: ByteRange
  package var type: ELFNoteType
  /// The range of the descriptor in the file, without its padding.
  package var descriptor: ByteRange

  /// Parses a note. `alignment` is 8 for `.note.gnu.property`, and 4 for all others, counted from the
  /// beginning of the note: sections of notes need not be aligned in the file, and those of llvm-bolt are
  /// not.
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

/// `n_type`. Its meaning depends on the owner; these are GNU's.
package struct ELFNoteType: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let gnuBuildID = Self(rawValue: 3)  // NT_GNU_BUILD_ID
}

extension ELFFile {
  /// All readable notes, from the sections or, in a file without any, from the segments; and the error in the
  /// first unreadable one, after which the rest of its section is left out.
  ///
  /// Sections are preferred: a file of debug information keeps them, while the offsets in its segments are
  /// meaningless.
  package func notes() -> (notes: [ELFNote], problem: ParseError?) {
    var notes: [ELFNote] = []
    var problem: ParseError?
    func append(_ alignment: UInt64, _ range: () throws(ParseError) -> ByteRange) {
      do throws(ParseError) {
        var input = ByteCursor(bytes, in: try range(), endianness: header.endianness)
        while !input.isAtEnd {
          notes.append(try ELFNote(parsing: &input, alignment: alignment == 8 ? 8 : 4))
        }
      } catch { problem = problem ?? error }
    }
    for section in sections where section.type == .note {
      append(section.alignment) { () throws(ParseError) in try contents(of: section) }
    }
    guard sections.isEmpty else { return (notes, problem) }
    var budget = ByteBudget(limit: UInt64(bytes.count))
    for segment in segments where segment.type == .note {
      append(segment.alignment) { () throws(ParseError) in
        let range = try bytes.range(offset: segment.offset, size: segment.fileSize, "p_offset")
        try budget.take(range.byteCount, "segments that share bytes", at: range.lowerBound)
        return range
      }
    }
    return (notes, problem)
  }

  /// The bytes of the GNU build ID; `nil` if there is none.
  package func buildID() -> [UInt8]? {
    for note in notes().notes
    where note.type == .gnuBuildID && note.owner.byteCount == 3
      && bytes.hasPrefix("GNU", at: note.owner.indices.lowerBound)
    {
      return bytes.copy(note.descriptor.indices)
    }
    return nil
  }
}
