import ByteReading
import ImageModel
import Symbolication

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The file that a command line launches.
package struct LaunchedProgram {
  /// Without links.
  package let path: String
  /// `nil` of what is no ELF image, such as a script.
  let pages: ImagePages?
  /// It runs with other rights than its user's, and loads no library that an environment names.
  let isPrivileged: Bool

  /// Looks `name` up as `execvp(3)` does, in the folders that `environment` names.
  ///
  /// - Throws: if there is no such file.
  package init(named name: String, in environment: LaunchEnvironment) throws(Diagnostic) {
    var candidates = [name]
    if !name.contains("/") {
      let folders = (environment.searchPath ?? "").split(
        separator: ":", omittingEmptySubsequences: false)
      candidates = folders.map { $0.isEmpty ? name : "\($0)/\(name)" }
    }
    guard let found = candidates.first(where: { access($0, X_OK) == 0 }) else {
      let error = access(candidates.last ?? name, F_OK) == 0 ? EACCES : ENOENT
      throw Diagnostic("unable to run: \(String(cString: strerror(error)))", context: [name])
    }
    path = try Folder.absolutePath(found)
    var status = stat()
    let isKnown = stat(path, &status) == 0
    isPrivileged = isKnown && status.st_mode & (S_ISUID | S_ISGID) != 0
    let bytes = try? FileBytes(path: path)
    pages = bytes.flatMap { try? ImagePages(of: $0) }
  }
}
