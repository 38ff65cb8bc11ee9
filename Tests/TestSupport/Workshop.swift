import Foundation

/// Returns the path of the tool `name`; `nil` if `PATH` does not have it.
package func toolPath(_ name: String) -> String? {
  let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
  return folders.map { "\($0)/\(name)" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
}

package struct ToolResult {
  package var status: Int32
  /// Standard output and standard error, mixed as they were written.
  package var output: String
}

/// A folder for running compilers, linkers and the programs that they make. It is removed at the end.
package final class Workshop: Sendable {
  package let folder: URL

  package convenience init() throws { try self.init(in: nil) }

  /// - Parameter path: the folder in which to make it; `nil` for the temporary folder.
  package init(in path: String?) throws {
    let place = path.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
    folder = place.appendingPathComponent("orderfile-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  package func write(_ bytes: some Sequence<UInt8>, _ name: String) throws {
    try Data(Array(bytes)).write(to: folder.appendingPathComponent(name))
  }

  /// Writes a file that can be executed.
  ///
  /// Another process writes the file. If this process had the file open for writing, a process that another test is
  /// starting might inherit the open file. Until that process closes it, nobody could execute the file: "Text file
  /// busy".
  package func writeProgram(_ bytes: some Sequence<UInt8>, _ name: String) throws {
    let path = folder.appendingPathComponent(name).path
    let run = try RunningProcess(
      "/bin/sh", ["-c", #"cat >"$0" && chmod +x "$0""#, path], input: Array(bytes)
    ).end()
    guard run.status == 0 else { throw Tool.Failure(description: "\(path): \(run.errors)") }
  }

  /// Runs `tool` in the folder.
  package func run(_ tool: String, _ arguments: [String]) throws -> ToolResult {
    let path =
      tool.hasPrefix("/") ? tool : toolPath(tool) ?? folder.appendingPathComponent(tool).path
    let run = try RunningProcess(
      path, Tool.arguments(arguments, of: tool), in: folder, errors: .withOutput
    ).end()
    return ToolResult(status: run.status, output: run.text)
  }

  /// Returns the arguments that make a compiler link with `linker`, a path. The driver looks for `ld.NAME` in the
  /// folder first.
  package func use(linker: String, as name: String) throws -> [String] {
    let link = folder.appendingPathComponent("ld.\(name)").path
    if !FileManager.default.fileExists(atPath: link) {
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: linker)
    }
    return ["-fuse-ld=\(name)", "-B\(folder.path)"]
  }

  /// Returns the names of the functions in `image`, by address, as `nm` prints them.
  package func functions(in image: String) throws -> [String] {
    try run("nm", ["-n", image]).output.split(separator: "\n")
      .filter { $0.dropFirst(17).first.map { "tTW".contains($0) } ?? false }
      .map { String($0.dropFirst(19)) }
  }
}
