import ImageModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Operations on folders.
package enum Folder {
  /// Creates the folder at `path` unless it exists.
  package static func make(_ path: String) throws(Diagnostic) {
    guard mkdir(path, 0o777) != 0, errno != EEXIST else { return }
    throw Diagnostic(
      "unable to make the folder: \(String(cString: strerror(errno)))", context: [path])
  }

  /// The target of the symbolic link at `path`; `nil` if it is not one.
  package static func linkTarget(_ path: String) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &target, target.count)
    guard count >= 0 else { return nil }
    return String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The absolute path of the file or folder at `path`, without symbolic links.
  package static func absolutePath(_ path: String) throws(Diagnostic) -> String {
    guard let resolved = realpath(path, nil) else {
      throw Diagnostic("\(String(cString: strerror(errno)))", context: [path])
    }
    defer { free(resolved) }
    guard let text = String(validatingCString: resolved) else {
      throw .noText(String(cString: resolved))
    }
    return text
  }

  /// The absolute path of the current folder.
  static func current() throws(Diagnostic) -> String {
    guard let path = getcwd(nil, 0) else {
      throw Diagnostic("\(String(cString: strerror(errno)))", context: ["."])
    }
    defer { free(path) }
    guard let text = String(validatingCString: path) else { throw .noText(String(cString: path)) }
    return text
  }

  /// The names of the folder's entries, ascending; empty if it can't be read.
  package static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      // An entry may be shorter than `dirent`, so it must not be copied as a whole.
      let place = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
      let name = String(
        cString: UnsafeRawPointer(entry).advanced(by: place).assumingMemoryBound(to: CChar.self))
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}

extension Diagnostic {
  /// As text the path would be another one.
  fileprivate static func noText(_ path: String) -> Diagnostic {
    Diagnostic(
      "unable to use this path: expected UTF-8", context: [path],
      hint: "rename the folder, or bind-mount it elsewhere")
  }
}
