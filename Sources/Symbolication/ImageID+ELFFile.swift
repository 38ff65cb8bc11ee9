import ByteReading
import ImageModel
import ObjectFormat

extension ImageID {
  /// The build ID of `file`; without one a weak ID, of the program headers.
  ///
  /// - Throws: what is wrong with the notes.
  package init(_ file: ELFFile) throws(ParseError) {
    if let buildID = try file.buildID(), !buildID.isEmpty {
      self.init(kind: .buildID, bytes: buildID)
    } else {
      self.init(weak: file)
    }
  }

  /// FNV-1a, 64 bits, of the whole program header table as it stands in the file; the highest byte
  /// first. The recorder computes the same from `dl_iterate_phdr`.
  /// <https://www.rfc-editor.org/rfc/rfc9923>
  private init(weak file: ELFFile) {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for index in file.segmentTable.indices {
      hash = (hash ^ UInt64(file.bytes[index])) &* 0x100_0000_01b3
    }
    self.init(
      kind: .weak,
      bytes: (0..<8).map { UInt8(truncatingIfNeeded: hash >> (56 - 8 * UInt64($0))) })
  }
}
