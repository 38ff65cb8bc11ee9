import CommandSupport
import Foundation
import ImageModel
import TestSupport
import Testing

/// An output file appears complete or not at all.
@Suite struct OutputFileTests {
  let workshop: Workshop
  init() throws { workshop = try Workshop() }

  private func path(_ name: String) -> String { workshop.folder.appendingPathComponent(name).path }
  private func text(_ name: String) -> String? {
    FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) }
  }
  private func mode(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
  }
  private var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: workshop.folder.path)) ?? []).sorted()
  }

  @Test func theOldFileStandsUntilTheNewOneIsComplete() throws {
    try workshop.write("old".utf8, "x")
    let output = try OutputFile(path("x"))
    #expect(text("x") == "old")
    try output.finish(Array("new".utf8))
    #expect(text("x") == "new")
    #expect(names == ["x"])
  }

  @Test func anAbandonedOutputLeavesNothing() throws {
    try workshop.write("old".utf8, "x")
    for name in ["x", "y"] { _ = try OutputFile(path(name)) }
    #expect(text("x") == "old")
    #expect(names == ["x"])
  }

  @Test func aNewFileHasTheModeOfAnyNewFileAndAnOldOneKeepsIts() throws {
    try workshop.write("like any".utf8, "usual")
    try OutputFile(path("x")).finish([])
    #expect(try mode("x") == mode("usual"))
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path("x"))
    try OutputFile(path("x")).finish(Array("new".utf8))
    #expect(try mode("x") == 0o640)
  }

  @Test func twoPathsOfOneFileAreTheSameHoweverTheyAreWritten() throws {
    try workshop.write("old".utf8, "x")
    try FileManager.default.createDirectory(atPath: path("sub"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: "x")
    let file = try OutputFile(path("x"))
    for (name, isSame) in [("./x", true), ("link", true), ("y", false), ("sub/x", false)] {
      #expect(try file.isSameFile(as: OutputFile(path(name))) == isSame, "\(name)")
    }
    #expect(try !OutputFile("/dev/null").isSameFile(as: OutputFile("/dev/null")))
  }

  @Test func aSymbolicLinkStaysOne() throws {
    try workshop.write("old".utf8, "target")
    try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: "target")
    try OutputFile(path("link")).finish(Array("new".utf8))
    #expect(text("target") == "new")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path("link")) == "target")
    #expect(names == ["link", "target"])
  }

  @Test func aLinkToWhatIsNotThereYetMakesIt() throws {
    try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: "target")
    try OutputFile(path("link")).finish(Array("new".utf8))
    #expect(text("target") == "new")
    #expect(names == ["link", "target"])
  }

  @Test func devicesAndPipesAreWrittenTo() throws {
    try OutputFile("/dev/null").finish([1, 2, 3])
    #expect(throws: Diagnostic("unable to write: No space left on device", context: ["/dev/full"]))
    {
      try OutputFile("/dev/full").finish([1])
    }
  }

  @Test func whatCantBeWrittenIsFoundBeforeTheWork() throws {
    try workshop.write([], "file")
    try FileManager.default.createDirectory(
      atPath: path("folder"), withIntermediateDirectories: false)
    for (name, reason) in [
      ("missing/x", "No such file or directory"), ("folder", "Is a directory"),
      ("file/x", "Not a directory"),
      (String(repeating: "x", count: 300), "File name too long"), ("", "Is a directory"),
    ] {
      let path = name.isEmpty ? workshop.folder.path : path(name)
      #expect(throws: Diagnostic("unable to write: \(reason)", context: [path])) {
        try OutputFile(path)
      }
    }
    #expect(names == ["file", "folder"])
  }

  @Test func theNameMayBeAsLongAsAnyName() throws {
    let name = String(repeating: "x", count: 255)
    try OutputFile(path(name)).finish(Array("new".utf8))
    #expect(text(name) == "new")
  }
}
