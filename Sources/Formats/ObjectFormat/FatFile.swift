import Addresses
import ByteReading

/// A fat file, also called universal: a table, and one Mach-O file or archive for each architecture.
/// `mach-o/fat.h`; all its numbers are big-endian.
package struct FatFile: Sendable {
  package struct Slice: Sendable {
    package var architecture: MachOArchitecture
    /// The range of the slice within the fat file.
    package var range: ByteRange
  }

  package let bytes: FileBytes
  /// The slices, in the order of the table.
  package let slices: [Slice]

  /// More slices than any tool writes. A Java class begins with the same four bytes, followed by its version,
  /// which is at least 45.
  private static let maximumSliceCount: UInt32 = 42

  /// - Throws: `truncated` if the table or a slice exceeds the file; `invalid` for an implausible number of
  ///   slices, and for slices that overlap the table or each other.
  package init(parsing bytes: FileBytes) throws(ParseError) {
    self.bytes = bytes
    var input = ByteCursor(bytes, endianness: .big)
    let magic = try input.read(UInt32.self, "magic")
    guard magic == 0xcafe_babe || magic == 0xcafe_babf else {  // FAT_MAGIC, FAT_MAGIC_64
      throw ParseError(
        .invalid(expected: "0xcafebabe or 0xcafebabf", found: hexadecimal(UInt64(magic))), "magic",
        at: FileOffset(rawValue: 0))
    }
    let countPosition = input.position
    let count = try input.read(UInt32.self, "nfat_arch")
    guard 1...Self.maximumSliceCount ~= count else {
      throw ParseError(
        .invalid(
          expected: "1 to \(Self.maximumSliceCount)",
          found: count >= 45 && magic == 0xcafe_babe ? "\(count), as in a Java class" : "\(count)"),
        "nfat_arch", at: countPosition)
    }
    var slices: [Slice] = []
    var positions: [FileOffset] = []
    for _ in 0..<count {
      positions.append(input.position)
      slices.append(try Slice(parsing: &input, is64Bit: magic == 0xcafe_babf))
    }
    try Self.checkOverlap(of: slices, positions, tableEnd: input.position)
    self.slices = slices
  }

  private static func checkOverlap(
    of slices: [Slice], _ positions: [FileOffset], tableEnd: FileOffset
  ) throws(ParseError) {
    let order = slices.indices.sorted {
      (slices[$0].range.lowerBound, $0) < (slices[$1].range.lowerBound, $1)
    }
    var end = tableEnd
    for index in order {
      let start = slices[index].range.lowerBound
      guard start >= end else {
        throw ParseError(
          .invalid(expected: "a slice at \(end) or behind", found: "\(start)"), "fat_arch.offset",
          at: positions[index])
      }
      end = slices[index].range.upperBound
    }
  }
}

extension FatFile.Slice {
  /// Parses one `fat_arch` or `fat_arch_64`.
  fileprivate init(parsing input: inout ByteCursor, is64Bit: Bool) throws(ParseError) {
    architecture = MachOArchitecture(
      cpuType: try input.read(UInt32.self, "fat_arch.cputype"),
      cpuSubtype: try input.read(UInt32.self, "fat_arch.cpusubtype"))
    let offset = FileOffset(rawValue: try input.readWord(is64Bit: is64Bit, "fat_arch.offset"))
    let size = try input.readWord(is64Bit: is64Bit, "fat_arch.size")
    range = try input.bytes.range(offset: offset, size: size, "fat_arch.size")
    try input.skip(is64Bit ? 8 : 4, "fat_arch.align")
  }
}
