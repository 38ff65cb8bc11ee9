import LibC
import ProcessLaunch

/// Where a measured image is stored.
package struct ImageStorage: Hashable, Sendable {
  package var path: String
  package var bytes: UInt64
  /// The type of the file system, such as `ext4`; `nil` if unknown.
  package var fileSystem: String?
  /// The major and minor number of the device; `nil` if the system does not state them.
  package var device: String?
  /// The device's read-ahead; `nil` if unknown, as on overlay file systems.
  package var readAheadBytes: UInt64?
  /// The file that holds the device's read-ahead in KiB; root can write it.
  package var readAheadSetting: String?
  /// The size of the largest request that the kernel sends to the device; `nil` if unknown.
  package var largestRequestBytes: UInt64?

  package init(
    path: String, bytes: UInt64, fileSystem: String? = nil, device: String? = nil,
    readAheadBytes: UInt64? = nil, readAheadSetting: String? = nil
  ) {
    self.path = path
    self.bytes = bytes
    self.fileSystem = fileSystem
    self.device = device
    self.readAheadBytes = readAheadBytes
    self.readAheadSetting = readAheadSetting
  }

  /// - Parameter path: the path of the image, absolute and without symbolic links.
  package init(of path: String) {
    var status = stat()
    let size = stat(path, &status) == 0 ? UInt64(max(0, status.st_size)) : 0
    let mount = MountTable(SystemFile.text(of: "/proc/self/mountinfo")).mount(of: path)
    // A partition has no queue, but its disk has one. A file system without a device, such as NFS, may have a setting
    // of its own.
    let settings = (mount?.device).map { device in
      [
        "/sys/dev/block/\(device)/queue/read_ahead_kb",
        "/sys/dev/block/\(device)/../queue/read_ahead_kb",
        "/sys/class/bdi/\(device)/read_ahead_kb",
      ]
    }
    let setting = settings?.first { SystemFile.number($0) != nil }
    self.init(
      path: path, bytes: size, fileSystem: mount?.fileSystem, device: mount?.device,
      readAheadBytes: setting.flatMap(SystemFile.number).map { UInt64(max(0, $0)) << 10 },
      readAheadSetting: setting)
    if let setting, setting.hasSuffix("/queue/read_ahead_kb") {
      let limit = setting.dropLast("read_ahead_kb".count) + "max_sectors_kb"
      largestRequestBytes = SystemFile.number(String(limit)).map { UInt64(max(0, $0)) << 10 }
    }
  }
}
