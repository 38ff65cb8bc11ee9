import CommandSupport
import FaultEstimate
import ImageModel
import LibC

/// The number of bytes that Linux maps or reads at once, or this machine's setting.
package enum KernelSize: Hashable {
  case bytes(UInt64)
  case automatic
}

extension LinuxKernel {
  /// Makes the kernel's settings from the two sizes. If this machine does not show a setting, the kernel's default is
  /// used.
  ///
  /// - Parameters:
  ///   - path: a file on the device whose read-ahead counts.
  ///   - architecture: the architecture of the images.
  package init(
    faultAround: KernelSize, readAhead: KernelSize, path: String,
    architecture: Architecture?
  ) {
    self.init()
    switch faultAround {
    case .bytes(let bytes): faultAroundBytes = bytes
    case .automatic:
      faultAroundBytes =
        Self.setting("/sys/kernel/debug/fault_around_bytes") ?? faultAroundBytes
    }
    switch readAhead {
    case .bytes(let bytes): readAheadBytes = bytes
    case .automatic: readAheadBytes = Self.readAheadBytes(of: path) ?? readAheadBytes
    }
    if architecture == .arm64 { executableUnitBytes = 64 << 10 }
  }

  #if os(Linux)
    /// Returns the read-ahead of the block device of the file at `path`. A partition has the read-ahead of its disk.
    private static func readAheadBytes(of path: String) -> UInt64? {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      let (major, minor) = (status.st_dev >> 8 & 0xfff, status.st_dev & 0xff | status.st_dev >> 12)
      let device = "/sys/dev/block/\(major):\(minor)"
      let kibibytes =
        setting("\(device)/queue/read_ahead_kb") ?? setting("\(device)/../queue/read_ahead_kb")
      return kibibytes.map { min($0, 1 << 20) << 10 }
    }
  #else
    private static func readAheadBytes(of path: String) -> UInt64? { nil }
  #endif

  private static func setting(_ path: String) -> UInt64? {
    guard let bytes = try? InputFile.bytes(path) else { return nil }
    return UInt64(bytes.text(0..<bytes.count).filter { $0.isASCII && $0.isNumber })
  }
}
