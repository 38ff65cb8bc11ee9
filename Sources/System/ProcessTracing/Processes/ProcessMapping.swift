import Addresses
import CPtrace
import LibC
import ProcessLaunch

/// A line of `/proc/PID/maps`. <proc_pid_maps(5)>
package struct ProcessMapping: Hashable {
  package var addresses: Range<LoadedAddress>
  package var isReadable: Bool
  package var isWritable: Bool
  package var isExecutable: Bool
  /// The offset in the file at which the mapping begins.
  package var fileOffset: FileOffset
  /// The device and inode of the file, as the kernel writes them.
  package var file: String
  /// The absolute path of the file. A blank and `(deleted)` follow if the file is gone.
  package var path: String

  /// The mappings of files in the memory of the process or thread `pid`, ascending; `nil` if the
  /// mappings can't be read, or if the process has ended. After the first thread of a process has
  /// ended, only its other threads show the mappings.
  package static func files(of pid: pid_t) -> [ProcessMapping]? {
    var reader = MappingReader()
    return files(of: pid, &reader)
  }

  /// - Parameter reader: a reader that has read mappings of this process only, or is new.
  static func files(of pid: pid_t, _ reader: inout MappingReader) -> [ProcessMapping]? {
    let text = SystemFile.text(of: "/proc/\(pid)/maps")
    guard !text.isEmpty else { return nil }
    return reader.files(in: text) { line in
      guard var mapping = Self(line: line) else { return nil }
      mapping.readPath(of: pid)
      return mapping
    }
  }

  /// The executable memory without a file of the process or thread `pid`, ascending; empty if the
  /// mappings can't be read.
  static func codeWithoutFile(of pid: pid_t) -> [Range<LoadedAddress>] {
    SystemFile.text(of: "/proc/\(pid)/maps").split(separator: UInt8(ascii: "\n")).compactMap {
      let fields = $0.split(separator: UInt8(ascii: " "), maxSplits: 5)
      guard fields.count >= 5, fields[1].dropFirst(2).first == UInt8(ascii: "x"),
        fields[4].elementsEqual([UInt8(ascii: "0")])
      else { return nil }
      let name = fields.count > 5 ? fields[5].drop { $0 == UInt8(ascii: " ") } : []
      // Mappings of [vdso] and [vsyscall] are left out: they are code of the kernel, not copies of the program's code.
      return name.starts(with: Array("[v".utf8)) ? nil : Self.addresses(fields[0])
    }
  }

  /// The value of `file` in mappings of the regular file at `path`; `nil` if the file can't be
  /// mapped.
  package static func file(at path: String) -> String? {
    var text = [CChar](repeating: 0, count: 64)
    guard ctrace_mapped_file(path, &text, text.count) == 0 else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The value of `file` for a device and inode.
  static func file(major: UInt64, minor: UInt64, inode: UInt64) -> String {
    func digits(_ number: UInt64) -> String {
      let text = String(number, radix: 16)
      return text.utf8.count < 2 ? "0" + text : text
    }
    return "\(digits(major)):\(digits(minor)) \(inode)"
  }

  /// The device and inode in a value of `file`.
  static func numbers(_ file: String) -> (major: UInt64, minor: UInt64, inode: UInt64)? {
    let fields = file.utf8.split(separator: UInt8(ascii: " "))
    let device = fields.first?.split(separator: UInt8(ascii: ":")) ?? []
    guard fields.count == 2, device.count == 2, let major = hexadecimal(ArraySlice(device[0])),
      let minor = hexadecimal(ArraySlice(device[1])), let inode = UInt64(String(fields[1]) ?? "")
    else { return nil }
    return (major, minor, inode)
  }

  /// Reads the exact path of a mapping whose path has `\012`: the kernel writes a line feed as these four characters,
  /// but a name may also contain them.
  private mutating func readPath(of pid: pid_t) {
    // Builds without Swift's library of string processing lack `contains(_: String)`.
    guard path.utf8.indices.contains(where: { path.utf8[$0...].starts(with: Self.lineFeed.utf8) })
    else { return }
    let ends = [addresses.lowerBound, addresses.upperBound].map { String($0.rawValue, radix: 16) }
    path = Self.link("/proc/\(pid)/map_files/\(ends[0])-\(ends[1])") ?? path
  }

  private static let lineFeed = "\\012"

  /// Whether the path ends with ` (deleted)`: the file is gone or replaced, or has such a name.
  package var isDeleted: Bool { path.hasSuffix(Self.deleted) }

  /// The path that the file had, if it is gone.
  package var formerPath: String { Self.withoutDeletion(path) }

  /// Returns `path` without ` (deleted)`, which marks a file that is gone.
  package static func withoutDeletion(_ path: String) -> String {
    path.hasSuffix(deleted) ? String(path.dropLast(deleted.count)) : path
  }

  private static let deleted = " (deleted)"

  /// Reads a line such as `55d0-55e0 r-xp 00001000 fe:00 1234   /usr/bin/app`; `nil` for memory without a file.
  package init?(line: ArraySlice<UInt8>) {
    let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
    // The kernel names other memory in brackets, with any contents: `[anon:a/b]`.
    guard fields.count == 6, case let name = fields[5].drop(while: { $0 == UInt8(ascii: " ") }),
      name.first == UInt8(ascii: "/")
    else { return nil }
    guard let addresses = Self.addresses(fields[0]), let offset = Self.hexadecimal(fields[2])
    else { return nil }
    self.addresses = addresses
    isReadable = fields[1].first == UInt8(ascii: "r")
    isWritable = fields[1].dropFirst().first == UInt8(ascii: "w")
    isExecutable = fields[1].dropFirst(2).first == UInt8(ascii: "x")
    fileOffset = FileOffset(rawValue: offset)
    file = String(decoding: fields[3] + [UInt8(ascii: " ")] + fields[4], as: UTF8.self)
    path = String(decoding: name, as: UTF8.self)
  }

  static func addresses(_ field: ArraySlice<UInt8>) -> Range<LoadedAddress>? {
    let ends = field.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      .map(Self.hexadecimal)
    guard ends.count == 2, let start = ends[0], let end = ends[1], start <= end,
      Int(exactly: end) != nil
    else { return nil }
    return LoadedAddress(rawValue: start)..<LoadedAddress(rawValue: end)
  }

  private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt64? {
    UInt64(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  /// The path of the program that process `pid` runs, without symbolic links; `nil` if the process is gone.
  package static func program(of pid: pid_t) -> String? {
    link("/proc/\(pid)/exe")
  }

  private static func link(_ link: String) -> String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link, &path, path.count)
    guard count > 0 else { return nil }
    return String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
