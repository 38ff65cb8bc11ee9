import Addresses
import ByteReading
import CZlib
import CZstd

/// The header of a section with `SHF_COMPRESSED`: the compression method and the original size.
/// <https://gabi.xinuos.com/elf/03-sheader.html>, Section Compression
package struct ELFCompressionHeader: Sendable {
  package var type: ELFCompressionType
  /// `ch_size`: the size of the decompressed section in bytes.
  package var size: UInt64

  /// Parses `Elf32_Chdr` or `Elf64_Chdr`.
  init(parsing input: inout ByteCursor, is64Bit: Bool) throws(ParseError) {
    type = ELFCompressionType(rawValue: try input.read(UInt32.self, "ch_type"))
    if is64Bit { try input.skip(4, "ch_reserved") }
    size = try input.readWord(is64Bit: is64Bit, "ch_size")
    try input.skip(is64Bit ? 8 : 4, "ch_addralign")
  }
}

/// The compression method: `ch_type`.
package struct ELFCompressionType: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let zlib = Self(rawValue: 1)  // ELFCOMPRESS_ZLIB
  package static let zstd = Self(rawValue: 2)  // ELFCOMPRESS_ZSTD

  /// The maximum number of bytes that one compressed byte can become, so that a damaged size is found before memory is
  /// allocated. Deflate: 258 bytes from 2 bits (RFC 1951). Zstandard: a block of 128 KiB that repeats one byte takes 4
  /// bytes (RFC 8878).
  var greatestRatio: UInt64? {
    switch self {
    case .zlib: 1032
    case .zstd: 1 << 15
    default: nil
    }
  }
}

extension ELFCompressionType: CustomStringConvertible {
  private static let names: [Self: String] = [.zlib: "ELFCOMPRESS_ZLIB", .zstd: "ELFCOMPRESS_ZSTD"]
  package var description: String { Self.names[self] ?? "ELFCOMPRESS_\(rawValue)" }
}

extension ELFFile {
  /// The decompressed bytes of `section`, in a new buffer; `nil` if the section is not compressed.
  ///
  /// - Throws: `unsupported` for a method other than zlib and Zstandard; `tooLarge` or `invalid` for a size that the
  ///   compressed bytes cannot give; `invalid` if the compressed bytes are damaged.
  package func decompressedContents(
    of section: ELFSection
  ) throws(ParseError) -> FileBytes? {
    guard section.flags.contains(.compressed), section.type != .noBits else { return nil }
    var input = ByteCursor(bytes, in: try contents(of: section), endianness: header.endianness)
    let header = try ELFCompressionHeader(parsing: &input, is64Bit: header.is64Bit)
    guard let ratio = header.type.greatestRatio else {
      throw ParseError(.unsupported(found: "\(header.type)"), "ch_type", at: section.offset)
    }
    guard header.size <= ParsingLimits.decompressedSection else {
      throw ParseError(
        .tooLarge(limit: ParsingLimits.decompressedSection, found: header.size), "ch_size",
        at: section.offset)
    }
    guard header.size / ratio <= input.remaining else {
      throw ParseError(
        .invalid(
          expected: "at most \(ratio) times the \(input.remaining) compressed bytes",
          found: "\(header.size)"), "ch_size", at: section.offset)
    }
    let believed = ParsingLimits.decompressionRatio * input.remaining + ParsingLimits.smallTable
    guard header.size <= believed else {
      throw ParseError(
        .tooLarge(limit: believed, found: header.size), "ch_size", at: section.offset)
    }
    let packed = (input.position..<input.end).indices
    guard let unpacked = unpack(packed, header.type, byteCount: Int(header.size)) else {
      throw ParseError(
        .invalid(expected: "\(header.size) bytes of \(header.type)", found: "damaged data"),
        "compressed section", at: input.position)
    }
    return unpacked
  }

  /// - Returns: `nil` if the result does not have exactly `byteCount` bytes.
  private func unpack(
    _ packed: Range<Int>, _ type: ELFCompressionType, byteCount: Int
  ) -> FileBytes? {
    FileBytes(count: byteCount) { output in
      bytes.withBytes(packed) { input in
        type == .zlib
          ? orderfile_inflate(
            output.baseAddress, UInt(byteCount), input.baseAddress, UInt(input.count)) == Z_OK
          : ZSTD_decompress(output.baseAddress, byteCount, input.baseAddress, input.count)
            == byteCount
      }
    }
  }
}
