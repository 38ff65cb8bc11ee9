import Addresses
import ProcessLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A line of `/proc/PID/maps`. <proc_pid_maps(5)>
package struct ProcessMapping: Hashable {
  package var addresses: Range<LoadedAddress>
  package var isReadable: Bool
  package var isWritable: Bool
  package var isExecutable: Bool
  /// The offset in the file at which it begins.
  package var fileOffset: FileOffset
  /// The device and inode of the file, as the kernel writes them.
  package var file: String
  /// Absolute; empty for memory without a file. Followed by a blank and `(deleted)` if the file is gone.
  package var path: String

  /// The mappings of files in the memory of process `pid`, ascending; empty if it is gone.
  package static func files(of pid: pid_t) -> [ProcessMapping] {
    SystemFile.text(of: "/proc/\(pid)/maps").split(separator: UInt8(ascii: "\n")).compactMap(
      Self.init(line:))
  }

  /// `55d0-55e0 r-xp 00001000 fe:00 1234   /usr/bin/app`; `nil` for memory without a file.
  package init?(line: ArraySlice<UInt8>) {
    let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
    // The kernel names other memory in brackets, with any contents: `[anon:a/b]`.
    guard fields.count == 6, case let name = fields[5].drop(while: { $0 == UInt8(ascii: " ") }),
      name.first == UInt8(ascii: "/")
    else { return nil }
    let ends = fields[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      .map(Self.hexadecimal)
    guard ends.count == 2, let start = ends[0], let end = ends[1], start <= end,
      Int(exactly: end) != nil, let offset = Self.hexadecimal(fields[2])
    else { return nil }
    addresses = LoadedAddress(rawValue: start)..<LoadedAddress(rawValue: end)
    isReadable = fields[1].first == UInt8(ascii: "r")
    isWritable = fields[1].dropFirst().first == UInt8(ascii: "w")
    isExecutable = fields[1].dropFirst(2).first == UInt8(ascii: "x")
    fileOffset = FileOffset(rawValue: offset)
    file = String(decoding: fields[3] + [UInt8(ascii: " ")] + fields[4], as: UTF8.self)
    path = String(decoding: name, as: UTF8.self)
  }

  private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt64? {
    UInt64(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  /// The path of the program that process `pid` runs, without symbolic links; `nil` if it is gone.
  package static func program(of pid: pid_t) -> String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/\(pid)/exe", &path, path.count)
    guard count > 0 else { return nil }
    return String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
