import Foundation
import ImageModel
import Projects
import TestSupport
import Testing

@Suite struct TreeCopyTests {
  private let workshop: Workshop
  private let files = FileManager.default

  init() throws {
    workshop = try Workshop()
    for folder in ["p", "p/src", "p/.git", "p/cache", "p/cmake", "p/out"] {
      try files.createDirectory(
        at: workshop.folder.appendingPathComponent(folder), withIntermediateDirectories: true)
    }
    for name in [
      "p/a.c", "p/src/b.c", "p/.git/HEAD", "p/cache/CACHEDIR.TAG", "p/cmake/CMakeCache.txt",
      "p/out/x",
    ] {
      try workshop.write(name.utf8, name)
    }
  }

  private func path(_ name: String) -> String { workshop.folder.appendingPathComponent(name).path }

  private func update() throws -> TreeCopy.Update {
    try TreeCopy(of: path("p"), to: path("copy"), list: path("list"), excluding: path("p/out"))
      .update()
  }

  private func names() throws -> [String] {
    try files.subpathsOfDirectory(atPath: path("copy")).sorted()
  }

  private func text(_ name: String) -> String? {
    try? String(contentsOfFile: path(name), encoding: .utf8)
  }

  @Test func allButWhatCanBeMadeAgainIsCopied() throws {
    try files.createSymbolicLink(atPath: path("p/relative"), withDestinationPath: "src/b.c")
    try files.createSymbolicLink(atPath: path("p/absolute"), withDestinationPath: path("p/a.c"))
    try files.createSymbolicLink(atPath: path("p/nowhere"), withDestinationPath: "/nowhere")
    try files.setAttributes(
      [.posixPermissions: 0o555, .modificationDate: Date(timeIntervalSince1970: 1000)],
      ofItemAtPath: path("p/a.c"))
    #expect(try update() == TreeCopy.Update(isNew: true, hasChanges: true, hasObjects: false))
    #expect(
      try names() == [
        ".git", ".git/HEAD", "a.c", "absolute", "nowhere", "relative", "src", "src/b.c",
      ])
    #expect(try files.destinationOfSymbolicLink(atPath: path("copy/relative")) == "src/b.c")
    #expect(try files.destinationOfSymbolicLink(atPath: path("copy/absolute")) == path("copy/a.c"))
    let attributes = try files.attributesOfItem(atPath: path("copy/a.c"))
    // The build may change the file.
    #expect(attributes[.posixPermissions] as? Int == 0o755)
    #expect(attributes[.modificationDate] as? Date == Date(timeIntervalSince1970: 1000))
  }

  @Test func whatSwiftPMHasDownloadedIsCopied() throws {
    for folder in ["p/.build/checkouts/x", "p/.build/debug", "p/src/.build/checkouts"] {
      try files.createDirectory(atPath: path(folder), withIntermediateDirectories: true)
    }
    for name in ["Package.swift", ".build/checkouts/x/x.swift", ".build/build.db", "src/.build/y"] {
      try workshop.write("".utf8, "p/\(name)")
    }
    try workshop.write("{}".utf8, "p/.build/workspace-state.json")
    #expect(try update().isNew)
    #expect(
      try names().filter { $0.contains(".build") } == [
        ".build", ".build/checkouts", ".build/checkouts/x", ".build/checkouts/x/x.swift",
        ".build/workspace-state.json", "src/.build", "src/.build/checkouts", "src/.build/y",
      ])
  }

  @Test func onlyWhatHasChangedIsCopiedAgain() throws {
    _ = try update()
    try workshop.write("made by the build".utf8, "copy/a.c")
    try workshop.write("made by the build".utf8, "copy/made.o")
    #expect(try update() == TreeCopy.Update(isNew: false, hasChanges: false, hasObjects: false))
    #expect(text("copy/a.c") == "made by the build")
    try workshop.write("new".utf8, "p/src/b.c")
    try files.removeItem(atPath: path("p/.git"))
    #expect(try update() == TreeCopy.Update(isNew: false, hasChanges: true, hasObjects: false))
    #expect(text("copy/src/b.c") == "new" && text("copy/a.c") == "made by the build")
    #expect(try names() == ["a.c", "made.o", "src", "src/b.c"])
  }

  /// Copied objects would take the place of objects that are compiled for ordering.
  @Test func objectsAreNotCopied() throws {
    for name in ["x.o", "x.lo", "src/x.obj"] { try workshop.write("object".utf8, "p/\(name)") }
    #expect(try update() == TreeCopy.Update(isNew: true, hasChanges: true, hasObjects: true))
    #expect(try names() == [".git", ".git/HEAD", "a.c", "src", "src/b.c"])
  }

  /// Otherwise, build systems would take the object of the replaced file for newer than the file.
  @Test func whatReplacesAFileIsNewerThanWhatTheBuildMadeOfThat() throws {
    _ = try update()
    try workshop.write("object".utf8, "copy/made.o")
    for (name, seconds) in [("p/a.c", 2000.0), ("p/src/b.c", 1000.0)] {
      try workshop.write("old".utf8, name)
      try files.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: path(name))
    }
    _ = try update()
    let times = try ["copy/made.o", "copy/src/b.c", "copy/a.c"].map {
      var status = stat()
      try #require(stat(path($0), &status) == 0)
      return [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }
    #expect(!times[1].lexicographicallyPrecedes(times[0]))
    #expect(times[1].lexicographicallyPrecedes(times[2]))
  }

  @Test func nothingIsRemovedBehindALink() throws {
    try files.createDirectory(atPath: path("elsewhere"), withIntermediateDirectories: true)
    _ = try update()
    // A folder becomes a link, first in the project, then by the build.
    try files.moveItem(atPath: path("p/src"), toPath: path("elsewhere/src"))
    try files.createSymbolicLink(
      atPath: path("p/src"), withDestinationPath: path("elsewhere/src"))
    try files.moveItem(atPath: path("p/.git"), toPath: path("elsewhere/git"))
    try files.removeItem(atPath: path("copy/.git"))
    try files.createSymbolicLink(
      atPath: path("copy/.git"), withDestinationPath: path("elsewhere/git"))
    _ = try update()
    #expect(text("elsewhere/src/b.c") == "p/src/b.c" && text("elsewhere/git/HEAD") == "p/.git/HEAD")
    #expect(text("copy/src/b.c") == "p/src/b.c")
  }

  @Test func aFolderBecomesALinkToTheOneThatItWasMovedTo() throws {
    _ = try update()
    try files.moveItem(atPath: path("p/src"), toPath: path("p/new"))
    try files.createSymbolicLink(atPath: path("p/src"), withDestinationPath: "new")
    _ = try update()
    #expect(text("copy/new/b.c") == "p/src/b.c" && text("copy/src/b.c") == "p/src/b.c")
  }

  @Test func afterAnInterruptedUpdateTheCopyIsMadeAnew() throws {
    _ = try update()
    try files.removeItem(atPath: path("list"))
    try files.removeItem(atPath: path("p/a.c"))
    #expect(try update().isNew)
    #expect(text("copy/a.c") == nil)
  }

  @Test func aLinkThatLeavesTheProjectLeadsWhereItDid() throws {
    try workshop.write("beside".utf8, "beside.h")
    try files.createSymbolicLink(atPath: path("p/src/up"), withDestinationPath: "../../beside.h")
    try files.createSymbolicLink(atPath: path("p/src/in"), withDestinationPath: "../a.c")
    _ = try update()
    #expect(text("copy/src/up") == "beside")
    #expect(try files.destinationOfSymbolicLink(atPath: path("copy/src/in")) == "../a.c")
  }

  @Test func aFileTakesThePlaceOfAFolder() throws {
    _ = try update()
    try files.removeItem(atPath: path("p/src"))
    try workshop.write("file".utf8, "p/src")
    _ = try update()
    #expect(text("copy/src") == "file")
  }

  @Test func namesThatAreNotUTF8AreCopied() throws {
    let name: [CChar] = (path("p") + "/").utf8CString.dropLast() + [-1, -2, 0]
    // Newer versions of glibc say that fclose needs a file.
    let opened: UnsafeMutablePointer<FILE>? = fopen(name, "w")
    guard let opened else { throw CocoaError(.fileWriteUnknown) }
    fclose(opened)
    _ = try update()
    let copy: [CChar] = (path("copy") + "/").utf8CString.dropLast() + [-1, -2, 0]
    #expect(access(copy, F_OK) == 0)
  }

  /// If the bytes are not a list, the list is read as a list of other files, and everything is copied.
  @Test(arguments: ["", "\0", "a\0b", "\0\0\0\0\0", "/a.c\0", "/a.c\0x\0/../p/a.c\0y"])
  func aDamagedListIsNoObstacle(list: String) throws {
    _ = try update()
    try workshop.write("other".utf8, "copy/a.c")
    try workshop.write(list.utf8, "list")
    _ = try update()
    #expect(text("copy/a.c") == "p/a.c" && text("p/a.c") == "p/a.c")
  }

  @Test func whatCanNotBeWrittenIsNamed() throws {
    let copy = TreeCopy(of: path("p"), to: path("none/copy"), list: path("list"), excluding: "")
    let error = #expect(throws: Diagnostic.self) { _ = try copy.update() }
    #expect(error?.description == "\(path("none/copy")): unable to make: No such file or directory")
  }
}
