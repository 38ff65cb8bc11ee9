import Addresses
import Foundation
import ProcessTracing
import TestSupport
import Testing

/// Tests reading `/proc/PID/maps`, as the kernel writes it and damaged.
@Suite struct ProcessMappingTests {
  private static func parse(_ line: String) -> ProcessMapping? {
    ProcessMapping(line: Array(line.utf8)[...])
  }

  private static func describe(_ mapping: ProcessMapping) -> String {
    let rights = [
      mapping.isReadable ? "r" : "-", mapping.isWritable ? "w" : "-",
      mapping.isExecutable ? "x" : "-",
    ]
    let ends = [
      mapping.addresses.lowerBound.rawValue, mapping.addresses.upperBound.rawValue,
      mapping.fileOffset.rawValue,
    ]
    return
      (ends.map { String($0, radix: 16) } + [rights.joined(), mapping.file, "'\(mapping.path)'"])
      .joined(separator: " ")
  }

  @Test(arguments: [
    (
      "55d0a000-55d0b000 r-xp 00001000 fe:00 1234                       /usr/bin/app",
      "55d0a000 55d0b000 1000 r-x fe:00 1234 '/usr/bin/app'"
    ),
    (
      "1000-2000 rw-s 00000000 00:01 7 /memfd:a (deleted)",
      "1000 2000 0 rw- 00:01 7 '/memfd:a (deleted)'"
    ),
    ("1000-2000 ---p 00000000 08:01 7 /a b  c", "1000 2000 0 --- 08:01 7 '/a b  c'"),
    // The kernel writes a line feed in a name as `\012`. A name that contains these four characters looks the same.
    ("1000-2000 r--p 00000000 08:01 7 /a\\012b", "1000 2000 0 r-- 08:01 7 '/a\\012b'"),
    ("1000-2000 r--p 00000000 08:01 7 /größe", "1000 2000 0 r-- 08:01 7 '/größe'"),
    ("1000-1000 r--p 00000000 08:01 7 /empty", "1000 1000 0 r-- 08:01 7 '/empty'"),
    (
      "0-7fffffffffffffff r--p ffffffffffffffff 08:01 7 /a",
      "0 7fffffffffffffff ffffffffffffffff r-- 08:01 7 '/a'"
    ),
  ])
  func aLineOfAFile(line: String, expected: String) throws {
    #expect(Self.describe(try #require(Self.parse(line))) == expected)
  }

