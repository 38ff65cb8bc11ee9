import ByteReading
import ImageModel
import ObjectFormat

extension ImageID {
  /// The build ID of `file`; without one, a weak ID of the whole program header table as in the file.
  package init(_ file: ELFFile) { self.init(file, buildID: file.buildID()) }

  /// The ID of `file` that a process finds in its memory: a build ID counts only if it is in a
  /// segment.
  init(inMemory file: ELFFile) { self.init(file, buildID: file.buildIDInSegments()) }

  /// The ID of the ELF image in `bytes` that a process finds in its memory; `nil` for another file.
  package init?(inMemory bytes: FileBytes) {
    guard case .elf(let file)? = try? ObjectFile(parsing: bytes) else { return nil }
    self.init(inMemory: file)
  }

  private init(_ file: ELFFile, buildID: [UInt8]?) {
    if let buildID, !buildID.isEmpty {
      self.init(kind: .buildID, bytes: buildID)
    } else {
      // The recorder computes the same ID from `dl_iterate_phdr`.
      self.init(weakOf: file.bytes, file.segmentTable.indices)
    }
  }
}
