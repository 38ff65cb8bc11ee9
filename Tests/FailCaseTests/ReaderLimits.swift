import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Keeps this process to the memory that readers may use for `byteCount` bytes, and to a minute of CPU: who
/// takes more is ended by the system. For a process that does nothing else.
func limitReader(of byteCount: Int) {
  // What is there already, and some room for the language's own tables.
  let allowed = dataBytes() + 16 * byteCount + 64 << 20 + 32 << 20
  var memory = rlimit(rlim_cur: rlim_t(allowed), rlim_max: rlim_t(allowed))
  setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &memory)
  var seconds = rlimit(rlim_cur: 60, rlim_max: 60)
  setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &seconds)
  var core = rlimit(rlim_cur: 0, rlim_max: 0)
  setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
}

/// Private writable memory of this process, as the limit counts it.
private func dataBytes() -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmData:") } ?? ""
  return (Int(line.split(whereSeparator: { !$0.isNumber }).first ?? "") ?? 0) << 10
}
