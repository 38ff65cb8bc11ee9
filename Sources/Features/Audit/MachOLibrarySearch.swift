// How Apple's loader finds a library, dyld(1): by the path in the load command, in which the first component may be
//
//   @executable_path   the folder of the program
//   @loader_path       the folder of the image that asks
//   @rpath             each LC_RPATH of the image that asks, of the image that asked for this image, and so on to the
//                      program
//
// An LC_RPATH may itself begin with one of the first two words; @loader_path is then the folder of the image that has
// the LC_RPATH. Libraries in /usr/lib and /System belong to the system: their files are in a cache and need not exist,
// so they are not looked for. A library with @rpath that is found nowhere else is assumed to be such a library if an
// LC_RPATH names such a folder. /usr/lib/swift is known to have only libswift*.

import ByteReading
import ImageModel
import ObjectFormat

struct MachOLibrarySearch: LibrarySearch {
  private let architecture: Architecture
  private let root: SystemRoot

  init(for architecture: Architecture, root: SystemRoot) {
    self.architecture = architecture
    self.root = root
  }

  func find(_ load: LibraryLoad, for node: Int, in closure: LibraryClosure) -> FoundLibrary {
    guard let name = String(validating: load.name.bytes, as: UTF8.self) else {
      return .missing(reason: "its name is not UTF-8", path: nil)
    }
    var other: (path: String, reason: String)?
    guard name.hasPrefix("@rpath/") else {
      guard let image = closure.nodes[node].image,
        let path = expanded(name, of: image, in: closure)
      else { return .missing(reason: "not found", path: nil) }
      if isSystem(path) { return .system(path: path) }
      return library(at: path, &other)
        ?? .missing(reason: other?.reason ?? "not found", path: other?.path)
    }
    var systemPath: String?
    for image in closure.chain(from: node) {
      for folder in image.runPaths {
        guard let text = String(validating: folder, as: UTF8.self),
          let folder = expanded(text, of: image, in: closure)
        else { continue }
        let slash = folder.hasSuffix("/") ? "" : "/"
        let path = folder + slash + name.dropFirst("@rpath/".count)
        if isSystem(path) {
          // The folder /usr/lib/swift has the libraries of Swift, and nothing else.
          let isKnown =
            !path.hasPrefix("/usr/lib/swift/") || path.hasPrefix("/usr/lib/swift/libswift")
          if isKnown { systemPath = systemPath ?? path }
        } else if let found = library(at: path, &other) {
          return found
        }
      }
    }
    if let systemPath { return .system(path: systemPath) }
    return .missing(reason: other?.reason ?? "not found", path: other?.path)
  }

  /// Returns `path` with a folder in place of its first component; `nil` for a path that is relative to the current
  /// folder of a launch.
  private func expanded(
    _ path: String, of image: ExaminedImage, in closure: LibraryClosure
  ) -> String? {
    for (word, folder) in [
      ("@loader_path", image.folder), ("@executable_path", closure.nodes[0].image?.folder ?? ""),
    ] {
      if path == word { return folder }
      if path.hasPrefix(word + "/") { return folder + path.dropFirst(word.count) }
    }
    guard path.hasPrefix("/") else { return nil }
    return isSystem(path) ? path : root.path + path
  }

  private func isSystem(_ path: String) -> Bool {
    ["/usr/lib/", "/System/"].contains { path.hasPrefix($0) } && !path.contains("/../")
  }

  private func library(
    at path: String, _ other: inout (path: String, reason: String)?
  ) -> FoundLibrary? {
    guard let real = root.realPath(path) else { return nil }
    do {
      let bytes = try FileBytes(regularFileAt: real)
      guard case .machO(let file)? = try MappedImage(in: bytes, of: architecture) else {
        other = other ?? (path, "this library is for another architecture")
        return nil
      }
      var image = ExaminedImage(file, path: root.path.isEmpty ? path : real, name: "")
      image.folder = ExaminedImage.folder(of: path)
      return .image(image, path: real, isEmbedded: true)
    } catch {
      other = other ?? (path, "\(error)")
      return nil
    }
  }
}
