import ProcessLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The signal settings of a process. <proc_pid_status(5)>
enum ProcessSignals {
  /// Whether the process of thread `tid` handles `signal`.
  static func areCaught(_ signal: Int32, by tid: pid_t) -> Bool {
    let title = Array("SigCgt:\t".utf8)
    let lines = SystemFile.text(of: "/proc/\(tid)/status").split(separator: UInt8(ascii: "\n"))
    guard let line = lines.first(where: { $0.starts(with: title) }) else { return false }
    let digits = String(decoding: line.dropFirst(title.count), as: UTF8.self)
    return (UInt64(digits, radix: 16) ?? 0) & 1 << UInt64(max(signal - 1, 0)) != 0
  }
}
