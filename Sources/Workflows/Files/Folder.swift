import ImageModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Folders of the file system.
package enum Folder {
  /// Makes the folder at `path` unless it is there.
  package static func make(_ path: String) throws(Diagnostic) {
    guard mkdir(path, 0o777) != 0, errno != EEXIST else { return }
    throw Diagnostic(
      "unable to make the folder: \(String(cString: strerror(errno)))", context: [path])
  }

  /// What the symbolic link at `path` points at; `nil` if it is none.
  package static func linkTarget(_ path: String) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &target, target.count)
    guard count >= 0 else { return nil }
    return String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The path of the file or folder at `path` from the root, without links.
  package static func absolutePath(_ path: String) throws(Diagnostic) -> String {
    guard let resolved = realpath(path, nil) else {
      throw Diagnostic("\(String(cString: strerror(errno)))", context: [path])
    }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The names of what is in the folder, ascending; empty if it can't be read.
  package static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      // An entry is only as long as its name, so it must not be copied as a whole.
      let place = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
      let name = String(
        cString: UnsafeRawPointer(entry).advanced(by: place).assumingMemoryBound(to: CChar.self))
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
