import ImageModel
import LibC
import ProcessLaunch

/// Properties of the machine that decide which difference between two layouts it can show.
package struct MeasuringMachine: Hashable, Sendable {
  /// The name and release of the kernel: `Linux 6.12.1`.
  package var kernel: String
  /// The processor's name; `nil` if unknown.
  package var processor: String?
  package var processors: Int
  /// The frequency governor of the first processor, such as `powersave`; `nil` if unknown.
  package var governor: String?
  package var pageBytes: Int
  /// The number of bytes around a fault that the kernel also maps if they are in the page cache. <mm/memory.c,
  /// do_fault_around>
  package var faultAroundBytes: Int
  /// Whether `faultAroundBytes` is the kernels' default, because only root can read the setting.
  package var faultAroundIsAssumed: Bool
  /// The number of threads that were ready to run, on average over the last minute; `nil` if unknown.
  package var load: Double?

  package init(
    kernel: String, processor: String?, processors: Int, governor: String?, pageBytes: Int,
    faultAroundBytes: Int?, load: Double? = nil
  ) {
    self.kernel = kernel
    self.processor = processor
    self.processors = processors
    self.governor = governor
    self.pageBytes = pageBytes
    self.faultAroundBytes = faultAroundBytes ?? max(64 << 10, pageBytes)
    faultAroundIsAssumed = faultAroundBytes == nil
    self.load = load
  }

  /// Returns the present state of this machine.
  package static func current() -> MeasuringMachine {
    var names = utsname()
    uname(&names)
    var load = 0.0
    let hasLoad = getloadavg(&load, 1) == 1
    let info = SystemFile.text(of: "/proc/cpuinfo").split(separator: UInt8(ascii: "\n"))
    let model = info.first { $0.starts(with: "model name".utf8) }
    return MeasuringMachine(
      kernel: "\(text(names.sysname)) \(text(names.release)) \(text(names.machine))",
      processor: model.flatMap { line in
        line.firstIndex(of: UInt8(ascii: ":")).map { word(line[($0 + 1)...]) }
      },
      processors: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))),
      governor: SystemFile.word("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
      pageBytes: Int(sysconf(Int32(_SC_PAGESIZE))),
      faultAroundBytes: SystemFile.number("/sys/kernel/debug/fault_around_bytes"),
      load: hasLoad ? load : nil)
  }

  /// A field of `utsname`, which Swift imports as a tuple of bytes.
  private static func text(_ field: some Any) -> String {
    let bytes = Mirror(reflecting: field).children.compactMap { $0.value as? CChar }
    return String(
      decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static func word(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes.drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
  }
}

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
  }
}
