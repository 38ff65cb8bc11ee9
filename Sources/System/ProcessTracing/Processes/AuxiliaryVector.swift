import Addresses
import CPtrace
import LibC
import ProcessLaunch

/// The information that the kernel gives a program at its start. <getauxval(3)>
struct AuxiliaryVector {
  /// The address at which the program begins.
  let entry: LoadedAddress
  /// The address of the loader; `nil` in a program without one.
  let loaderBase: LoadedAddress?
  /// The address of the kernel's own code in the program's memory, vdso(7); `nil` if there is none.
  let kernelCode: LoadedAddress?

  /// - Returns: `nil` if process `pid` is gone or is not a 64-bit process.
  init?(of pid: pid_t) {
    let bytes = SystemFile.text(of: "/proc/\(pid)/auxv")
    func word(_ index: Int) -> UInt64 {
      (0..<8).reduce(0) { $0 | UInt64(bytes[index * 8 + $1]) << (8 * UInt64($1)) }
    }
    var values: [UInt64: UInt64] = [:]
    for i in stride(from: 0, to: bytes.count / 8 - 1, by: 2) { values[word(i)] = word(i + 1) }
    func address(_ type: Int) -> LoadedAddress? {
      values[UInt64(type)].map(LoadedAddress.init(rawValue:))
    }
    guard let entry = address(CTRACE_AT_ENTRY) else { return nil }
    self.entry = entry
    kernelCode = address(CTRACE_AT_SYSINFO_EHDR)
    loaderBase = address(CTRACE_AT_BASE).flatMap { $0.rawValue == 0 ? nil : $0 }
  }
}
