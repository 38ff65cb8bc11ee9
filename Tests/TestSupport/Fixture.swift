import Foundation
import Testing

/// The source tree, found from the path of this file.
package let projectFolder = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// The folder with the files that tests read.
package let fixturesFolder = projectFolder.appendingPathComponent("Tests/Fixtures")

/// Returns the bytes of `Tests/Fixtures/<path>`.
package func fixture(_ path: String) throws -> [UInt8] {
  [UInt8](try Data(contentsOf: fixturesFolder.appendingPathComponent(path)))
}

/// Compares `text` with the file `Tests/Fixtures/<path>`. With `RECORD_GOLDENS=1` it rewrites the file and fails, so
/// that nobody takes a recording run for a passing one.
package func expectGolden(
  _ text: String, _ path: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let url = fixturesFolder.appendingPathComponent(path)
  if ProcessInfo.processInfo.environment["RECORD_GOLDENS"] == "1" {
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
    Issue.record(
      "recorded \(path); read the change, then run again without RECORD_GOLDENS",
      sourceLocation: sourceLocation)
    return
  }
  let expected = (try? Data(contentsOf: url)).map { String(decoding: $0, as: UTF8.self) }
  #expect(
    text == expected, "\(path) differs; `make goldens` records it anew",
    sourceLocation: sourceLocation)
}
