import CPtrace

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The memory of a process that this one traces, through `/proc/PID/mem`: writing ignores protection, and
/// gives the process pages of its own where it shared them with a file. <proc_pid_mem(5)>
package final class ProcessMemory {
  private let descriptor: Int32

  /// - Returns: `nil` if the process is gone or may not be traced.
  package init?(of pid: pid_t) {
    descriptor = open("/proc/\(pid)/mem", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// The bytes at `addresses`, or those before the first that can't be read.
  package func read(_ addresses: Range<UInt64>) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: addresses.count)
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress, $0.count, off_t(bitPattern: addresses.lowerBound) + done)
      }
      guard count > 0 else { break }
      done += count
    }
    return Array(bytes[..<done])
  }

  /// Stores the memory that the kernel is going to use in `call`, and returns how many ranges that is.
  package func rangesUsed(by call: ctrace_call, _ ranges: inout [ctrace_range]) -> Int {
    var call = call
    return Int(ctrace_call_memory(descriptor, &call, &ranges, Int32(ranges.count)))
  }

  /// - Returns: whether all of `bytes` could be written.
  @discardableResult
  package func write(_ bytes: ArraySlice<UInt8>, at address: UInt64) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let place = off_t(bitPattern: address) + off_t(rest.startIndex - bytes.startIndex)
      let count = rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, place) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

extension off_t {
  fileprivate init(bitPattern address: UInt64) { self = off_t(Int64(bitPattern: address)) }
}
