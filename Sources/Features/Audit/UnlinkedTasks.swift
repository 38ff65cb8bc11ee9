import ByteReading
import CommandSupport
import ImageModel
import ObjectFormat

/// The start-up tasks in those members of archives that the linker did not take, because nothing refers to a symbol of
/// the member.
///
/// An archive is read only if the link map names a member of the archive. Relative paths in the link map are tried in
/// the current folder, then in the folder of the link map.
struct UnlinkedTasks {
  private(set) var tasks: [AuditedTask] = []
  /// Warnings about archives that could not be read.
  private(set) var problems: [Diagnostic] = []
  private let image: SymbolName
  private let linked: Set<SymbolName>

  /// - Parameters:
  ///   - image: the name of the image.
  ///   - path: the path of its link map.
  init(of image: SymbolName, _ contributions: LinkMapContributions, linkMapAt path: String) {
    self.image = image
    var archives: [SymbolName] = []
    var seen: Set<SymbolName> = []
    var members: Set<SymbolName> = []
    for piece in contributions.pieces {
      guard let archive = LinkMapContributions.archive(of: piece.file),
        let member = Self.member(of: piece.file)
      else { continue }
      members.insert("\(archive)(\(member))")
      if seen.insert(archive).inserted { archives.append(archive) }
    }
    linked = members
    for archive in archives { add(archive, besides: ExaminedImage.folder(of: path)) }
  }

  private static func member(of file: SymbolName) -> SymbolName? {
    guard let start = file.bytes.lastIndex(of: UInt8(ascii: "(")) else { return nil }
    return SymbolName(bytes: file.bytes[(start + 1)...].dropLast())
  }

  private mutating func add(_ archive: SymbolName, besides folder: String) {
    guard let path = String(validating: archive.bytes, as: UTF8.self) else { return }
    let paths = path.hasPrefix("/") ? [path] : [path, "\(folder)/\(path)"]
    guard let bytes = paths.lazy.compactMap({ try? FileBytes(regularFileAt: $0) }).first else {
      return  // Archives of a toolchain need not be on this machine.
    }
    do throws(ParseError) {
      let file = try ArchiveFile(parsing: bytes)
      for member in file.members {
        let name = SymbolName(bytes: bytes.copy(member.name.indices))
        let full: SymbolName = "\(archive)(\(name))"
        guard !linked.contains(full) else { continue }
        for task in try Self.tasks(in: bytes, at: member.range) {
          var audited = AuditedTask(task, of: image)
          audited.objectFile = full
          audited.problem = .unlinked
          tasks.append(audited)
        }
      }
    } catch {
      problems.append(
        Diagnostic("unable to read start-up tasks: \(error)", context: ["\(archive)"]))
    }
  }

  /// Returns the tasks of a member; none if the member is no object file, such as a member for link-time optimization.
  private static func tasks(
    in bytes: FileBytes, at range: ByteRange
  ) throws(ParseError) -> [StartupTask] {
    switch ObjectFile.Kind(recognizing: bytes, at: range.indices.lowerBound) {
    case .elf: try ELFFile(parsing: FileBytes(bytes.copy(range.indices))).startupTasks()
    case .machO: try MachOFile(parsing: bytes, at: range).startupTasks()
    case .fat, .archive, nil: []
    }
  }
}
