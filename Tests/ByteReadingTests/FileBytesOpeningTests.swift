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
