// How glibc's loader finds a library, ld.so(8): by its path if the name has a slash; else in
//
//   DT_RPATH      of the image that asks, of the image that asked for this image, and so on to the program; not if the
//                 image that asks has a DT_RUNPATH
//   DT_RUNPATH    of the image that asks
//   ld.so.cache   the folders that the administrator lists
//   folders       of the loader: /lib and /usr/lib, on Debian also the machine's, elsewhere /lib64 and /usr/lib64
//
// In a path, $ORIGIN is the folder of the image that has it, and $LIB is the folder of the C library, relative to /usr.
// $PLATFORM depends on the processor: such a path is not searched.
//
// A file of another class or machine is skipped. LD_LIBRARY_PATH and LD_PRELOAD are left out: they belong to a launch,
// not to the image. So are folders for processors with certain capabilities (glibc-hwcaps).

import ByteReading
import ImageModel
import ObjectFormat

struct ELFLibrarySearch: LibrarySearch {
  private let root: SystemRoot
  private let cache: ELFLibraryCache
  private let folders: [String]
  private let header: ELFHeader
  /// The path of the loader itself, which is loaded before any library.
  private let interpreter: String?
  /// The value of `$LIB`; `nil` if the system has no glibc for the machine.
  private let libraryFolder: String?

  /// The path of a file with the requested name, and why the file is not the library that is looked for.
  private typealias Reason = (path: String?, reason: String)

  /// - Parameters:
  ///   - file: the program: libraries have its class and machine.
  ///   - root: the root of the system's files.
  init(for file: ELFFile, root: SystemRoot, cache: ELFLibraryCache) {
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
    libraryFolder = Self.libraryFolder(among: folders, for: header, below: root)
  }

  /// The folder of the C library, relative to `/usr`. One setting of glibc's build determines this folder and `$LIB`.
  /// Debian has `lib/x86_64-linux-gnu`, Fedora `lib64`, Arch `lib`.
  private static func libraryFolder(
    among folders: [String], for header: ELFHeader, below root: SystemRoot
  ) -> String? {
    for folder in folders {
      guard let path = root.realPath("\(root.path)\(folder)/libc.so.6"),
        let file = try? ELFFile(parsing: FileBytes(regularFileAt: path)),
        file.header.machine == header.machine, file.header.is64Bit == header.is64Bit
      else { continue }
      let real = ExaminedImage.folder(of: String(path.dropFirst(root.path.count)))
      return String(real.dropFirst(real.hasPrefix("/usr/") ? 5 : 1))
    }
    return nil
  }

  func find(_ load: LibraryLoad, for node: Int, in closure: LibraryClosure) -> FoundLibrary {
    guard let name = String(validating: load.name.bytes, as: UTF8.self) else {
      return .missing(reason: "its name is not UTF-8", path: nil)
    }
    guard let image = closure.nodes[node].image else { return .missing(reason: "", path: nil) }
    var other: Reason?
    if name.contains("/") {
      if let path = expanded(name, in: image, &other), let found = library(at: path, &other) {
        return found
      }
      return .missing(reason: other?.reason ?? "not found", path: other?.path)
    }
    if let interpreter, interpreter.hasSuffix("/\(name)"),
      let found = library(at: root.path + interpreter, isSystem: true, &other)
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
        if let found = library(at: root.path + path, isSystem: true, &other) { return found }
      }
    }
    return .missing(reason: other?.reason ?? "not found", path: other?.path)
  }

  private func search(
    _ runPaths: [[UInt8]], of image: ExaminedImage, _ name: String,
    _ other: inout Reason?
  ) -> FoundLibrary? {
    for folder in runPaths {
      guard let text = String(validating: folder, as: UTF8.self),
        let folder = expanded(text, in: image, &other)
      else { continue }
      if let found = library(at: "\(folder)/\(name)", &other) { return found }
    }
    return nil
  }

  /// Returns `path` of `image` with the folder of the image in place of `$ORIGIN`, and the folder of the C library in
  /// place of `$LIB`; `nil` if `path` has a word whose value is unknown. Any other `$` is kept, as the loader does.
  ///
  /// - Parameter other: gets the word that is unknown.
  private func expanded(
    _ path: String, in image: ExaminedImage, _ other: inout Reason?
  ) -> String? {
    let values = [("ORIGIN", image.folder), ("LIB", libraryFolder), ("PLATFORM", nil)]
    let words = values.flatMap { [("${\($0)}", $1), ("$\($0)", $1)] }
    var rest = path[...]
    var text = rest.hasPrefix("/") ? root.path : ""
    while let dollar = rest.firstIndex(of: "$") {
      text += rest[..<dollar]
      rest = rest[dollar...]
      let (word, value) = words.first { rest.hasPrefix($0.0) } ?? ("$", "$")
      guard let value else {
        other = other ?? (nil, "its folder contains \(word), whose value is unknown")
        return nil
      }
      text += value
      rest = rest.dropFirst(word.count)
    }
    return text + rest
  }

  /// The library at `path`; `nil` if there is none for this class and machine.
  ///
  /// - Parameter other: gets why a file at `path` is not the library.
  private func library(
    at path: String, isSystem: Bool = false, _ other: inout Reason?
  ) -> FoundLibrary? {
    guard let real = root.realPath(path) else { return nil }
    do {
      let file = try ELFFile(parsing: FileBytes(regularFileAt: real))
      guard file.header.machine == header.machine, file.header.is64Bit == header.is64Bit else {
        other = other ?? (path, "this library is for another architecture")
        return nil
      }
      // In a sysroot, the path without links is kept, because this machine would follow the links to other files.
      var image = ExaminedImage(file, path: root.path.isEmpty ? path : real, name: "")
      image.folder = ExaminedImage.folder(of: path)
      return .image(image, path: real, isEmbedded: !isSystem && !isInSystem(real))
    } catch {
      other = other ?? (path, "\(error)")
      return nil
    }
  }

  private func isInSystem(_ real: String) -> Bool {
    ["/lib", "/usr/lib", "/lib64", "/usr/lib64", "/lib32", "/usr/lib32", "/libx32", "/usr/libx32"]
      .contains { real.hasPrefix("\(root.path)\($0)/") }
  }
}
