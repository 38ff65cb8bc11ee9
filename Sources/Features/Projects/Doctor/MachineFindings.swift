import CommandSupport
import ImageModel
import LaunchMeasurement
import ProcessLaunch
import Rendering

/// The properties of this machine that decide how many faults a layout costs.
package struct MachineFacts: Hashable, Sendable {
  package var machine: MeasuringMachine
  /// The storage of the project, the image, or the current folder.
  package var storage: ImageStorage
  /// The chosen word in /sys/kernel/mm/transparent_hugepage/enabled; `nil` if there is no such file.
  package var transparentHugePages: String?
  package var isLinux: Bool

  package init(
    machine: MeasuringMachine, storage: ImageStorage, transparentHugePages: String? = nil,
    isLinux: Bool = true
  ) {
    self.machine = machine
    self.storage = storage
    self.transparentHugePages = transparentHugePages
    self.isLinux = isLinux
  }

  /// - Parameter path: an absolute path without symbolic links.
  init(of path: String) {
    machine = .current()
    storage = ImageStorage(of: path)
    let setting = SystemFile.text(of: "/sys/kernel/mm/transparent_hugepage/enabled")
    // The text of the file is `always [madvise] never`, for example.
    let chosen = String(decoding: setting, as: UTF8.self).split(separator: "[").last
    transparentHugePages =
      setting.isEmpty ? nil : chosen?.split(separator: "]").first.map(String.init)
    #if os(Linux)
      isLinux = true
    #else
      isLinux = false
    #endif
  }

  package var findings: [Finding] {
    [
      isLinux
        ? Finding(.machine, "kernel", .ok, machine.kernel)
        : Finding(
          .machine, "kernel", .error, "\(machine.kernel): 'auto' and breakpoints need Linux",
          hint: "record an instrumented build: docs/how-to/RECORDING.md"),
      Finding(
        .machine, "page size", .ok,
        "\(Self.wording(UInt64(machine.pageBytes))), transparent huge pages \(transparentHugePages ?? "unknown")"
      ),
      Finding(
        .machine, "fault-around", .ok,
        "\(Self.wording(UInt64(machine.faultAroundBytes)))"
          + (machine.faultAroundIsAssumed
            ? " assumed (the kernel's default), because /sys/kernel/debug can't be read" : "")),
      readAhead,
      Finding(.machine, "file system", .ok, (storage.fileSystem ?? "unknown") + largeFolios),
    ]
  }

  /// Whether ext4 has large folios on this kernel. The kernel maps a folio as a whole (see `LinuxKernel`).
  private var largeFolios: String {
    guard storage.fileSystem == "ext4" else { return "" }
    let version = machine.kernel.split(separator: " ").dropFirst().first?.split(separator: ".")
      .prefix(2).compactMap { Int($0.prefix { $0.isNumber }) }
    guard let version, version.count == 2 else { return "" }
    return (version[0], version[1]) >= (6, 16)
      ? ", with large folios (since Linux 6.16)" : ", without large folios (since Linux 6.16)"
  }

  /// Returns a size in MiB or KiB. The kernel's settings are whole numbers of KiB.
  private static func wording(_ bytes: UInt64) -> String {
    bytes >= 1 << 20 && bytes.isMultiple(of: 1 << 20) ? "\(bytes >> 20) MiB" : "\(bytes >> 10) KiB"
  }

  private var readAhead: Finding {
    guard let bytes = storage.readAheadBytes else {
      return Finding(
        .machine, "read-ahead", .warning,
        "unknown on \(storage.fileSystem ?? "this file system"): with a large read-ahead, cold launches do not show the order",
        hint: "put the image on a disk to measure cold launches")
    }
    guard bytes > ReadAheadLimits.largest else {
      return Finding(.machine, "read-ahead", .ok, "\(Self.wording(bytes))")
    }
    return Finding(
      .machine, "read-ahead", .warning,
      "\(Self.wording(bytes)): a cold launch reads most of the program in any order; compare pages instead (orderfile pages)",
      hint: storage.readAheadSetting.map { "as root: echo \(ReadAheadLimits.usual >> 10) >\($0)" })
  }
}
