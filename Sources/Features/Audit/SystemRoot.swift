// Where the files of the system are. A sysroot is a copy of another machine's file system: its absolute symbolic links
// mean files of the copy, which the kernel of this machine would look up outside of it. So links below a sysroot are
// followed here, one component after the other, as chroot(2) would make the kernel follow them.

import CommandSupport
import ImageModel

/// The folder that replaces `/`.
struct SystemRoot {
  /// The path of the sysroot, absolute, without symbolic links and without a slash at its end; empty for this machine.
  let path: String

  /// The number of links that Linux follows in one path. More links are treated as a cycle.
  private static let linkLimit = 40

  /// - Parameter path: the path of a sysroot; `nil` or empty for this machine.
  /// - Throws: if there is no such folder.
  init(_ path: String?) throws(Diagnostic) {
    guard let path, !path.isEmpty else {
      self.path = ""
      return
    }
    let real = try Folder.absolutePath(path)
    self.path = real == "/" ? "" : real
  }

  /// The path of the file at `path` without symbolic links; `nil` if there is none.
  ///
  /// - Parameter path: begins with `self.path` if the file belongs to the system. Other files are looked up on this
  ///   machine.
  func realPath(_ path: String) -> String? {
    guard !self.path.isEmpty, path.hasPrefix(self.path + "/") else {
      return try? Folder.absolutePath(path)
    }
    var rest = Array(path.dropFirst(self.path.count).split(separator: "/").reversed())
    var found: [Substring] = []
    var links = 0
    while let component = rest.popLast() {
      if component == "." { continue }
      if component == ".." {
        _ = found.popLast()
        continue
      }
      let place = joined(found + [component])
      guard let target = Folder.linkTarget(place) else {
        found.append(component)
        continue
      }
      links += 1
      guard links <= Self.linkLimit else { return nil }
      if target.hasPrefix("/") { found = [] }
      rest += target.split(separator: "/").reversed()
    }
    // The resolved path has no symbolic links, so the kernel finds the same file, and reports an error if there is
    // none.
    return try? Folder.absolutePath(joined(found))
  }

  private func joined(_ components: [Substring]) -> String {
    components.reduce(path) { "\($0)/\($1)" }
  }
}
