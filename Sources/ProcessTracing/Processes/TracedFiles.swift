import ProcessLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a tracer knows of files, for all processes that it traces.
package final class TracedFiles {
  /// The open memories of processes.
  let descriptors = OpenFiles()
  /// Ends of threads that were received while they were made to do something.
  var ends: [(tid: pid_t, status: Int32)] = []
  private var known: [String: (stamp: FileStamp, file: String?)] = [:]

  package init() {}

  /// The path at which the file of a mapping was when it was mapped, and whether that file is there now.
  ///
  /// A path alone does not tell: another file may have replaced it, or the process may see another one there, in its own
  /// mount namespace. Nor does stat(2): on btrfs and overlayfs, its device is not the one of mappings.
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

  /// How the kernel writes the file at `path` in mappings; `nil` if there is none, or if it can't be mapped.
  private func file(at path: String) -> String? {
    guard let stamp = FileStamp(path: path) else { return nil }
    if let (known, file) = known[path], known == stamp { return file }
    let file = ProcessMapping.file(at: path)
    known[path] = (stamp, file)
    return file
  }
}
