import Foundation
import ProcessLaunch
import TestSupport
import Testing

@Suite struct SystemFileTests {
  @Test(arguments: [
    ("12\n", "12", 12), ("0 1 2\n", "0", 0), ("always [madvise] never\n", "always", nil),
    ("\n", nil, nil), ("", nil, nil), ("-5", "-5", -5),
    ("99999999999999999999", "99999999999999999999", nil),
  ])
  func aWordEndsAtABlank(text: String, word: String?, number: Int?) throws {
    let workshop = try Workshop()
    try workshop.write(text.utf8, "file")
    let path = workshop.folder.appendingPathComponent("file").path
    #expect(SystemFile.word(path) == word && SystemFile.number(path) == number)
  }

  @Test func aMissingFileIsEmpty() {
    #expect(SystemFile.text(of: "/nowhere") == [] && SystemFile.word("/nowhere") == nil)
  }

  @Test func aFileLongerThanOneReadIsWhole() throws {
    let workshop = try Workshop()
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
    try workshop.write(bytes, "file")
    #expect(SystemFile.text(of: workshop.folder.appendingPathComponent("file").path) == bytes)
  }

  @Test func aWordOfSharedMemoryIsExchangedOnce() throws {
    let descriptor = try SharedFile.createMemory("orderfile-test", size: 4096)
    defer { close(descriptor) }
    let path = "/proc/self/fd/\(descriptor)"
    #expect(SharedFile.exchange(0, for: 7, at: 8, of: path))
    #expect(!SharedFile.exchange(0, for: 9, at: 8, of: path))
    #expect(SharedFile.exchange(7, for: 9, at: 8, of: path))
    #expect(!SharedFile.exchange(0, for: 1, at: 4096, of: path), "outside of the file")
    #expect(!SharedFile.exchange(0, for: 1, at: -4, of: path))
    #expect(!SharedFile.exchange(0, for: 1, at: 0, of: "/nowhere"))
    #expect(Array(SystemFile.text(of: path)[8..<12]) == [9, 0, 0, 0])
  }
}
