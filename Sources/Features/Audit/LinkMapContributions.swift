import Addresses
import ByteReading
import ImageModel
import LinkMapFormat

/// The object files of an image by address, as its link map lists them.
package struct LinkMapContributions {
  package struct Piece {
    package var range: AddressRange
    package var file: SymbolName
  }

  /// The pieces of object files, ascending by address; without pieces that the linker made itself, pieces that are not
  /// loaded, and `.tbss`, whose addresses other sections have, too.
  package private(set) var pieces: [Piece] = []

  package init(_ map: LinkMap) {
    let isLeftOut = map.sections.map {
      $0.range.start.rawValue == 0 || map.bytes.isEqual($0.name.indices, to: ".tbss")
    }
    for section in map.inputSections
    where section.range.size > 0 && !isLeftOut[Int(section.section)] {
      let file = map.bytes.copy(section.file.indices)
      guard !file.isEmpty, file.first != UInt8(ascii: "<") else { continue }
      pieces.append(Piece(range: section.range, file: SymbolName(bytes: file)))
    }
    pieces.sort {
      ($0.range.start, $0.range.size, $0.file) < ($1.range.start, $1.range.size, $1.file)
    }
  }

  /// The archive of an object file: `libx.a` of `libx.a(member.o)`; `nil` for a file that is not from an archive.
  package static func archive(of file: SymbolName) -> SymbolName? {
    guard file.bytes.last == UInt8(ascii: ")"),
      let end = file.bytes.lastIndex(of: UInt8(ascii: "("))
    else { return nil }
    let name = file.bytes[..<end]
    // ld64 adds the member's number: `libx.a[3](member.o)`.
    let number = name.last == UInt8(ascii: "]") ? name.lastIndex(of: UInt8(ascii: "[")) : nil
    return SymbolName(bytes: name[..<(number ?? end)])
  }

  /// The object file of the code at `address`; `nil` if the map does not state it.
  ///
  /// - Complexity: O(log *n*) for *n* pieces.
  func file(at address: StatedAddress) -> SymbolName? { piece(at: address).map { pieces[$0].file } }

  /// The index in `pieces` of the piece at `address`.
  ///
  /// - Complexity: O(log *n*) for *n* pieces.
  func piece(at address: StatedAddress) -> Int? {
    let next = pieces.partitioningIndex { $0.range.start > address }
    guard next > 0, pieces[next - 1].range.contains(address) else { return nil }
    return next - 1
  }
}
