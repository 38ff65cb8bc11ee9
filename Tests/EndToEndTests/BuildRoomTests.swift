import Foundation
import TestSupport
import Testing

/// `Scripts/room.sh`, which `make build` and `make quick` run first.
@Suite(.needs("bash", "awk")) struct BuildRoomTests {
  @Test func aBuildWithoutRoomEndsWithASentence() throws {
    let workshop = try Workshop()
    let scripts = workshop.folder.appendingPathComponent("Scripts")
    try FileManager.default.createDirectory(at: scripts, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: projectFolder.appendingPathComponent("Scripts/room.sh"),
      to: scripts.appendingPathComponent("room.sh"))
    #expect(try workshop.run("bash", ["Scripts/room.sh", "release", "0"]).status == 0)
    let refused = try workshop.run("bash", ["Scripts/room.sh", "release", "999999999"])
    #expect(refused.status == 1)
    #expect(
      refused.output.contains(
        "/.build/release needs 999999999 MB and has 0 MB, and its disk has "), "\(refused.output)")
  }
}
