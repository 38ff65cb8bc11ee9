import Foundation
import Testing

/// Runs `body` with a folder that is removed afterwards.
package func withTemporaryFolder(_ body: (URL) throws -> Void) throws {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "orderfile-\(UUID())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try body(folder)
}

/// Returns the functions of one object file or image, as `nm` lists them.
package func functionNames(in file: URL) throws -> [String] {
  let listing = try #require(Tool("nm")).run(["--defined-only", file.path])
  return listing.split(separator: "\n").compactMap { line in
    let fields = line.split(separator: " ", maxSplits: 2)
    return fields.count == 3 && "tTwW".contains(fields[1]) ? String(fields[2]) : nil
  }
}
