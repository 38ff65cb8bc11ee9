import Foundation
import TestSupport
import Testing

/// Numbers that are too large for any launch or image, but that fit into their fields.
@Suite struct HugeNumberTests {
  @Test func lostHitsOfTwoTracesAreAddedUpWithoutATrap() throws {
    let workshop = try MessageTests.workshop()
    let image = TraceWriter.Image(path: workshop.folder.appendingPathComponent("app.rec").path)
    var writer = TraceWriter()
    writer.program = image.path
    writer.lostRecords = .max
    writer.addLoad(image)
    writer.addHit(image, guard: 0, entry: 0x1020)
    try workshop.write(writer.bytes(), "lost")
    let (status, message) = Self.run("gen @lost @lost --image @app -o @out.order", in: workshop)
    #expect(status == 0, "\(message)")
  }

  @Test func sectionsLargerThanMemoryAreAddedUpWithoutATrap() throws {
    let workshop = try MessageTests.workshop()
    let map = """
                   VMA              LMA     Size Align Out     In      Symbol
                  1000             1000 8000000000000000    16 .text
                  1000             1000        4    16         a.o:(.text.main)
                  1000             1000        4     1                 main
      8000000000002000 8000000000002000 7000000000000000    16 .text.x
      8000000000002000 8000000000002000        4    16         a.o:(.text.first)
      8000000000002000 8000000000002000        4     1                 first
                  9000             9000 8000000000000000    16 .text.y
                  9000             9000        4    16         a.o:(.text.helper)
                  9000             9000        4     1                 helper

      """
    try workshop.write(map.utf8, "huge.map")
    let (status, message) = Self.run("gen @open --link-map @huge.map -o @out.order", in: workshop)
    #expect(status == 0, "\(message)")
  }

  /// Runs a command. Words that begin with `@` are files of the workshop.
  private static func run(
    _ command: String, in workshop: Workshop
  ) -> (status: Int32, message: String) {
    MessageTests.run(
      command.split(separator: " ").map { word in
        word.hasPrefix("@")
          ? workshop.folder.appendingPathComponent(String(word.dropFirst())).path : String(word)
      })
  }
}
