import Addresses
import ByteReading
import ImageModel
import ObjectFormat

extension ImageSizes {
  /// The sizes of an ELF image; `nil` for other formats, and if its headers are damaged.
  package init?(of bytes: FileBytes) {
    guard case .elf(let file)? = try? ObjectFile(parsing: bytes) else { return nil }
    func size(_ isCounted: (ELFSection) -> Bool) -> UInt64 {
      file.sections.filter { $0.type != .noBits && isCounted($0) }.map(\.size).saturatingSum()
    }
    let table = (try? file.symbolTable()) ?? nil
    self.init(
      fileBytes: UInt64(bytes.count), sections: file.sections.count,
      codeBytes: size { $0.flags.contains(.executable) },
      unwindBytes: size { file.isUnwindTable($0) },
      symbolTableBytes: [
        size { $0.type == .symbolTable }, UInt64(table?.names.range.byteCount ?? 0),
      ].saturatingSum(),
      symbols: table?.count ?? 0)
  }
}

extension ELFFile {
  /// Recognizes an unwind table by its name: GNU ld gives these tables no type of their own.
  fileprivate func isUnwindTable(_ section: ELFSection) -> Bool {
    let names: [StaticString] = [".eh_frame", ".eh_frame_hdr", ".gcc_except_table"]
    return names.contains {
      section.name.byteCount == $0.utf8CodeUnitCount
        && bytes.hasPrefix($0, at: section.name.indices.lowerBound)
    }
  }
}
