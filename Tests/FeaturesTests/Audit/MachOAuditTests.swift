import Audit
import Foundation
import ImageModel
import TestSupport
import Testing

/// `orderfile audit` of app bundles that are put together byte by byte.
@Suite struct MachOAuditTests {
  private static func image(_ loads: [(UInt32, String)], runPaths: [String] = []) -> [UInt8] {
    func command(_ fields: [UInt32], _ text: String) -> [UInt8] {
      var writer = ByteWriter()
      for field in fields { writer.write(field) }
      writer.writeZeroTerminated(text)
      writer.align(to: 8)
      return writer.bytes
    }
    var writer = MachOWriter()
    writer.segments = [
      .init("__TEXT", address: 0x1_0000_0000, size: 0x4000, isExecutable: true)
    ]
    for (kind, name) in loads { writer.addCommand(kind, command([24, 2, 1, 1], name)) }
    for path in runPaths { writer.addCommand(0x8000_001c, command([12], path)) }
    return writer.bytes()
  }

  private static let load: UInt32 = 0xc
  private static let weak: UInt32 = 0x8000_0018

  private static func app(_ files: [String: [UInt8]]) throws -> Workshop {
    let workshop = try Workshop()
    for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
      let url = workshop.folder.appendingPathComponent(name)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: url)
    }
    return workshop
  }

  private static func audit(_ workshop: Workshop, _ name: String) throws -> AuditDocument {
    try Audit(workshop.folder.appendingPathComponent(name).path).examine()
  }

  private static func describe(_ library: AuditedLibrary) -> String {
    let place = library.isEmbedded.map { $0 ? "embedded" : "system" } ?? "missing"
    let isDirect = library.isDirect ? "direct" : "indirect"
    return "\(place) \(isDirect) \(library.name) < \(library.neededBy)"
  }

  @Test func theClosureOfAnAppIsFoundByItsRunPaths() throws {
    let workshop = try Self.app([
      "A.app/A": Self.image(
        [
          (Self.load, "/usr/lib/libSystem.B.dylib"), (Self.load, "@rpath/B.framework/B"),
          (Self.weak, "@rpath/libswiftCore.dylib"), (Self.load, "@rpath/Gone.framework/Gone"),
        ], runPaths: ["/usr/lib/swift", "@executable_path/Frameworks"]),
      // B asks for C, and C for B. The run path is the program's.
      "A.app/Frameworks/B.framework/B": Self.image([
        (Self.load, "@rpath/libC.dylib"), (0x8000_0023, "@loader_path/../libC.dylib"),
      ]),
      "A.app/Frameworks/libC.dylib": Self.image([(Self.load, "@rpath/B.framework/B")]),
      "A.app/Frameworks/Alone.framework/Alone": Self.image([]),
    ])
    let document = try Self.audit(workshop, "A.app")
    #expect(
      document.libraries.prefix(5).map(Self.describe) == [
        "system direct /usr/lib/libSystem.B.dylib < A",
        "embedded direct @rpath/B.framework/B < A, @rpath/libC.dylib",
        "system direct @rpath/libswiftCore.dylib < A (weak)",
        "missing direct @rpath/Gone.framework/Gone < A",
        "embedded indirect @rpath/libC.dylib < @rpath/B.framework/B (required, upward)",
      ])
    let alone = try #require(document.libraries.last)
    #expect(alone.unrequested == .unlinked && alone.isEmbedded == true && alone.requests == [])
    #expect(document.libraries[3].problem == "not found")
    #expect(document.images.map(\.name) == ["A", "@rpath/B.framework/B", "@rpath/libC.dylib"])
  }

  @Test func theProgramOfAMacOSAppIsFound() throws {
    let workshop = try Self.app([
      "B.app/Contents/MacOS/B": Self.image(
        [(Self.load, "@loader_path/../Frameworks/libC.dylib")]),
      "B.app/Contents/MacOS/helper": Self.image([]),
      "B.app/Contents/Frameworks/libC.dylib": Self.image([]),
    ])
    let document = try Self.audit(workshop, "B.app/")
    #expect(document.images.map(\.name).first == "B")
    #expect(document.libraries.map(\.isEmbedded) == [true])
  }

  @Test(arguments: [
    (
      extension: "I.app/PlugIns/Share.appex", program: "I.app/PlugIns/Share.appex/Share",
      frameworks: "I.app/Frameworks"
    ),
    (
      extension: "I.app/Contents/PlugIns/Share.appex/",
      program: "I.app/Contents/PlugIns/Share.appex/Contents/MacOS/Share",
      frameworks: "I.app/Contents/Frameworks"
    ),
  ])
  func anAppExtensionUsesTheLibrariesOfItsApp(
    _ place: (extension: String, program: String, frameworks: String)
  ) throws {
    let up = place.program.contains("MacOS") ? "../../../.." : "../.."
    let workshop = try Self.app([
      place.program: Self.image(
        [(Self.load, "@rpath/Feed.framework/Feed"), (Self.load, "@rpath/libGone.dylib")],
        runPaths: ["@executable_path/\(up)/Frameworks"]),
      "\(place.frameworks)/Feed.framework/Feed": Self.image([]),
    ])
    let document = try Self.audit(workshop, place.extension)
    #expect(
      document.libraries.map(Self.describe) == [
        "embedded direct @rpath/Feed.framework/Feed < Share",
        "missing direct @rpath/libGone.dylib < Share",
      ])
  }

  @Test(arguments: ["F.framework/F", "F.framework/Versions/A/F"])
  func aFrameworkIsItsLibrary(_ library: String) throws {
    let workshop = try Self.app([
      library: Self.image([(Self.load, "@loader_path/libC.dylib")])
    ])
    let folder = workshop.folder.appendingPathComponent("F.framework").path
    if library.contains("Versions") {
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder)/Versions/Current", withDestinationPath: "A")
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder)/F", withDestinationPath: "Versions/Current/F")
    }
    let document = try Self.audit(workshop, "F.framework")
    #expect(document.images.map(\.name) == ["F"])
    #expect(document.libraries.map(\.name) == ["@loader_path/libC.dylib"])
  }

  @Test func anAppWithoutAProgramOfItsNameIsRefused() throws {
    let workshop = try Self.app([
      "C.app/one": Self.image([]), "C.app/two": Self.image([]), "D.app/readme": [1],
      "D.appex/readme": [1], "D.framework/Headers/D.h": [1],
    ])
    let several = #expect(throws: Diagnostic.self) { try Self.audit(workshop, "C.app") }
    #expect(several?.message == "expected a program called 'C', found one, two")
    for (folder, message) in [
      ("D.app", "expected a program called 'D', found none"),
      ("D.appex", "expected a program called 'D', found none"),
      ("D.framework", "expected a library called 'D', found none"),
    ] {
      let none = #expect(throws: Diagnostic.self) { try Self.audit(workshop, folder) }
      #expect(none?.message == message)
    }
  }

  @Test func aFolderThatIsNoAppIsRefusedUnread() throws {
    let workshop = try Self.app(["bin/one": Self.image([]), "G.app/G": Self.image([])])
    let url = workshop.folder.appendingPathComponent("empty")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    for (name, found) in [("bin", "a folder"), ("bin/", "a folder"), ("empty", "an empty folder")] {
      let error = #expect(throws: Diagnostic.self) { try Self.audit(workshop, name) }
      #expect(
        error?.message
          == "unable to read: expected an image, an app (NAME.app), an app extension (NAME.appex) or a framework (NAME.framework), found \(found)"
      )
    }
    #expect(try Self.audit(workshop, "G.app").images.map(\.name) == ["G"])
  }

  @Test func aMissingLibraryIsListedOnce() throws {
    let workshop = try Self.app([
      "H.app/H": Self.image(
        [(Self.load, "@rpath/libA.dylib"), (Self.load, "@rpath/libGone.dylib")],
        runPaths: ["@executable_path/Frameworks"]),
      "H.app/Frameworks/libA.dylib": Self.image([(Self.weak, "@rpath/libGone.dylib")]),
    ])
    let document = try Self.audit(workshop, "H.app")
    #expect(
      document.libraries.map(Self.describe) == [
        "embedded direct @rpath/libA.dylib < H",
        "missing direct @rpath/libGone.dylib < H, @rpath/libA.dylib (weak)",
      ])
  }

  @Test func theGivenImageIsNoneOfItsOwnLibraries() throws {
    let workshop = try Self.app([
      "libA.dylib": Self.image([(Self.load, "@loader_path/libB.dylib")]),
      "libB.dylib": Self.image([(Self.load, "@loader_path/./libA.dylib")]),
    ])
    let document = try Self.audit(workshop, "libA.dylib")
    #expect(document.libraries.map(\.name) == ["@loader_path/libB.dylib"])
    #expect(document.images.map(\.name) == ["libA.dylib", "@loader_path/libB.dylib"])
  }

  @Test func aThousandLibrariesAndNamesOfAnyBytesAreListed() throws {
    let names = (0..<3000).map { "@rpath/lib\($0)\"\u{1b}.dylib" }
    let workshop = try Self.app([
      "E.app/E": Self.image(
        names.map { (Self.load, $0) }, runPaths: ["@executable_path/Frameworks"])
    ])
    let document = try Self.audit(workshop, "E.app")
    #expect(document.libraries.map(\.name.description) == names)
    #expect(document.libraries.allSatisfy { $0.problem == "not found" })
    #expect(!AuditText(document).text.contains("\u{1b}"))
  }

  @Test func moreRunPathsThanAnyLinkerWritesAreLeftOut() throws {
    let workshop = try Self.app([
      "F.app/F": Self.image(
        [(Self.load, "@rpath/libA.dylib")], runPaths: (0..<1000).map { "/opt/\($0)" })
    ])
    let document = try Self.audit(workshop, "F.app")
    #expect(document.warnings.contains { $0.message.contains("expected at most 64, found 1000") })
  }
}
