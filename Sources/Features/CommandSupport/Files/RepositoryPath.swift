import ImageModel

/// Paths as code scanning needs them: relative to the folder of the repository.
package enum RepositoryPath {
  /// Follows symbolic links, and returns the file's path relative to the nearest folder above it that has
  /// `.git`; `path` itself if there is no such folder or no file.
  package static func of(_ path: String) -> String {
    guard let absolute = try? Folder.absolutePath(path) else { return path }
    var folder = absolute[...]
    while let end = folder.lastIndex(of: "/") {
      folder = folder[..<end]
      if Folder.exists("\(folder)/.git") { return String(absolute[folder.endIndex...].dropFirst()) }
    }
    return path
  }
}
