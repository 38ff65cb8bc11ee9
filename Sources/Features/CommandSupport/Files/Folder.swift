import ImageModel
import LibC

/// Operations on folders.
package enum Folder {
  /// Creates the folder at `path` unless it exists.
  package static func make(_ path: String) throws(Diagnostic) {
    guard mkdir(path, 0o777) != 0, errno != EEXIST else { return }
    throw .unable(to: "make the folder", path)
  }

  /// Whether there is a file at `path` that can be read.
  package static func hasFile(_ path: String) -> Bool { access(path, R_OK) == 0 }

  /// Whether something exists at `path`; `true` also if this process has no permission to find out.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 || errno != ENOENT }

  /// Checks that a file can be made at `path`, where there is none.
  ///
  /// - Throws: an error if the folder of the file does not exist or can't be written.
  package static func checkNewFile(_ path: String) throws(Diagnostic) {
    let folder = String(path.dropLast(fileName(ofPath: path).count))
    guard access(folder.isEmpty ? "." : folder, W_OK) == 0 else { throw .unable(to: "write", path) }
  }

  /// Whether `path` is a file that this process may execute.
  package static func isProgram(_ path: String) -> Bool {
    access(path, X_OK) == 0 && !isFolder(path)
  }

  /// Whether there is a folder at `path`.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns the target of the symbolic link at `path`; `nil` if `path` is not a symbolic link.
  package static func linkTarget(_ path: String) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &target, target.count)
    guard count >= 0 else { return nil }
    return String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The absolute path of the file or folder at `path`, without symbolic links.
  package static func absolutePath(_ path: String) throws(Diagnostic) -> String {
    guard let resolved = realpath(path, nil) else {
      throw Diagnostic(errorText(), context: [path])
    }
    defer { free(resolved) }
    guard let text = String(validatingCString: resolved) else {
      throw .noText(String(cString: resolved))
    }
    return text
  }

  /// Returns the absolute path, without symbolic links, of a file that may not exist yet.
  ///
  /// - Throws: if the file's folder does not exist.
  package static func absolutePath(ofLater path: String) throws(Diagnostic) -> String {
    let name = fileName(ofPath: path)
    if access(path, F_OK) == 0 || errno != ENOENT || linkTarget(path) != nil || name.isEmpty {
      return try absolutePath(path)
    }
    let folder = String(path.dropLast(name.count))
    do { return joined(try absolutePath(folder.isEmpty ? "." : folder), name) } catch {
      throw Diagnostic(error.message, context: [path])
    }
  }

  private static func joined(_ folder: String, _ name: String) -> String {
    folder == "/" ? "/\(name)" : "\(folder)/\(name)"
  }

  /// The absolute path of this command's own file, without symbolic links.
  package static func ownCommand() throws(Diagnostic) -> String {
    guard let path = ownExecutable() else {
      throw Diagnostic("unable to find this command: its path is too long")
    }
    return try absolutePath(path)
  }

  /// Returns the absolute path of the current folder, which need not be UTF-8; `nil` if the folder has no path.
  package static func currentBytes() -> [UInt8]? {
    guard let path = getcwd(nil, 0) else { return nil }
    defer { free(path) }
    return (0..<strlen(path)).map { UInt8(bitPattern: path[$0]) }
  }

  /// The absolute path of the current folder.
  package static func current() throws(Diagnostic) -> String {
    guard let path = getcwd(nil, 0) else {
      throw Diagnostic(errorText(), context: ["."])
    }
    defer { free(path) }
    guard let text = String(validatingCString: path) else { throw .noText(String(cString: path)) }
    return text
  }

  /// Returns the names of the folder's entries, ascending; empty if the folder can't be read.
  package static func names(in path: String) -> [String] {
    (entries(in: Array(path.utf8)) ?? []).map { String(decoding: $0, as: UTF8.self) }.sorted()
  }

  /// Returns the names of the folder's entries as bytes, ascending; `nil` if the folder can't be read.
  package static func entries(in path: [UInt8]) -> [[UInt8]]? {
    guard let folder = opendir(path.map { CChar(bitPattern: $0) } + [0]) else { return nil }
    defer { closedir(folder) }
    var names: [[UInt8]] = []
    while let entry = readdir(folder) {
      // A folder entry may be shorter than the structure `dirent`, so a copy of the structure would read beyond it.
      let place = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
      let start = UnsafeRawPointer(entry).advanced(by: place).assumingMemoryBound(to: CChar.self)
      let name = (0..<strlen(start)).map { UInt8(bitPattern: start[$0]) }
      if name != Array(".".utf8) && name != Array("..".utf8) { names.append(name) }
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Removes the file at `path`, or the folder with all its contents. Does not follow links. Leaves entries that can't
  /// be removed.
  package static func remove(_ path: [UInt8]) {
    let name = path.map { CChar(bitPattern: $0) } + [0]
    guard unlink(name) != 0, errno == EISDIR || errno == EPERM else { return }
    for entry in entries(in: path) ?? [] { remove(path + [UInt8(ascii: "/")] + entry) }
    rmdir(name)
  }
}

extension Diagnostic {
  /// Returns the error about a path that is not UTF-8: its text would be the path of another file.
  fileprivate static func noText(_ path: String) -> Diagnostic {
    Diagnostic(
      "unable to use this path: expected UTF-8", context: [path],
      hint: "rename the folder, or bind-mount it elsewhere")
  }
}

/// Returns the last component of `path`.
package func fileName(ofPath path: String) -> String {
  path.split(separator: "/").last.map(String.init) ?? path
}
