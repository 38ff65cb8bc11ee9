import ImageModel
import LibC

/// A file that is put at the path of an image, so that two builds can be launched by the same command.
package struct ImagePlacement: Hashable, Sendable {
  /// The file's own path, in the file system of the image.
  package var source: String
  /// The path of the image.
  package var path: String

  package init(_ source: String, at path: String) {
    self.source = source
    self.path = path
  }

  /// Puts the file at the path of the image, in one step, in place of the file that was there. Nothing is copied, so
  /// pages of both files that are in memory stay in memory.
  package func place() throws(Diagnostic) {
    let temporary = "\(path).orderfile"
    unlink(temporary)
    guard link(source, temporary) == 0 else { throw error("link", source) }
    guard rename(temporary, path) == 0 else {
      defer { unlink(temporary) }
      throw error("rename", path)
    }
    // rename(2) leaves two names of one file as they are.
    unlink(temporary)
  }

  private func error(_ verb: String, _ path: String) -> Diagnostic {
    Diagnostic("unable to \(verb): \(errorText())", context: [path])
  }
}
