import ImageModel
import LibC
import ProcessLaunch

extension LaunchEnvironment {
  /// Whether there is a program `name`.
  package func has(_ name: String) -> Bool { (try? program(named: name)) != nil }

  /// The path of the program `name`, looked up as `execvp(3)` does: in the folders of `PATH`, unless it has a slash.
  /// The result has one.
  ///
  /// - Throws: if there is no such file, or none that may be executed.
  package func program(named name: String) throws(Diagnostic) -> String {
    var candidates = [name]
    if !name.contains("/") {
      // Without the variable, the folders of glibc's confstr(3).
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
