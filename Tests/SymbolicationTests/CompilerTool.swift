import Foundation

/// One program of a toolchain that may or may not be installed.
struct CompilerTool {
  let path: String

  /// The first program of that name in `PATH`; `nil` if there is none.
  init?(_ name: String) {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let paths = folders.map { "\($0)/\(name)" }
    guard let path = paths.first(where: FileManager.default.isExecutableFile) else { return nil }
    self.path = path
  }

  /// Runs it with `input` as its standard input.
  ///
  /// - Returns: what it printed; an error text of its own is dropped.
  func run(_ arguments: [String], input: String = "") throws -> String {
    let folder = FileManager.default.temporaryDirectory
    let inputFile = folder.appendingPathComponent("orderfile-input-\(UUID())")
    try Data(input.utf8).write(to: inputFile)
    defer { try? FileManager.default.removeItem(at: inputFile) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: inputFile)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(path: path, arguments: arguments) }
    return String(decoding: data, as: UTF8.self)
  }

  struct Failure: Error {
    let path: String
    let arguments: [String]
  }
}

/// A folder that is gone when `body` returns.
func withTemporaryFolder(_ body: (URL) throws -> Void) throws {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "orderfile-\(UUID())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try body(folder)
}

/// The functions of one object file or image, as `nm` lists them.
func functionNames(in file: URL) throws -> [String] {
  guard let nm = CompilerTool("nm") else { return [] }
  return try nm.run(["--defined-only", file.path]).split(separator: "\n").compactMap { line in
    let fields = line.split(separator: " ", maxSplits: 2)
    return fields.count == 3 && "tTwW".contains(fields[1]) ? String(fields[2]) : nil
  }
}
