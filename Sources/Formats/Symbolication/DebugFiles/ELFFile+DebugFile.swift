// As in gdb, the debug file of an ELF image is searched
//
// with the image's build ID:     ROOT/.build-id/xx/yyyy.debug
// with its .gnu_debuglink:       FOLDER/NAME, FOLDER/.debug/NAME, ROOT/FOLDER/NAME
//
// in this order; FOLDER is the folder of the image, ROOT is /usr/lib/debug.
// <https://sourceware.org/gdb/current/onlinedocs/gdb.html/Separate-Debug-Files.html>

import Addresses
import ByteReading
import ImageModel
import ObjectFormat

extension ELFFile {
  /// If `path` is relative, the place ROOT/FOLDER/NAME is left out.
  package func debugFileCandidates(
    at path: String, named: String?, roots: [String]
  ) -> (candidates: [DebugFileRequest.Candidate], problem: ParseError?) {
    if let named { return ([DebugFileRequest.Candidate(path: named)], nil) }
    var candidates: [DebugFileRequest.Candidate] = []
    if let buildID = buildID(), buildID.count > 1 {
      let hex = ImageID(kind: .buildID, bytes: buildID).description
      for root in roots {
        candidates.append(
          DebugFileRequest.Candidate(
            path: "\(root)/.build-id/\(hex.prefix(2))/\(hex.dropFirst(2)).debug"))
      }
    }
    let link: ELFDebugLink?
    do { link = try debugLink() } catch { return (candidates, error) }
    if let link {
      let end = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) }
      let folder = String(path[..<(end ?? path.startIndex)])
      var paths = [folder + link.name, folder + ".debug/" + link.name]
      if folder.utf8.first == UInt8(ascii: "/") { paths += roots.map { $0 + folder + link.name } }
      candidates += paths.map { DebugFileRequest.Candidate(path: $0, checksum: link.checksum) }
    }
    return (candidates, nil)
  }

  /// The debug file must have the image's build ID, and the checksum if there is one. Without both, its sections must
  /// be at the same addresses as the image's.
  func debugFile(
    in bytes: FileBytes, _ candidate: DebugFileRequest.Candidate
  ) throws -> ELFFile {
    let file = try ELFFile(parsing: bytes)
    guard file.header.machine == header.machine else {
      throw Diagnostic(
        "machine mismatch: expected \(header.machine), found \(file.header.machine)",
        severity: .mismatch)
    }
    let buildID = buildID()
    if let buildID {
      let expected = ImageID(kind: .buildID, bytes: buildID)
      let found = file.buildID().map { ImageID(kind: .buildID, bytes: $0) }
      guard found == expected else {
        throw Diagnostic(
          "build ID mismatch: expected \(expected), found \(found?.description ?? "none")",
          severity: .mismatch)
      }
    }
    if let checksum = candidate.checksum {
      let found = ELFDebugLink.checksum(of: bytes)
      guard found == checksum else {
        throw Diagnostic(
          "CRC mismatch: expected \(hexadecimal(UInt64(checksum))), found "
            + hexadecimal(UInt64(found)), severity: .mismatch)
      }
    }
    guard
      buildID != nil || candidate.checksum != nil || file.sectionsInMemory() == sectionsInMemory()
    else { throw Diagnostic.sectionMismatch }
    return file
  }
}
