import Foundation
import ProcessLaunch
import TestSupport
import Testing

@Suite struct FileIdentityTests {
  private let workshop: Workshop
  init() throws { workshop = try Workshop() }

  private func path(_ name: String) -> String { workshop.folder.appendingPathComponent(name).path }

  @Test func aFileKeepsItsIdentityUnderAnotherName() throws {
    try workshop.write([1, 2, 3], "a")
    let identity = try #require(FileIdentity(of: path("a")))
    try FileManager.default.linkItem(atPath: path("a"), toPath: path("linked"))
    try FileManager.default.moveItem(atPath: path("a"), toPath: path("moved"))
    #expect(FileIdentity(of: path("linked")) == identity)
    #expect(FileIdentity(of: path("moved")) == identity)
    #expect(FileIdentity(of: path("a")) == nil)
  }

  @Test func aWriteMakesAnotherIdentityOfTheSameFile() throws {
    try workshop.write([1, 2, 3], "a")
    let identity = try #require(FileIdentity(of: path("a")))
    let file = try #require(FileHandle(forWritingAtPath: path("a")))
    try file.write(contentsOf: [1, 2, 3, 4])
    try file.close()
    let written = try #require(FileIdentity(of: path("a")))
    #expect(written != identity && written.isSameFile(as: identity))
  }

  @Test func aCopyIsAnotherFile() throws {
    try workshop.write([1, 2, 3], "a")
    try FileManager.default.copyItem(atPath: path("a"), toPath: path("b"))
    let identities = try ["a", "b"].map { try #require(FileIdentity(of: path($0))) }
    #expect(!identities[0].isSameFile(as: identities[1]))
  }

  @Test func onlyRegularFilesHaveAStamp() throws {
    try workshop.write([1], "a")
    let stamp = try #require(FileStamp(path: path("a")))
    #expect(stamp == FileStamp(path: path("a")))
    #expect(FileStamp(path: workshop.folder.path) == nil && FileStamp(path: path("none")) == nil)
  }

  @Test func timesAreComparedInNanoseconds() {
    let first = FileTime.now()
    var second = FileTime.now()
    while second == first { second = FileTime.now() }
    #expect(first < second && !(second < first))
  }
}
