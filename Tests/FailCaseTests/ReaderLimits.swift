import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Limits this process to the memory that readers may use for `byteCount` bytes, and to a minute of processor time. The
/// system ends the process if it takes more. For a process that only reads one input.
func limitReader(of byteCount: Int) {
  // The limit is the memory that is in use already, the memory for the input, and some room for the tables of the Swift
  // runtime.
  let allowed = dataBytes() + 16 * byteCount + 64 << 20 + 32 << 20
  var memory = rlimit(rlim_cur: rlim_t(allowed), rlim_max: rlim_t(allowed))
  setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &memory)
  var seconds = rlimit(rlim_cur: 60, rlim_max: 60)
  setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &seconds)
  var core = rlimit(rlim_cur: 0, rlim_max: 0)
  setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
}

/// Returns the private writable memory of this process, as the limit counts it.
private func dataBytes() -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmData:") } ?? ""
  return (Int(line.split(whereSeparator: { !$0.isNumber }).first ?? "") ?? 0) << 10
}
