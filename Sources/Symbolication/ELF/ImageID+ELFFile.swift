import ImageModel
import ObjectFormat

extension ImageID {
  /// The build ID of `file`; without one, a weak ID of the whole program header table as in the file.
  package init(_ file: ELFFile) {
    if let buildID = file.buildID(), !buildID.isEmpty {
      self.init(kind: .buildID, bytes: buildID)
    } else {
      // The recorder computes the same from `dl_iterate_phdr`.
      self.init(weakOf: file.bytes, file.segmentTable.indices)
    }
  }
}
