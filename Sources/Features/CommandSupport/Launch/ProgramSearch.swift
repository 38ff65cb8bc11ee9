import ImageModel
import LibC
import ProcessLaunch

extension LaunchEnvironment {
  /// Whether a program `name` is found in the folders of `PATH`.
  package func has(_ name: String) -> Bool { (try? program(named: name)) != nil }

  /// Returns the path of the program `name`, which has a slash. A name without a slash is looked up in the folders of
  /// `PATH`, as `execvp(3)` does.
  ///
  /// - Throws: an error if no such file exists, or if none may be executed.
  package func program(named name: String) throws(Diagnostic) -> String {
    var candidates = [name]
    if !name.contains("/") {
      // Without `PATH`, the default folders are those of glibc's confstr(3).
      candidates = (searchPath ?? "/bin:/usr/bin")
        .split(separator: ":", omittingEmptySubsequences: false)
        .map { $0.isEmpty ? "./\(name)" : "\($0)/\(name)" }
    }
    var reason = ENOENT
    for path in candidates {
      var status = stat()
      guard stat(path, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 { return path }
      reason = EACCES
    }
    throw .unableToRun(name, ProgramLaunch.LaunchError(errno: reason))
  }
}
