import ImageModel
import ProcessLaunch

extension FileIdentity {
  /// - Throws: if another file is at `path`, or if the file was written since this value was made.
  package func check(_ path: String) throws(Diagnostic) {
    guard Self(of: path) != self else { return }
    throw .replaced(path)
  }
}

extension FileTime {
  /// Checks that a file that a launch mapped has not changed between the moment `self` and the beginning of the
  /// launch. Files that the launch itself made are permitted.
  ///
  /// - Parameter launch: when the launch began.
  /// - Throws: if the file at `path` was made, written or renamed in between.
  package func checkUnchanged(_ path: String, until launch: FileTime) throws(Diagnostic) {
    guard let file = FileStamp(path: path) else { return }
    if self < file.changed, file.changed < launch { throw .replaced(path) }
  }
}

extension Diagnostic {
  static func replaced(_ path: String) -> Diagnostic {
    Diagnostic(
      "the image was replaced or changed while it was measured: the launches are not of one build",
      context: [path], hint: "measure again while no build changes the image, or measure a copy")
  }
}
