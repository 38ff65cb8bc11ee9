// The debug file of a Mach-O image is a dSYM: a folder with the debug information of one image, named after
// the image or the bundle that contains it.
//
//     FOLDER/App.dSYM/Contents/Resources/DWARF/App         beside the image
//     …/App.app.dSYM/Contents/Resources/DWARF/App          beside each bundle around it
//     X.xcarchive/dSYMs/App.app.dSYM/…                     where Xcode's archives have them
//
// The UUID shows whether a dSYM belongs to the image. A user may name the dSYM or the file inside.

import ByteReading
import ImageModel
import ObjectFormat

extension MachOFile {
  package func debugFileCandidates(
    at path: String, named: String?, roots: [String]
  ) -> (candidates: [DebugFileRequest.Candidate], problem: ParseError?) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let name = parts.last ?? path
    if let named { return (Self.candidates(named: named, imageName: name), nil) }
    var bundles = [path]
    var archived = [name]
    for end in parts.indices.dropFirst().reversed() {
      let folder = parts[end - 1]
      if folder.hasSuffix(".xcarchive") {
        let archive = parts[..<end].joined(separator: "/")
        bundles += archived.map { "\(archive)/dSYMs/\($0)" }
      } else if Self.isBundle(folder) {
        bundles.append(parts[..<end].joined(separator: "/"))
        archived.append(folder)
      }
    }
    let candidates = bundles.map {
      DebugFileRequest.Candidate(path: "\($0).dSYM" + Self.inside + name)
    }
    return (candidates, nil)
  }

  private static let inside = "/Contents/Resources/DWARF/"

  /// The file inside has the name of the image, or the name of the dSYM if the image was renamed.
  private static func candidates(
    named: String, imageName: String
  ) -> [DebugFileRequest.Candidate] {
    var bundle = named[...]
    while bundle.hasSuffix("/") { bundle.removeLast() }
    guard bundle.hasSuffix(".dSYM") else { return [DebugFileRequest.Candidate(path: named)] }
    var names = [imageName]
    var own = bundle.split(separator: "/").last?.dropLast(".dSYM".count) ?? ""
    names.append(String(own))
    if isBundle(String(own)), let dot = own.lastIndex(of: ".") {
      own = own[..<dot]
      names.append(String(own))
    }
    var paths: [String] = []
    for name in names where !paths.contains(bundle + inside + name) {
      paths.append(bundle + inside + name)
    }
    return paths.map { DebugFileRequest.Candidate(path: $0) }
  }

  /// `App.app`, `Kit.framework`, `Share.appex`: a folder with a suffix is a bundle, unless the suffix is a
  /// version number as in `python3.11`.
  private static func isBundle(_ folder: String) -> Bool {
    guard let dot = folder.lastIndex(of: "."), dot > folder.startIndex else { return false }
    return !folder[folder.index(after: dot)...].allSatisfy(\.isNumber)
  }

  /// Returns the image's debug file; in a fat file, the slice with the image's UUID. For an image without a UUID, the
  /// sections must be at the same addresses as the image's.
  func debugFile(
    in bytes: FileBytes, _ candidate: DebugFileRequest.Candidate
  ) throws -> MachOFile {
    let files: [MachOFile]
    switch try ObjectFile(parsing: bytes) {
    case .machO(let file): files = [file]
    case .fat(let fat):
      files = fat.slices.compactMap { try? MachOFile(parsing: bytes, at: $0.range) }
    default: throw Diagnostic("unsupported debug file: expected a dSYM's Mach-O file")
    }
    guard let expected = try uuid() else {
      guard let file = files.first(where: { $0.sectionsInMemory() == sectionsInMemory() }) else {
        throw Diagnostic.sectionMismatch
      }
      return file
    }
    var found: [String] = []
    for file in files {
      guard let uuid = try file.uuid() else { continue }
      if uuid == expected { return file }
      found.append(ImageID(kind: .uuid, bytes: uuid).description)
    }
    throw Diagnostic(
      "UUID mismatch: expected \(ImageID(kind: .uuid, bytes: expected)), found "
        + (found.isEmpty ? "none" : found.joined(separator: ", ")), severity: .mismatch)
  }
}
