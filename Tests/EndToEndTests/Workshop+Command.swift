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
///
/// Not Foundation's `Process`: that one ends only when everything that the process started has ended too.
final class RunningProcess {
  private let process: pid_t
  private let streams: TemporaryFolder
  private let deadline: Date

  /// It leads a process group of its own.
  ///
  /// - Parameter limit: seconds after which it and its group are killed: the test fails then.
  init(
    _ tool: String, _ arguments: [String], in folder: URL, input: [UInt8] = [],
    environment: [String: String] = [:], limit: Double = 60
  ) throws {
    streams = try TemporaryFolder()
    deadline = Date() + limit
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, try streams.write(input, "stdin"), O_RDONLY, 0)
    let output = O_WRONLY | O_CREAT
    posix_spawn_file_actions_addopen(&actions, 1, streams.path("stdout"), output, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, streams.path("stderr"), output, 0o600)

    // Tests run on threads that block signals.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      .map { "\($0)=\($1)" }
    var words = (["env", "-C", folder.path, tool] + arguments).map { strdup($0) } + [nil]
    var settings = variables.map { strdup($0) } + [nil]
    defer { for copy in words + settings { free(copy) } }
    var process: pid_t = 0
    let error = posix_spawn(&process, "/usr/bin/env", &actions, &attributes, &words, &settings)
    guard error == 0 else {
      throw CannotStart(description: "\(tool): \(String(cString: strerror(error)))")
    }
    self.process = process
  }

  struct CannotStart: Error, CustomStringConvertible { let description: String }

  var number: pid_t { process }
  func send(_ signal: Int32) { kill(process, signal) }
  func sendToGroup(_ signal: Int32) { kill(-process, signal) }

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
    var status: Int32 = 0
    var wait: UInt32 = 500
    while waitpid(process, &status, WNOHANG) == 0 {
      if Date() > deadline {
        Issue.record("process \(process) ran into its time limit")
        kill(-process, SIGKILL)
      }
      usleep(wait)
      wait = min(2 * wait, 10_000)
    }
    let signal = status & 0x7f
    return Run(
      status: signal == 0 ? (status >> 8) & 0xff : 128 + signal, output: contents("stdout"),
      errors: String(decoding: contents("stderr"), as: UTF8.self))
  }

  private func contents(_ name: String) -> [UInt8] {
    Array(FileManager.default.contents(atPath: streams.path(name)) ?? Data())
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
