import ByteReading
import Foundation
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct FileBytesOpeningTests {
  private let workshop: Workshop

  init() throws { workshop = try Workshop() }

  private func path(_ name: String) -> String { workshop.folder.appendingPathComponent(name).path }

  @Test func aFileThatAnotherFileNamesIsNeverADeviceOrAPipe() throws {
    try #require(mkfifo(path("fifo"), 0o600) == 0)
    for path in ["/dev/zero", path("fifo")] {
      let error = #expect(throws: SystemError.self) { try FileBytes(regularFileAt: path) }
      #expect(error?.description == "not a regular file")
    }
    try workshop.write("abc".utf8, "file")
    #expect(try FileBytes(regularFileAt: path("file")).count == 3)
  }

  @Test func aCopyIsWhatTheFileWasWhenItIsCutAfterwards() throws {
    try workshop.write([UInt8](repeating: 7, count: 100_000), "file")
    let copy = try FileBytes(copyOf: path("file"), limit: 100_000)
    try #require(truncate(path("file"), 0) == 0)
    #expect(!copy.isMapped)
    #expect(copy.copy(0..<copy.count) == [UInt8](repeating: 7, count: 100_000))
  }

  @Test func aFileIsCopiedIfItsContentsChange() throws {
    try workshop.write("growing".utf8, "growing")
    try workshop.write("done".utf8, "done")
    func opened(_ name: String, limit: UInt64 = 100) throws -> FileBytes {
      try FileBytes.opening(path(name), isRegular: true, limit: limit) { $0.hasPrefix("g", at: 0) }
    }
    #expect(try opened("done", limit: 1).isMapped)
    let copy = try opened("growing")
    try #require(truncate(path("growing"), 0) == 0)
    #expect(!copy.isMapped && copy.text(0..<copy.count) == "growing")
    try workshop.write("growing".utf8, "growing")
    #expect(throws: SystemError.tooLarge) { try opened("growing", limit: 6) }
  }

  /// A descriptor that was read before is copied from the beginning.
  @Test func anOpenFileIsCopiedFromItsBeginning() throws {
    try workshop.write("growing".utf8, "growing")
    let descriptor = open(path("growing"), O_RDONLY)
    defer { close(descriptor) }
    var first: UInt8 = 0
    try #require(read(descriptor, &first, 1) == 1)
    let copy = try FileBytes.reading(descriptor, limit: 100) { _ in true }
    #expect(copy.text(0..<copy.count) == "growing")
  }

  @Test func aCopyOfASparseFileHasItsBlocks() throws {
    let size = 1 << 30
    let block = [UInt8](repeating: 7, count: 10_000)
    let places = [0, 300 << 20, size - block.count]
    let file = open(path("file"), O_WRONLY | O_CREAT, 0o600)
    defer { close(file) }
    for place in places { try #require(pwrite(file, block, block.count, off_t(place)) > 0) }
    let copy = try FileBytes(copyOf: path("file"), limit: UInt64(size))
    #expect(copy.count == size)
    for place in places { #expect(copy.copy(place..<place + block.count) == block) }
    #expect(copy.copy(200 << 20..<(200 << 20) + 9) == [UInt8](repeating: 0, count: 9))
    #expect(places.allSatisfy { copy.endOfHole(at: $0) == $0 })
    let end = copy.endOfHole(at: 200 << 20)
    #expect(end <= 300 << 20 && end + (1 << 20) > 300 << 20)
  }

  @Test func aCopyHasALimit() throws {
    try workshop.write([UInt8](repeating: 7, count: 101), "file")
    #expect(throws: SystemError("read", errno: EFBIG)) {
      try FileBytes(copyOf: path("file"), limit: 100)
    }
  }

  @Test func whatCannotBeFilledIsNothing() {
    #expect(FileBytes(count: 4) { _ in false } == nil)
    let bytes = FileBytes(count: 4) {
      $0.copyBytes(from: [1, 2, 3, 4])
      return true
    }
    #expect(bytes?.copy(0..<4) == [1, 2, 3, 4])
  }
}
