import Addresses
import ByteReading
import ImageModel
import LinkMapFormat

/// The object files of an image by address, as its link map lists them.
struct LinkMapContributions {
  struct Piece {
    var range: AddressRange
    var file: SymbolName
  }

  /// Ascending by address; without what the linker made itself.
  private(set) var pieces: [Piece] = []

  init(_ map: LinkMap) {
    for section in map.inputSections where section.range.size > 0 {
      let file = map.bytes.copy(section.file.indices)
      guard !file.isEmpty, file.first != UInt8(ascii: "<") else { continue }
      pieces.append(Piece(range: section.range, file: SymbolName(bytes: file)))
    }
    pieces.sort {
      ($0.range.start, $0.range.size, $0.file) < ($1.range.start, $1.range.size, $1.file)
    }
  }

  /// The archive of the code at `address`: `libx.a` of `libx.a(member.o)`; `nil` if it is not from one.
  func archive(at address: StatedAddress) -> SymbolName? {
    guard let file = file(at: address), file.bytes.last == UInt8(ascii: ")"),
      let end = file.bytes.lastIndex(of: UInt8(ascii: "("))
    else { return nil }
    let name = file.bytes[..<end]
    // ld64 adds the member's number: `libx.a[3](member.o)`.
    let number = name.last == UInt8(ascii: "]") ? name.lastIndex(of: UInt8(ascii: "[")) : nil
    return SymbolName(bytes: name[..<(number ?? end)])
  }

  /// The object file of the code at `address`; `nil` if the map does not tell.
  ///
  /// - Complexity: O(log *n*) for *n* pieces.
  func file(at address: StatedAddress) -> SymbolName? {
    let next = pieces.partitioningIndex { $0.range.start > address }
    guard next > 0, pieces[next - 1].range.contains(address) else { return nil }
    return pieces[next - 1].file
  }
}
