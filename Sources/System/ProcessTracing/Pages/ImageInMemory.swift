import Addresses
import CPages
import CPtrace

/// The build of an image that is in the memory of a process. The path alone does not identify the build: the file may
/// have been replaced, and the process may see another file there, in its own mount namespace.
package struct ImageInMemory: Hashable, Sendable {
  package var path: String
  /// The device and inode of the file, as in mappings; `nil` if they are unknown.
  package var file: String?
  /// The bytes of the build ID or, if there is none, of the weak ID; empty if the image has no headers in memory.
  package var id: [UInt8] = []
  package var isWeak = false

  package init(path: String, file: String? = nil, id: [UInt8] = [], isWeak: Bool = false) {
    self.path = path
    self.file = file
    self.id = id
    self.isWeak = isWeak
  }

  /// Whether this and `other` can be one build. The path must be equal; the file and the ID must be equal if both are
  /// known.
  package func isBuild(_ other: ImageInMemory) -> Bool {
    let isSameFile = file == nil || other.file == nil || file == other.file
    let isSameID = id.isEmpty || other.id.isEmpty || (id == other.id && isWeak == other.isWeak)
    return path == other.path && isSameFile && isSameID
  }
}

extension ImageInMemory {
  /// Makes the image that a page tracer has recorded.
  init(path: String, _ image: orderfile_page_image) {
    var image = image
    var id = [UInt8](repeating: 0, count: Int(CTRACE_MOST_ID_BYTES))
    let size = cpages_image_id(&image, &id)
    let file =
      image.inode == 0
      ? nil
      : ProcessMapping.file(
        major: image.device >> 32, minor: image.device & 0xffff_ffff, inode: image.inode)
    self.init(
      path: path, file: file, id: Array(id.prefix(Int(size))), isWeak: image.id_is_weak != 0)
  }
}
