import CommandSupport
import Foundation
import ImageModel
import TestSupport
import Testing

@Suite struct AppendedFileTests {
  private let folder: TestSupport.TemporaryFolder
  private let path: String

  init() throws {
    folder = try TestSupport.TemporaryFolder()
    path = folder.path("lines")
  }

  private var text: String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func linesFollowThoseThatAreThere() throws {
    for line in ["a\n", "b\nc\n"] { try AppendedFile(path).append(lines: Array(line.utf8)) }
    #expect(text == "a\nb\nc\n")
  }

  @Test func aLineWithoutItsEndGetsOne() throws {
    try folder.write(Array("a".utf8), "lines")
    try AppendedFile(path).append(lines: Array("b\n".utf8))
    #expect(text == "a\nb\n")
  }

  /// Another process may wait for the file.
  @Test func aNewFileToWhichNothingIsAppendedStays() throws {
    #expect(try AppendedFile(path).contents().count == 0)
    #expect(text == "")
  }

  @Test func theFileIsLockedAsLongAsItIsOpen() throws {
    let file = try AppendedFile(path)
    #expect(try FileLock(path) == nil)
    try file.append(lines: Array("a\n".utf8))
  }

  @Test(arguments: [
    ("/dev/full", "unable to append: expected a regular file"),
    ("/", "unable to append: Is a directory"),
    ("/nowhere/lines", "unable to append: No such file or directory"),
  ])
  func whatIsNoFileIsRefused(path: String, message: String) {
    #expect(throws: Diagnostic(message, context: [path])) { try AppendedFile(path) }
  }
}
