import LibC
import ProcessLaunch

/// The files that a tracer has looked at or has open, shared by all processes that it traces.
package final class TracedFiles {
  /// The descriptors of the memories of processes.
  let descriptors = OpenFiles()
  /// The ends of threads that were reported while the tracer made these threads perform a system call.
  var ends: [(tid: pid_t, status: Int32)] = []
  private var known: [String: (stamp: FileStamp, file: String?)] = [:]

  package init() {}

  /// Returns the path that the file of `mapping` had when it was mapped, and whether the file is
  /// there now.
  ///
  /// The path alone is not enough: the file may have been replaced, or the process may see another
  /// file at the path, in its own mount namespace. stat(2) is not enough, either: on btrfs and
  /// overlayfs, it shows another device than mappings.
  package func place(of mapping: ProcessMapping) -> (path: String, isThere: Bool) {
    if file(at: mapping.path) == mapping.file { return (mapping.path, true) }
    let path = mapping.formerPath
    return (path, mapping.isDeleted && file(at: path) == mapping.file)
  }

  /// The path of the program that thread `tid` runs, without symbolic links; `nil` if it is gone.
  func program(of tid: pid_t) -> String? {
    guard let path = ProcessMapping.program(of: tid) else { return nil }
    return file(at: path) == nil ? ProcessMapping.withoutDeletion(path) : path
  }

  /// The device and inode of the file at `path`, as in mappings; `nil` if there is no file, or if
  /// it can't be mapped.
  private func file(at path: String) -> String? {
    guard let stamp = FileStamp(path: path) else { return nil }
    if let (known, file) = known[path], known == stamp { return file }
    let file = ProcessMapping.file(at: path)
    known[path] = (stamp, file)
    return file
  }
}
