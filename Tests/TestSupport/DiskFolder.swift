import Foundation

/// A folder on a disk, whose files the kernel can drop from memory. A temporary folder may itself be memory.
package enum DiskFolder {
  /// The path of the folder; `nil` if neither the temporary folder nor the build folder is on a disk.
  package static let path: String? = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let build = URL(fileURLWithPath: own).deletingLastPathComponent().path
    return [FileManager.default.temporaryDirectory.path, build].first(where: canEvict)
  }()

  private static func canEvict(_ folder: String) -> Bool {
    #if canImport(Darwin)
      return false
    #else
      let path = "\(folder)/orderfile-evict-\(UUID().uuidString)"
      defer { unlink(path) }
      guard (try? Data(count: 4096).write(to: URL(fileURLWithPath: path))) != nil else {
        return false
      }
      let descriptor = open(path, O_RDONLY)
      defer { close(descriptor) }
      guard descriptor >= 0, fsync(descriptor) == 0,
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0,
        let mapping = mmap(nil, 4096, PROT_READ, MAP_SHARED, descriptor, 0), mapping != MAP_FAILED
      else { return false }
      defer { munmap(mapping, 4096) }
      var state: UInt8 = 1
      return mincore(mapping, 4096, &state) == 0 && state & 1 == 0
    #endif
  }
}
