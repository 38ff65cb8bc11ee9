import Addresses
import ByteReading

/// The value of a pointer in an image's data after loading, minus the slide.
package enum MachOPointer: Hashable, Sendable {
  case null
  /// An address in this image, if the data makes sense.
  case address(StatedAddress)
  /// The result of a symbol lookup by the loader, usually an address in another image.
  case bound
}

/// A linked image by address, as the loader maps it before any slide.
///
/// It is used to follow pointers from one structure to the next. Data that can't be read is `nil`, so that one stray
/// pointer does not hide all other structures.
package struct MachOMemory: Sendable {
  package let file: MachOFile
  private let base: StatedAddress
  private let formats: [ChainedPointerFormat?]
  private let encrypted: ByteRange?
  /// The indexes of the segments that occupy address space, ascending by address.
  private let segments: [Int]

  /// - Throws: the error in the load commands that give the encoding of pointers, or in their data; `missing`
  ///   in a file without a `__TEXT` segment.
  package init(_ file: MachOFile) throws(ParseError) {
    guard let base = file.baseAddress else {
      throw ParseError(.missing, "__TEXT", at: file.range.lowerBound)
    }
    self.file = file
    self.base = base
    formats = try file.chainedPointerFormats()
    encrypted = try file.encryptedRange()
    segments = file.segments.indices.filter { file.segments[$0].range.size > 0 }
      .sorted { (file.segments[$0].range.start, $0) < (file.segments[$1].range.start, $1) }
  }

  /// The place in the file of the `count` bytes at `address`, and their segment.
  ///
  /// - Returns: `nil` if they are not in one segment, or if the file does not contain them in plain form:
  ///   zero-fill, and encrypted bytes.
  func find(
    _ address: StatedAddress, count: UInt64
  ) -> (range: Range<Int>, segment: Int)? {
    guard let index = segment(of: address) else { return nil }
    let segment = file.segments[index]
    let distance = address.rawValue - segment.range.start.rawValue
    let (offset, overflow) = segment.offset.rawValue.addingReportingOverflow(distance)
    guard !overflow, distance <= segment.fileSize, count <= segment.fileSize - distance,
      let range = try? file.range(offset: offset, size: count, "filesize"),
      encrypted?.overlaps(range) != true
    else { return nil }
    return (range.indices, index)
  }

  private func segment(of address: StatedAddress) -> Int? {
    let next = segments.partitioningIndex { file.segments[$0].range.start > address }
    guard next > 0, file.segments[segments[next - 1]].range.contains(address) else { return nil }
    return segments[next - 1]
  }

  /// The pointer stored at `address`, in its segment's format.
  package func pointer(at address: StatedAddress) -> MachOPointer? {
    guard let (range, segment) = find(address, count: 8) else { return nil }
    let stored = UInt64(
      littleEndian: file.bytes.loadUnaligned(UInt64.self, at: range.lowerBound))
    if let format = formats[segment] { return format.pointer(stored, base: base) }
    return stored == 0 ? .null : .address(StatedAddress(rawValue: stored))
  }

  /// The pointer stored `distance` bytes after `address`.
  func pointer(at address: StatedAddress, _ distance: UInt64) -> MachOPointer? {
    address.advanced(by: distance).flatMap(pointer)
  }

  /// The 32-bit integer stored `distance` bytes after `address`.
  func integer(at address: StatedAddress, _ distance: UInt64) -> UInt32? {
    guard let place = address.advanced(by: distance), let (range, _) = find(place, count: 4) else {
      return nil
    }
    return UInt32(littleEndian: file.bytes.loadUnaligned(UInt32.self, at: range.lowerBound))
  }

  /// The target of the 32-bit offset stored `distance` bytes after `address`, which is relative to its own
  /// place.
  func target(at address: StatedAddress, _ distance: UInt64) -> StatedAddress? {
    guard let stored = integer(at: address, distance) else { return nil }
    let offset = UInt64(bitPattern: Int64(Int32(bitPattern: stored)))
    return StatedAddress(rawValue: address.rawValue &+ distance &+ offset)
  }

  /// The address `offset` bytes after the Mach-O header.
  func address(atOffset offset: UInt32) -> StatedAddress? { base.advanced(by: UInt64(offset)) }

  /// Whether a function can be at `address`.
  func isExecutable(_ address: StatedAddress) -> Bool {
    segment(of: address).map { file.segments[$0].isExecutable } ?? false
  }
}
