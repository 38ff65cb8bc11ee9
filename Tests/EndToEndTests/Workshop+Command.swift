import Foundation
import TestSupport
import Testing

/// What was built for these tests.
enum Built {
  /// The command, beside the test bundle.
  static let orderfile: String = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("orderfile")
      .path
  }()

  /// The recorder as one object, made by the makefile.
  static let recorder: String? = {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    guard toolPath("make") != nil, toolPath("clang") != nil, toolPath("objcopy") != nil else {
      return nil
    }
    let make = Process()
    make.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    make.arguments = ["make", "-s", "-C", package.path, "runtime"]
    guard (try? make.run()) != nil else { return nil }
    make.waitUntilExit()
    let object = package.appendingPathComponent(".build/runtime/orderfile_rt.o").path
    return make.terminationStatus == 0 ? object : nil
  }()

  /// Whether programs can be instrumented and linked here.
  static let canRecord = recorder != nil && toolPath("ld.lld") != nil && toolPath("nm") != nil

  /// Where the recorder's header is.
  static let headers = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Runtime/Recorder/include").path
}

/// How one process ended, and what it wrote.
struct Run {
  /// 128 + *n* for signal *n*.
  var status: Int32
  var output: [UInt8]
  var errors: String

  var text: String { String(decoding: output, as: UTF8.self) }
  /// Its output as JSON.
  var json: [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(output))) as? [String: Any] ?? [:]
  }
}

/// A process that was started and is still running.
final class RunningProcess {
  private let process = Process()
  private let folder: TemporaryFolder
  private let watchdog: any DispatchSourceTimer

  /// It leads a process group of its own.
  ///
  /// - Parameter limit: seconds after which it and what it started are killed: the test fails then.
  init(
    _ tool: String, _ arguments: [String], in folder: URL, input: [UInt8] = [],
    environment: [String: String] = [:], limit: Double = 60
  ) throws {
    let files = try TemporaryFolder()
    process.executableURL = URL(fileURLWithPath: tool)
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    for name in ["stdout", "stderr"] { try files.write([], name) }
    process.standardInput = FileHandle(forReadingAtPath: try files.write(input, "stdin"))
    process.standardOutput = FileHandle(forWritingAtPath: files.path("stdout"))
    process.standardError = FileHandle(forWritingAtPath: files.path("stderr"))
    // Tests run on threads that block signals, and what is started inherits that.
    var none = sigset_t()
    var old = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &old)
    defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
    try process.run()
    self.folder = files
    let group = process.processIdentifier
    watchdog = DispatchSource.makeTimerSource()
    watchdog.schedule(deadline: .now() + limit)
    watchdog.setEventHandler { kill(-group, SIGKILL) }
    watchdog.resume()
  }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }
  func sendToGroup(_ signal: Int32) { kill(-process.processIdentifier, signal) }

  /// What it has written to its standard output so far.
  var output: String { String(decoding: contents("stdout"), as: UTF8.self) }

  /// Waits, 20 s at most, until it has written `text`.
  func waitForOutput(_ text: String) {
    for _ in 0..<2000 {
      if output.contains(text) { return }
      usleep(10_000)
    }
    Issue.record("no '\(text)' in the output '\(output)'")
  }

  func end() -> Run {
    process.waitUntilExit()
    watchdog.cancel()
    let wasKilled = process.terminationReason == .uncaughtSignal
    return Run(
      status: process.terminationStatus + (wasKilled ? 128 : 0), output: contents("stdout"),
      errors: String(decoding: contents("stderr"), as: UTF8.self))
  }

  private func contents(_ name: String) -> [UInt8] {
    Array(FileManager.default.contents(atPath: folder.path(name)) ?? Data())
  }
}

extension Workshop {
  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  func bytes(_ name: String) -> [UInt8] {
    Array(FileManager.default.contents(atPath: path(name)) ?? Data())
  }

  func text(_ name: String) -> String { String(decoding: bytes(name), as: UTF8.self) }

  /// What is in the folder, ascending.
  var fileNames: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  func start(
    _ tool: String, _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:],
    limit: Double = 60
  ) throws -> RunningProcess {
    let path = tool.contains("/") ? tool : toolPath(tool) ?? path(tool)
    return try RunningProcess(
      path, arguments, in: folder, input: input, environment: environment, limit: limit)
  }

  /// Runs the command to its end.
  func orderfile(
    _ arguments: String..., input: [UInt8] = [], environment: [String: String] = [:]
  ) throws -> Run {
    try orderfile(arguments, input: input, environment: environment)
  }

  func orderfile(
    _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:]
  ) throws -> Run {
    try start(Built.orderfile, arguments, input: input, environment: environment).end()
  }

  /// Runs a tool that must succeed.
  @discardableResult
  func must(
    _ tool: String, _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Run {
    let run = try start(tool, arguments).end()
    try #require(
      run.status == 0, "\(tool) \(arguments.joined(separator: " ")): \(run.text)\(run.errors)",
      sourceLocation: sourceLocation)
    return run
  }

  /// Runs the command, which must succeed.
  @discardableResult
  func mustOrderfile(
    _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Run {
    try must(Built.orderfile, arguments, sourceLocation: sourceLocation)
  }
}
