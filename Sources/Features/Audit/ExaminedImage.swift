import Addresses
import ByteReading
import ImageModel
import ObjectFormat
import Symbolication

/// The image in a file that a loader would map.
enum MappedImage: Sendable {
  case elf(ELFFile)
  case machO(MachOFile)

  /// - Parameter architecture: the slice of a universal file.
  /// - Returns: `nil` for an archive, and for a universal file without that slice or a Mach-O image of another
  ///   architecture.
  init?(in bytes: FileBytes, of architecture: Architecture) throws(ParseError) {
    switch try ObjectFile(parsing: bytes) {
    case .elf(let file): self = .elf(file)
    case .machO(let file):
      guard file.header.architecture.description == architecture.description else { return nil }
      self = .machO(file)
    case .fat(let file):
      guard
        let slice = file.slices.first(where: {
          $0.architecture.description == architecture.description
        })
      else { return nil }
      self = .machO(try MachOFile(parsing: bytes, at: slice.range))
    case .archive: return nil
    }
  }

  /// The ID by which traces distinguish the image from its other builds; `nil` if the ID can't be read.
  var id: ImageID? {
    switch self {
    case .elf(let file): ImageID(file)
    case .machO(let file): try? file.imageID()
    }
  }
}

/// The file of an image in the closure, and what it asks of the loader.
struct ExaminedImage: Sendable {
  /// The path by which the image was found.
  var path: String
  /// The name in the report.
  var name: SymbolName
  var bytes: FileBytes
  var file: MappedImage
  var loads: [LibraryLoad] = []
  /// The name that the image states for itself; an ELF loader takes the image for any request of that name.
  var ownName: [UInt8]?
  /// The folders that the image adds to the search for libraries, as the image states them: `DT_RUNPATH` in ELF,
  /// `LC_RPATH` in Mach-O.
  var runPaths: [[UInt8]] = []
  /// The folders of `DT_RPATH`, which are also searched for the libraries that the image's libraries ask for.
  var inheritedRunPaths: [[UInt8]] = []
  /// Whether the image has the flag `DF_1_NODEFLIB`: libraries are then searched only in run paths.
  var ignoresDefaultFolders = false
  /// Warnings about parts of the image that could not be read.
  var problems: [Diagnostic] = []

  /// The maximum number of folders of one image that are searched. More folders are left out with a warning.
  static let runPathLimit = 64

  /// The folder of the file. The paths of the libraries that it asks for may be relative to this folder.
  var folder: String

  init(path: String, name: SymbolName, bytes: FileBytes, file: MappedImage) {
    self.path = path
    self.name = name
    self.bytes = bytes
    self.file = file
    folder = Self.folder(of: path)
  }

  /// The folder of the file at `path`, without a slash at its end; empty for the root.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return String(path[..<slash])
  }

  /// The size of the image in bytes; of a slice, the size of the slice.
  var fileBytes: UInt64 {
    switch file {
    case .elf: UInt64(bytes.count)
    case .machO(let file): UInt64(file.range.byteCount)
    }
  }

  /// Leaves out the folders beyond the limit, with a warning.
  mutating func limitRunPaths() {
    let count = runPaths.count + inheritedRunPaths.count
    guard count > Self.runPathLimit else { return }
    runPaths = Array(runPaths.prefix(Self.runPathLimit))
    inheritedRunPaths = Array(inheritedRunPaths.prefix(Self.runPathLimit))
    problems.append(
      Diagnostic(
        "too many folders to search: expected at most \(Self.runPathLimit), found \(count); the rest is left out",
        context: [path]))
  }
}
