import ByteReading
import Foundation

#if canImport(Glibc)
  import Glibc

  /// Ends the process, so that libFuzzer keeps the input, if a target takes more memory than the rule of
  /// `ParsingLimits` allows.
  struct PeakMemory {
    private let clear = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
    private let status = open("/proc/self/status", O_RDONLY | O_CLOEXEC)

    func check(_ bytes: [UInt8], _ read: ([UInt8]) -> Void) {
      // proc(5): 5 sets the peak to the present resident memory.
      guard pwrite(clear, "5", 1, 0) == 1 else { return read(bytes) }
      let before = peak()
      read(bytes)
      let used = peak() - before
      let given = bytes.count * (1 + Int(ParsingLimits.decompressionRatio))
      let allowed = 16 * given + 64 << 20
      if used > allowed {
        fatalError("\(bytes.count) bytes took \(used >> 20) MiB, more than \(allowed >> 20) MiB")
      }
    }

    /// The peak resident memory in bytes.
    private func peak() -> Int {
      var text = [UInt8](repeating: 0, count: 2048)
      let count = max(pread(status, &text, text.count, 0), 0)
      let line =
        text[..<count].split(separator: UInt8(ascii: "\n"))
        .first { $0.starts(with: "VmHWM:".utf8) } ?? []
      let digits = line.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      return (Int(String(decoding: digits, as: UTF8.self)) ?? 0) << 10
    }
  }
#else
  struct PeakMemory {
    func check(_ bytes: [UInt8], _ read: ([UInt8]) -> Void) { read(bytes) }
  }
#endif
