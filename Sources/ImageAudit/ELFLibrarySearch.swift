// How glibc's loader finds a library, ld.so(8): by its path if the name has a slash; else in
//
//   DT_RPATH      of the image that asks, of the one that asked for that, and so on to the program; not if the image
//                 that asks has a DT_RUNPATH
//   DT_RUNPATH    of the image that asks
//   ld.so.cache   the folders that the administrator lists
//   folders       its own: /lib and /usr/lib, on Debian also those of the machine, elsewhere /lib64 and /usr/lib64
//
// A file of another class or machine is passed over. LD_LIBRARY_PATH and LD_PRELOAD are left out: they belong to a
// launch, not to the image. So are folders for processors with certain capabilities (glibc-hwcaps).

import ByteReading
import ImageModel
import ObjectFormat
import Workflows

struct ELFLibrarySearch: LibrarySearch {
  /// The folder in which the machine's files are; empty for the root.
  private let root: String
  private let cache: ELFLibraryCache
  private let folders: [String]
  private let header: ELFHeader
  /// The path of the loader itself, which is there before any library is.
  private let interpreter: String?

  /// - Parameters:
  ///   - file: the program: libraries have its class and machine.
  ///   - root: `--sysroot`; empty for this machine.
  init(for file: ELFFile, root: String, cache: ELFLibraryCache) {
    header = file.header
    interpreter = ((try? file.interpreter()) ?? nil).flatMap {
      String(validating: $0, as: UTF8.self)
    }
    self.root = root
    self.cache = cache
    let triplet: String? =
      switch (header.machine, header.is64Bit) {
      case (.x8664, true): "x86_64-linux-gnu"
      case (.aarch64, true): "aarch64-linux-gnu"
      case (.i386, _): "i386-linux-gnu"
      case (.arm, _): "arm-linux-gnueabihf"
      case (.riscv, true): "riscv64-linux-gnu"
      default: nil
      }
    let own = triplet.map { ["/lib/\($0)", "/usr/lib/\($0)"] } ?? []
    folders =
      own + (header.is64Bit ? ["/lib64", "/usr/lib64"] : []) + ["/lib", "/usr/lib"]
  }

  func find(_ load: LibraryLoad, for node: Int, in closure: LibraryClosure) -> FoundLibrary {
    guard let name = String(validating: load.name.bytes, as: UTF8.self) else {
      return .missing(reason: "its name is not UTF-8", path: nil)
    }
    guard let image = closure.nodes[node].image else { return .missing(reason: "", path: nil) }
    var other: (path: String, reason: String)?
    if name.contains("/") {
      let path = name.hasPrefix("/") ? root + name : expanded(name, in: image) ?? name
      if let found = library(at: path, &other) { return found }
      return .missing(reason: other?.reason ?? "not found", path: other?.path)
    }
    if let interpreter, interpreter.hasSuffix("/\(name)"),
      let found = library(at: root + interpreter, isSystem: true, &other)
    {
      return found
    }
    if image.runPaths.isEmpty {
      for image in closure.chain(from: node) {
        if let found = search(image.inheritedRunPaths, of: image, name, &other) { return found }
      }
    }
    if let found = search(image.runPaths, of: image, name, &other) { return found }
    if !image.ignoresDefaultFolders {
      let cached = cache.paths(of: load.name.bytes).compactMap {
        String(validating: $0, as: UTF8.self)
      }
      for path in cached + folders.map({ "\($0)/\(name)" }) {
        if let found = library(at: root + path, isSystem: true, &other) { return found }
      }
    }
    return .missing(reason: other?.reason ?? "not found", path: other?.path)
  }

  private func search(
    _ runPaths: [[UInt8]], of image: ExaminedImage, _ name: String,
    _ other: inout (path: String, reason: String)?
  ) -> FoundLibrary? {
    for folder in runPaths {
      guard let text = String(validating: folder, as: UTF8.self),
        let folder = expanded(text, in: image)
      else { continue }
      if let found = library(at: "\(folder)/\(name)", &other) { return found }
    }
    return nil
  }

  /// `path` of `image` with the folder of the image for `$ORIGIN`; `nil` if it has another `$`, whose value depends on
  /// the loader.
  private func expanded(_ path: String, in image: ExaminedImage) -> String? {
    var rest = path[...]
    var text = rest.hasPrefix("/") ? root : ""
    while let dollar = rest.firstIndex(of: "$") {
      text += rest[..<dollar]
      rest = rest[dollar...]
      guard let word = ["$ORIGIN", "${ORIGIN}"].first(where: { rest.hasPrefix($0) }) else {
        return nil
      }
      text += image.folder
      rest = rest.dropFirst(word.count)
    }
    return text + rest
  }

  /// The library at `path`; `nil` if there is none for this class and machine.
  ///
  /// - Parameter other: gets why a file at `path` is not the library.
  private func library(
    at path: String, isSystem: Bool = false, _ other: inout (path: String, reason: String)?
  ) -> FoundLibrary? {
    guard let real = try? Folder.absolutePath(path) else { return nil }
    do {
      let file = try ELFFile(parsing: FileBytes(regularFileAt: path))
      guard file.header.machine == header.machine, file.header.is64Bit == header.is64Bit else {
        other = other ?? (path, "it is for another machine")
        return nil
      }
      let image = ExaminedImage(file, path: path, name: "")
      return .image(image, path: real, isEmbedded: !isSystem && !isInSystem(real))
    } catch {
      other = other ?? (path, "\(error)")
      return nil
    }
  }

  private func isInSystem(_ real: String) -> Bool {
    ["/lib", "/usr/lib", "/lib64", "/usr/lib64", "/lib32", "/usr/lib32", "/libx32", "/usr/libx32"]
      .contains { real.hasPrefix("\(root)\($0)/") }
  }
}
