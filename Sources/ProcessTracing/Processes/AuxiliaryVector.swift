import CPtrace
import ProcessLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the kernel told a program when it began. <getauxval(3)>
struct AuxiliaryVector {
  /// Where the program begins, loaded.
  let entry: UInt64
  /// Where the loader is; `nil` in a program without one.
  let loaderBase: UInt64?

  /// Where the kernel has put code of its own in the program's memory, vdso(7); `nil` if it has not.
  let kernelCode: UInt64?

  /// - Returns: `nil` if process `pid` is gone or is none of 64 bits.
  init?(of pid: pid_t) {
    let bytes = SystemFile.text(of: "/proc/\(pid)/auxv")
    func word(_ index: Int) -> UInt64 {
      (0..<8).reduce(0) { $0 | UInt64(bytes[index * 8 + $1]) << (8 * UInt64($1)) }
    }
    var values: [UInt64: UInt64] = [:]
    for i in stride(from: 0, to: bytes.count / 8 - 1, by: 2) { values[word(i)] = word(i + 1) }
    guard let entry = values[UInt64(CTRACE_AT_ENTRY)] else { return nil }
    self.entry = entry
    kernelCode = values[UInt64(CTRACE_AT_SYSINFO_EHDR)]
    loaderBase = values[UInt64(CTRACE_AT_BASE)].flatMap { $0 == 0 ? nil : $0 }
  }
}
