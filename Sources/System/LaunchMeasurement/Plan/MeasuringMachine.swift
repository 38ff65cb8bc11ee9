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
