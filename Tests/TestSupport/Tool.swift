import Foundation

/// A program that some tests need and that may not be installed.
package struct Tool: Sendable {
  package let path: String

  /// - Returns: `nil` if `PATH` has no such program.
  package init?(_ name: String) {
    guard let path = toolPath(name) else { return nil }
    self.path = path
  }

  /// The program at `path`.
  ///
  /// - Returns: `nil` if there is no such program.
  package init?(path: String) {
    guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
    self.path = path
  }

  /// The clang that comes with `libclang-rt-dev`: the Swift toolchain's own needs libdispatch for TSan.
  package static let sanitizingClang =
    (16...30).reversed().filter {
      FileManager.default.fileExists(atPath: "/usr/lib/llvm-\($0)/lib/clang/\($0)/lib/linux")
    }
    .map { "/usr/bin/clang-\($0)" }
    .first(where: FileManager.default.isExecutableFile) ?? "clang"

  /// Returns the arguments for a run of `tool`: `arguments`, and for `nm` an option that loads one plugin only.
  ///
  /// Without this option, GNU nm loads each installed plugin of link-time optimization, including LLVM's with 100 MB of
  /// libraries. That takes ten times as long as listing a program.
  package static func arguments(_ arguments: [String], of tool: String) -> [String] {
    let plugin = "/usr/lib/bfd-plugins/liblto_plugin.so"
    let isNM = tool == "nm" || tool.hasSuffix("/nm")
    guard isNM, FileManager.default.fileExists(atPath: plugin) else { return arguments }
    return ["--plugin", plugin] + arguments
  }

  /// Runs the tool to its end, with `input` as its standard input.
  ///
  /// - Returns: the standard output.
  /// - Throws: an error with the standard error if the tool does not exit with 0.
  /// - Throws: an error with its standard error if it does not exit with 0.
  @discardableResult
  package func run(_ arguments: [String], input: String = "") throws -> String {
    let run = try RunningProcess(
      path, Self.arguments(arguments, of: path), input: Array(input.utf8)
    ).end()
    guard run.status == 0 else {
      throw Failure(description: "\(path) \(arguments.joined(separator: " ")): \(run.errors)")
    }
    return run.text
  }

  package struct Failure: Error, CustomStringConvertible { package let description: String }
}

/// A new folder that is removed when this value is gone.
package final class TemporaryFolder: Sendable {
  private let url: URL

  package init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "orderfile-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Returns the path of `name` in the folder.
  package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// Writes a file, and makes the folders above it.
  @discardableResult
  package func write(_ contents: [UInt8], _ name: String) throws -> String {
    let file = url.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(contents).write(to: file)
    return file.path
  }
}
