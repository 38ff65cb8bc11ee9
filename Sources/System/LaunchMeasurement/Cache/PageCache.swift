import CPerf
import ImageModel
import LibC
import ProcessLaunch

/// The pages of files that are in memory.
package enum PageCache {
  package struct Residency: Hashable, Sendable {
    package var resident: UInt64
    /// The number of pages of the whole file.
    package var pages: UInt64

    package init(resident: UInt64, pages: UInt64) {
      self.resident = resident
      self.pages = pages
    }
  }

  /// - Throws: also for a file that this user neither owns nor may write, because the kernel does not report on such
  ///   files.
  package static func residency(of path: String) throws(Diagnostic) -> Residency {
    var residency = Residency(resident: 0, pages: 0)
    let error = cpagecache_resident(path, &residency.resident, &residency.pages)
    guard error == 0 else { throw unable("to tell which pages are in memory", path, error) }
    return residency
  }

  /// Evicts all pages of the files at `paths` from memory, and checks that no page is left.
  ///
  /// A page that was used just now may still be held for a moment, so each file gets twenty attempts in about
  /// 0.2 s.
  package static func evict(_ paths: [String]) throws(Diagnostic) {
    for path in paths {
      if cpagecache_is_memory(path) {
        throw Diagnostic(
          "unable to launch this image cold: it is on an in-memory file system", context: [path],
          hint: "copy the image to a disk")
      }
      try evict(path)
    }
  }

  private static func evict(_ path: String) throws(Diagnostic) {
    var residency = Residency(resident: 0, pages: 0)
    for attempt in 0..<20 {
      usleep(UInt32(attempt) * 1000)
      let error = cpagecache_evict(path)
      guard error == 0 else { throw unable("to evict the image", path, error) }
      residency = try self.residency(of: path)
      if residency.resident == 0 { return }
    }
    throw Diagnostic(
      "unable to evict the image: expected 0 of its \(residency.pages) pages in memory, found "
        + "\(residency.resident)",
      context: [path],
      hint:
        "a process that maps the image keeps it in memory: find the process with fuser -v, or measure a copy"
    )
  }

  /// Drops the unmapped pages of all files from memory. This needs root.
  package static func dropAll() throws(Diagnostic) {
    let error = cpagecache_drop_all()
    guard error == 0 else {
      throw Diagnostic(
        "unable to drop the page cache: \(ProgramLaunch.LaunchError(errno: error))",
        context: ["--drop-caches"],
        hint: error == ENOTSUP ? nil : "--drop-caches needs root; --cold alone does not")
    }
  }

  private static func unable(_ what: String, _ path: String, _ error: Int32) -> Diagnostic {
    Diagnostic(
      "unable \(what): \(ProgramLaunch.LaunchError(errno: error))", context: [path],
      hint: error == EPERM
        ? "the kernel shows pages in memory only for files that you own or may write: measure a copy"
        : error == ENOTSUP ? "this system can't evict the pages of a file: use --warm" : nil)
  }
}