  @Test(arguments: [
    "", " ", "-", "/", "1000-2000 rw-p 00000000 00:00 0 ", "1000-2000 rw-p 00000000 00:00 0",
    "1000-2000 rw-p 00000000 00:00 0    [heap]", "1000-2000 rw-p 00000000 00:00 0 [anon:a/b]",
    "1000-2000 rw-p 00000000 00:0e 9 anon_inode:[perf_event]", "1000-2000 r-xp 0000",
    "2000-1000 r-xp 00000000 08:01 7 /turned", "1000 r-xp 00000000 08:01 7 /a",
    "1000-2000-3000 r-xp 00000000 08:01 7 /a", "1000-2000 r-xp wrong 08:01 7 /a",
    "-1000-2000 r-xp 00000000 08:01 7 /a", "0-8000000000000000 r-xp 00000000 08:01 7 /a",
    "0-10000000000000000 r-xp 00000000 08:01 7 /a", "0-1000 r-xp 10000000000000000 08:01 7 /a",
    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]",
  ])
  func aLineOfNoFile(line: String) { #expect(Self.parse(line) == nil) }

  @Test func damagedLinesNeverTrap() {
    let line = Array("55d0a000-55d0b000 r-xp 00001000 fe:00 1234   /usr/a b (deleted)".utf8)
    for length in hostilePrefixLengths(of: line) { use(ProcessMapping(line: line[..<length])) }
    for copy in byteFlips(of: line) { use(ProcessMapping(line: copy[...])) }
    for byte in UInt8.min...UInt8.max {
      use(ProcessMapping(line: [UInt8](repeating: byte, count: 40)[...]))
    }
  }

  /// Uses a mapping as callers of the reader do.
  private func use(_ mapping: ProcessMapping?) {
    guard let mapping else { return }
    #expect(mapping.addresses.size <= Int.max && mapping.path.hasPrefix("/"))
  }

  #if os(Linux)
    /// Two pages of a file in the memory of this process.
    private final class MappedFile {
      private let place: UnsafeMutableRawPointer?
      var address: LoadedAddress { LoadedAddress(rawValue: UInt64(UInt(bitPattern: place))) }

      init(_ path: String) throws {
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        place = mmap(nil, 8192, PROT_READ, MAP_PRIVATE, descriptor, 0)
        try #require(place != MAP_FAILED)
      }

      deinit { munmap(place, 8192) }
    }

    /// The file is in a folder whose name contains a blank and a line feed, and is removed while it is mapped.
    @Test func theKernelsOwnLinesAreRead() throws {
      let folder = try TemporaryFolder()
      let path = try folder.write([UInt8](repeating: 7, count: 8192), "with blank\nand line/file")
      let mapped = try MappedFile(path)
      defer { withExtendedLifetime(mapped) {} }
      let address = mapped.address

      func own() throws -> ProcessMapping {
        let mappings = try #require(ProcessMapping.files(of: getpid()))
        #expect(
          zip(mappings, mappings.dropFirst()).allSatisfy {
            $0.addresses.upperBound <= $1.addresses.lowerBound
          })
        return try #require(mappings.first { $0.addresses.contains(address) })
      }
      #expect(try own().path == path)
      #expect(try own().addresses == address..<address + 8192)
      #expect(try own().isReadable && !own().isWritable && !own().isExecutable)
      try FileManager.default.removeItem(atPath: path)
      #expect(try own().path == path + " (deleted)")
      #expect(try own().formerPath == path)
    }

    /// A new file may get the path and the inode number of a deleted file.
    @Test func aPathIsThatOfAMappingOnlyIfItsFileIsThere() throws {
      let folder = try TemporaryFolder()
      let path = try folder.write([UInt8](repeating: 7, count: 8192), "file")
      let mapped = try MappedFile(path)
      defer { withExtendedLifetime(mapped) {} }
      let address = mapped.address
      let files = TracedFiles()
      func isThere() throws -> Bool {
        let mappings = try #require(ProcessMapping.files(of: getpid()))
        let found = files.place(of: try #require(mappings.first { $0.addresses.contains(address) }))
        #expect(found.path == path)
        return found.isThere
      }
      #expect(try isThere())
      #expect(ProcessMapping.file(at: path) != nil)
      try FileManager.default.moveItem(atPath: path, toPath: path + " (deleted)")
      try FileManager.default.moveItem(atPath: path + " (deleted)", toPath: path)
      #expect(try isThere())
      try FileManager.default.removeItem(atPath: path)
      #expect(try !isThere())
      _ = try folder.write([UInt8](repeating: 7, count: 8192), "file")
      #expect(try !isThere(), "the same contents, in another file")
    }

    @Test func whatCannotBeMappedHasNoNumber() {
      #expect(ProcessMapping.file(at: "/dev/null") == nil)
      #expect(ProcessMapping.file(at: "/") == nil)
      #expect(ProcessMapping.file(at: "/nowhere") == nil)
    }

    @Test func aProcessThatIsGoneHasNone() {
      #expect(ProcessMapping.files(of: pid_t.max) == nil)
      #expect(ProcessMapping.program(of: pid_t.max) == nil)
    }
  #endif
}

@Suite struct MappingReaderTests {
  /// Lines appear, change and disappear anywhere. The reader returns the same mappings as a new reader.
  @Test func mappingsThatAreReadAgainAreAsNewOnes() {
    var random = SeededRandom(seed: 7)
    func line() -> String {
      let start = Int.random(in: 1...40, using: &random)
      let path = ["", "   /lib/a", "   /lib/b (deleted)", "   [heap]"].randomElement(using: &random)
      return "\(start)000-\(start)800 r-xp 00001000 fe:00 12\(path ?? "")\n"
    }
    var reader = MappingReader()
    var lines: [String] = []
    for round in 0..<3000 {
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let place = Int.random(in: 0...lines.count, using: &random)
        switch Int.random(in: 0...2, using: &random) {
        case 0 where place < lines.count: lines.remove(at: place)
        case 1 where place < lines.count: lines[place] = line()
        default: lines.insert(line(), at: place)
        }
      }
      if lines.count > 12 { lines.removeLast(6) }
      // The kernel may end its text anywhere.
      let text = Array(lines.joined().utf8.dropLast(round % 50 == 0 ? 3 : 0))
      var fresh = MappingReader()
      let expected = fresh.files(in: text) { ProcessMapping(line: $0) }
      #expect(reader.files(in: text) { ProcessMapping(line: $0) } == expected)
      let simple = text.split(separator: UInt8(ascii: "\n")).compactMap { ProcessMapping(line: $0) }
      #expect(expected == simple)
    }
  }
}
