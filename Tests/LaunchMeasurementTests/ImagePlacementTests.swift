import Foundation
import ImageModel
import LaunchMeasurement
import TestSupport
import Testing

@Suite struct ImagePlacementTests {
  private static func path(_ workshop: Workshop, _ name: String) -> String {
    workshop.folder.appendingPathComponent(name).path
  }

  private static func names(_ workshop: Workshop) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: workshop.folder.path).sorted()
  }

  @Test func eachFileIsFoundInTurnAndKept() throws {
    let workshop = try Workshop()
    try workshop.write("one".utf8, "one")
    try workshop.write("two".utf8, "two")
    for name in ["one", "two", "two", "one"] {
      try ImagePlacement(Self.path(workshop, name), at: Self.path(workshop, "app")).place()
      #expect(try String(contentsOfFile: Self.path(workshop, "app"), encoding: .utf8) == name)
    }
    #expect(try Self.names(workshop) == ["app", "one", "two"])
  }

  @Test func whatIsMissingIsNamed() throws {
    let workshop = try Workshop()
    try workshop.write("one".utf8, "one")
    for (source, path, message) in [
      ("none", "app", "none: unable to link: No such file or directory"),
      ("one", "none/app", "one: unable to link: No such file or directory"),
    ] {
      let error = #expect(throws: Diagnostic.self) {
        try ImagePlacement(Self.path(workshop, source), at: Self.path(workshop, path)).place()
      }
      #expect(error?.description.hasSuffix(message) ?? false, "\(error as Any)")
    }
    #expect(try Self.names(workshop) == ["one"])
  }
}
