// Finding the file that holds what was stripped from an image.
//
// With the image's build ID:     ROOT/.build-id/xx/yyyy.debug
// With its .gnu_debuglink:       FOLDER/NAME, FOLDER/.debug/NAME, ROOT/FOLDER/NAME
//
// in this order, as gdb does; FOLDER is the image's own, ROOT is /usr/lib/debug. A file that the user
// names is the only one that is tried. No file is opened here: the caller hands in what opens one.
// <https://sourceware.org/gdb/current/onlinedocs/gdb.html/Separate-Debug-Files.html>

import Addresses
import ByteReading
import DebugInfo
import ImageModel
import ObjectFormat

/// Where the debug file of one image may be, and how to know it.
package struct DebugFileRequest {
  /// A place to look.
  package struct Candidate: Hashable, Sendable {
    package var path: String
    /// What the whole file must sum up to; only `.gnu_debuglink` says.
    package var checksum: UInt32?
  }

  /// In the order of trial.
  package let candidates: [Candidate]
  /// Whether the user named the only candidate.
  let isExplicit: Bool
  private let image: ELFFile
  private let sections: [Section]
  private let buildID: [UInt8]?

  /// - Parameters:
  ///   - path: the image's. If it is relative, the place under a root that needs its folder is left out.
  ///   - debugFile: what the user names; nothing else is tried then.
  ///   - roots: folders that distributions install debug files in.
  /// - Throws: what is wrong with the image's notes or its debug link.
  package init(
    for image: ELFFile, at path: String, debugFile: String?, roots: [String] = Self.systemRoots
  ) throws(ParseError) {
    self.image = image
    sections = image.allocatedSections()
    isExplicit = debugFile != nil
    buildID = try image.buildID()
    if let debugFile {
      candidates = [Candidate(path: debugFile)]
      return
    }
    var candidates: [Candidate] = []
    if let buildID, buildID.count > 1 {
      let hex = ImageID(kind: .buildID, bytes: buildID).description
      for root in roots {
        candidates.append(
          Candidate(path: "\(root)/.build-id/\(hex.prefix(2))/\(hex.dropFirst(2)).debug"))
      }
    }
    if let link = try image.debugLink() {
      let end = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) }
      let folder = String(path[..<(end ?? path.startIndex)])
      var paths = [folder + link.name, folder + ".debug/" + link.name]
      if folder.utf8.first == UInt8(ascii: "/") { paths += roots.map { $0 + folder + link.name } }
      candidates += paths.map { Candidate(path: $0, checksum: link.checksum) }
    }
    self.candidates = candidates
  }

  package static let systemRoots = ["/usr/lib/debug"]
}

extension DebugFileRequest {
  /// What a search came to.
  struct Outcome {
    var functions: NamedFunctions?
    /// All candidates before the one that fits, each with its reason.
    var rejected: [(path: String, reason: Diagnostic)] = []

    /// One line for each rejected candidate; empty if nothing was tried.
    var rejections: String {
      rejected.map { "\n  tried \($0.path): \($0.reason)" }.joined()
    }
  }

  /// Tries the candidates until one fits and gives functions.
  ///
  /// It must have symbols or DWARF, the image's build ID, and the checksum if there is one. For an image
  /// without a build ID or a checksum its sections must lie where the image's do.
  func search(opening open: (String) throws(SystemError) -> FileBytes) -> Outcome {
    var outcome = Outcome()
    for candidate in candidates {
      do {
        let bytes = try open(candidate.path)
        let file = try ELFFile(parsing: bytes)
        try check(file, candidate.checksum)
        outcome.functions = try functions(of: file, candidate.path)
        return outcome
      } catch {
        let reason = error as? Diagnostic ?? Diagnostic("\(error)")
        outcome.rejected.append((candidate.path, reason))
      }
    }
    return outcome
  }

  /// - Throws: a diagnostic that says why `file` is not the image's debug file.
  private func check(_ file: ELFFile, _ checksum: UInt32?) throws {
    guard file.header.machine == image.header.machine else {
      throw Diagnostic(
        "machine mismatch: expected \(image.header.machine), found \(file.header.machine)",
        severity: .mismatch)
    }
    if let buildID {
      let expected = ImageID(kind: .buildID, bytes: buildID)
      let found = try file.buildID().map { ImageID(kind: .buildID, bytes: $0) }
      guard found == expected else {
        throw Diagnostic(
          "build ID mismatch: expected \(expected), found \(found?.description ?? "none")",
          severity: .mismatch)
      }
    }
    if let checksum {
      let found = ELFDebugLink.checksum(of: file.bytes)
      guard found == checksum else {
        throw Diagnostic(
          "CRC mismatch: expected \(hexadecimal(UInt64(checksum))), found "
            + hexadecimal(UInt64(found)), severity: .mismatch)
      }
    }
    guard buildID != nil || checksum != nil || file.allocatedSections() == sections else {
      throw Diagnostic(
        "section mismatch: expected the image's names, addresses and sizes",
        severity: .mismatch)
    }
  }

  private func functions(of file: ELFFile, _ path: String) throws -> NamedFunctions {
    let machine = image.header.machine
    if let table = try file.symbolTable() {
      return NamedFunctions(
        table, in: sections, machine: machine, source: .debugFile(path: path))
    }
    guard let debug = try DebugFunctions(file) else {
      throw Diagnostic("missing symbol table and .debug_info")
    }
    return NamedFunctions(
      debug, dynamic: try image.dynamicSymbolTable(), in: sections, machine: machine,
      source: .debugFileInformation(path: path))
  }
}
