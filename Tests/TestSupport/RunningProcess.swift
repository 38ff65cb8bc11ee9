import Foundation
import Testing

/// How one process ended, and what it wrote.
package struct Run: Sendable {
  package let pid: pid_t
  /// Its exit code, or 128 + *n* for signal *n*.
  package let status: Int32
  package let output: [UInt8]
  /// What it wrote to its standard error; empty if that went to its output.
  package let errors: String

  package var text: String { String(decoding: output, as: UTF8.self) }
  /// Its output as JSON.
  package var json: [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(output))) as? [String: Any] ?? [:]
  }
}

/// A process that was started and is still running.
///
/// Not Foundation's `Process`: that one ends only when everything that the process started has ended too,
/// and its `run()` was seen to read past a mapping where many threads launch at once.
package final class RunningProcess {
  private let process: pid_t
  private let streams: TemporaryFolder
  private let deadline: Date

  /// Where standard error goes.
  package enum Errors: Sendable {
    case apart
    /// Into the output, as they came.
    case withOutput
  }

  /// It leads a process group of its own, and no file is open in it but its three streams.
  ///
  /// - Parameters:
  ///   - tool: a path.
  ///   - environment: all of its variables.
  ///   - limit: seconds after which it and its group are killed: the test fails then.
  package init(
    _ tool: String, _ arguments: [String], in folder: URL = URL(fileURLWithPath: "/"),
    input: [UInt8] = [], environment: [String: String] = ProcessInfo.processInfo.environment,
    errors: Errors = .apart, limit: Double = 120
  ) throws {
    streams = try TemporaryFolder()
    deadline = Date() + limit
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Files, not pipes: a full pipe that nobody reads would stop it.
    posix_spawn_file_actions_addopen(&actions, 0, try streams.write(input, "stdin"), O_RDONLY, 0)
    let new = O_WRONLY | O_CREAT | O_APPEND
    posix_spawn_file_actions_addopen(&actions, 1, streams.path("stdout"), new, 0o600)
    switch errors {
    case .apart: posix_spawn_file_actions_addopen(&actions, 2, streams.path("stderr"), new, 0o600)
    case .withOutput: posix_spawn_file_actions_adddup2(&actions, 1, 2)
    }
    for other in 3..<256 { posix_spawn_file_actions_addclose(&actions, Int32(other)) }

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

    var words = (["env", "-C", folder.path, tool] + arguments).map { strdup($0) } + [nil]
    var settings = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for copy in words + settings { free(copy) } }
    var process: pid_t = 0
    let error = posix_spawn(&process, "/usr/bin/env", &actions, &attributes, &words, &settings)
    guard error == 0 else {
      throw Tool.Failure(description: "\(tool): \(String(cString: strerror(error)))")
    }
    self.process = process
  }

  package var number: pid_t { process }
  package func send(_ signal: Int32) { kill(process, signal) }
  package func sendToGroup(_ signal: Int32) { kill(-process, signal) }

  /// What it has written to its standard output so far.
  package var output: String { String(decoding: contents("stdout"), as: UTF8.self) }

  /// Waits, 20 s at most, until it has written `text`.
  package func waitForOutput(_ text: String) {
    for _ in 0..<2000 {
      if output.contains(text) { return }
      usleep(10_000)
    }
    Issue.record("no '\(text)' in the output '\(output)'")
  }

  /// Waits for its end.
  package func end() -> Run {
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
      pid: process, status: signal == 0 ? (status >> 8) & 0xff : 128 + signal,
      output: contents("stdout"), errors: String(decoding: contents("stderr"), as: UTF8.self))
  }

  private func contents(_ name: String) -> [UInt8] {
    Array(FileManager.default.contents(atPath: streams.path(name)) ?? Data())
  }
}
