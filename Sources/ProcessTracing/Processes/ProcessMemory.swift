import Addresses
import CPtrace

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The memory of a traced process, through `/proc/PID/mem`: writing ignores protection, and gives the process
/// private copies of pages that it shared with a file. <proc_pid_mem(5)>
package final class ProcessMemory {
  /// The number of the process.
  let pid: pid_t
  private let descriptor: Int32

  /// - Returns: `nil` if the process is gone or may not be traced.
  package init?(of pid: pid_t) {
    self.pid = pid
    descriptor = open("/proc/\(pid)/mem", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// `count` bytes from `address` on, or fewer: those before the first that can't be read.
  package func read(_ count: Int, at address: LoadedAddress) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress, $0.count, off_t(bitPattern: address) &+ off_t(done))
      }
      guard count > 0 else { break }
      done += count
    }
    return Array(bytes[..<done])
  }

  /// The first bytes of the pages in `addresses` that are the process's own copies, no longer the file's; ascending.
  /// <proc_pid_pagemap(5)>
  ///
  /// - Returns: none if the process is gone.
  /// - Complexity: O(*n*) for *n* pages of the range.
  func privatePages(in addresses: Range<LoadedAddress>) -> [LoadedAddress] {
    let pages = Array(WatchedImage.pages(of: addresses))
    let descriptor = open("/proc/\(pid)/pagemap", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    guard let first = pages.first else { return [] }
    var words = [UInt64](repeating: 0, count: pages.count)
    let offset = off_t(clamping: first.rawValue / WatchedImage.pageSize * 8)
    let count = pread(descriptor, &words, words.count * 8, offset)
    let isPresent: UInt64 = 1 << 63
    let isOfFile: UInt64 = 1 << 61
    return zip(pages, words.prefix(max(count, 0) / 8))
      .filter { $1 & (isPresent | isOfFile) == isPresent }.map { $0.0 }
  }

  /// The memory that the kernel is going to use in `call`: 4096 ranges at most, none of them empty.
  package func rangesUsed(by call: ctrace_call) -> [Range<LoadedAddress>] {
    var call = call
    var ranges = [ctrace_range](repeating: ctrace_range(), count: 4096)
    let count = Int(ctrace_call_memory(descriptor, &call, &ranges, Int32(ranges.count)))
    return ranges[..<count].compactMap { range in
      let start = LoadedAddress(rawValue: range.address)
      guard range.size > 0, let end = start.advanced(by: range.size) else { return nil }
      return start..<end
    }
  }

  /// - Returns: whether all of `bytes` could be written.
  @discardableResult
  package func write(_ bytes: ArraySlice<UInt8>, at address: LoadedAddress) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let place = off_t(bitPattern: address) &+ off_t(rest.startIndex - bytes.startIndex)
      let count = rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, place) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

extension off_t {
  fileprivate init(bitPattern address: LoadedAddress) {
    self = off_t(Int64(bitPattern: address.rawValue))
  }
}
