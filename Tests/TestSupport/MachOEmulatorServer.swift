import Foundation
import Testing

/// The emulator's process, which all tests share; `Tests/MachOEmulator/serve.py` gives the reason. It ends with the
/// test run.
final class MachOEmulatorServer: @unchecked Sendable {
  /// The folder with the emulator's libraries.
  static let packages = fixturesFolder.appendingPathComponent("../../.build/apple/python")
    .standardized.path
  static let shared = Result { try MachOEmulatorServer() }

  private let folder: TemporaryFolder
  private let process: RunningProcess
  private let requests: Int32

  private struct Request: Encodable {
    let arguments: [String]
    let folder, output, errors, end: String
  }

  private init() throws {
    guard let python = toolPath("python3") else {
      throw Tool.Failure(description: "missing python3: run Scripts/bootstrap.sh test")
    }
    folder = try TemporaryFolder()
    let pipe = folder.path("requests")
    process = try RunningProcess(
      python, [fixturesFolder.appendingPathComponent("../MachOEmulator/serve.py").path, pipe],
      environment: [
        "PYTHONPATH": Self.packages, "PYTHONDONTWRITEBYTECODE": "1", "PATH": "/usr/bin:/bin",
      ])
    try process.waitForOutput("ready")
    requests = open(pipe, O_WRONLY | O_CLOEXEC)
    guard requests >= 0 else {
      throw Tool.Failure(description: "\(pipe): \(String(cString: strerror(errno)))")
    }
  }

  /// Runs `run.py` with `arguments` to its end, and returns its exit status.
  ///
  /// - Parameters:
  ///   - output: the file for its standard output.
  ///   - errors: the file for its standard error.
  ///   - end: the path of a pipe to make.
  func run(
    _ arguments: [String], in folder: String, output: String, errors: String, end: String
  ) throws -> Int32 {
    guard mkfifo(end, 0o600) == 0, case let answer = open(end, O_RDWR | O_CLOEXEC), answer >= 0
    else { throw Tool.Failure(description: "\(end): \(String(cString: strerror(errno)))") }
    defer { close(answer) }
    let request = try JSONEncoder().encode(
      Request(arguments: arguments, folder: folder, output: output, errors: errors, end: end))
    let line = Array(request) + [UInt8(ascii: "\n")]
    // A longer line could be mixed with other requests.
    guard line.count <= 4096, write(requests, line, line.count) == line.count else {
      throw Tool.Failure(
        description: "unable to ask the emulator: a request of \(line.count) bytes")
    }
    var wait = pollfd(fd: answer, events: Int16(POLLIN), revents: 0)
    guard poll(&wait, 1, Int32(hangLimit * 1000)) > 0 else {
      throw Tool.Failure(description: "the emulator does not end: \(process.output)")
    }
    var text = [UInt8](repeating: 0, count: 16)
    let count = max(0, read(answer, &text, text.count))
    let digits = String(decoding: text[..<count], as: UTF8.self).dropLast()
    guard let status = Int32(digits) else {
      throw Tool.Failure(description: "the emulator answered '\(digits)'")
    }
    return status
  }
}
