import ImageModel

/// Paths as code scanning needs them: relative to the folder of the repository.
package enum RepositoryPath {
  /// - Returns: the path of the file at `path` from the nearest folder above that has `.git`, symbolic links followed; `path`
  ///   itself if there is none, or no file.
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
