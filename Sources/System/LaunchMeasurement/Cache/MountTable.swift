/// The mounted file systems, from `/proc/self/mountinfo`. <proc_pid_mountinfo(5)>
package struct MountTable: Sendable {
  package struct Mount: Hashable, Sendable {
    /// Major and minor number of the device: `254:0`; a file system without a device has `0:27`.
    package var device: String
    package var path: String
    /// The type of the file system, such as `ext4`.
    package var fileSystem: String
  }

  /// The mounts in the order in which they were mounted.
  package private(set) var mounts: [Mount] = []

  /// - Parameter text: the contents of the file; malformed lines are skipped.
  package init(_ text: [UInt8]) {
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: " "))
      // Optional fields precede the dash; the file system follows it.
      guard fields.count > 6, let dash = fields.firstIndex(where: { $0.elementsEqual([0x2d]) }),
        dash > 5, dash + 1 < fields.count
      else { continue }
      mounts.append(
        Mount(
          device: String(decoding: fields[2], as: UTF8.self),
          path: String(decoding: Self.unescaped(fields[4]), as: UTF8.self),
          fileSystem: String(decoding: fields[dash + 1], as: UTF8.self)))
    }
  }

  /// Returns the mount that holds the file at `path`, an absolute path without symbolic links: the nearest mount above
  /// the file. If several file systems are mounted there, it is the last of them.
  ///
  /// - Returns: `nil` if nothing is mounted above it.
  package func mount(of path: String) -> Mount? {
    var nearest: Mount?
    for mount in mounts where path == mount.path || path.hasPrefix(Self.folder(mount.path)) {
      if mount.path.utf8.count >= nearest?.path.utf8.count ?? 0 { nearest = mount }
    }
    return nearest
  }

  private static func folder(_ path: String) -> String { path == "/" ? path : path + "/" }

  /// In the file, blanks, tabs, line feeds and backslashes are written like `\040`.
  private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = field
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3,
        let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        bytes.append(code)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }
}
