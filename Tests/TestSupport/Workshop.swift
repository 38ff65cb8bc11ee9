import Foundation

/// The path of the tool `name`, if `PATH` has it.
package func toolPath(_ name: String) -> String? {
  let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
  return folders.map { "\($0)/\(name)" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
}

package struct ToolResult {
  package var status: Int32
  /// Standard output and standard error, as they came.
  package var output: String
}

/// A folder of its own for running compilers, linkers and what they make; removed at the end.
package final class Workshop: Sendable {
  package let folder: URL

  package convenience init() throws { try self.init(in: nil) }

  /// - Parameter path: where to make it; `nil` for the temporary folder.
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
  /// Another process writes it. What this one has open for writing, a process that another test is starting may have
  /// open, too, and until it is closed there nobody can execute it: "Text file busy".
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

  /// The arguments that make a compiler link with `linker`, a path: the driver looks for `ld.NAME` in
  /// the folder first.
  package func use(linker: String, as name: String) throws -> [String] {
    let link = folder.appendingPathComponent("ld.\(name)").path
    if !FileManager.default.fileExists(atPath: link) {
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: linker)
    }
    return ["-fuse-ld=\(name)", "-B\(folder.path)"]
  }

  /// The names of the functions in `image`, by address, as `nm` prints them.
  package func functions(in image: String) throws -> [String] {
    try run("nm", ["-n", image]).output.split(separator: "\n")
      .filter { $0.dropFirst(17).first.map { "tTW".contains($0) } ?? false }
      .map { String($0.dropFirst(19)) }
  }
}
