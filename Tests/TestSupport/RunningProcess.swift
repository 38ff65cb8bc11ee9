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

/// A process that was started and is still running. It and all that it starts are gone when this value is,
/// also if a test fails or the test run itself is killed: `Tests/Reaper` stands between them.
///
/// Not Foundation's `Process`: that one ends only when everything that the process started has ended too,
/// and its `run()` was seen to read past a mapping where many threads launch at once.
package final class RunningProcess {
  /// Its process number.
  package let number: pid_t
  private let streams: TemporaryFolder
  private var reaper: Reaper?
  private var ended: Run?

  /// Where standard error goes.
  package enum Errors: Sendable {
    case apart
    /// Into the output, as they came.
    case withOutput
  }

  /// It leads a process group of its own, has no terminal, and no file is open in it but its three streams.
  ///
  /// - Parameters:
  ///   - tool: a path.
  ///   - environment: all of its variables.
  package init(
    _ tool: String, _ arguments: [String], in folder: URL = URL(fileURLWithPath: "/"),
    input: [UInt8] = [], environment: [String: String] = ProcessInfo.processInfo.environment,
    errors: Errors = .apart
  ) throws {
    guard Requirement.isNamedByTheTest else {
      throw Tool.Failure(description: "\(tool): a test that runs it says so with .needs")
    }
    streams = try TemporaryFolder()
    let input = try streams.write(input, "stdin")
    let output = streams.path("stdout")
    let reaper = try Reaper(
      [folder.path, tool] + arguments, environment: environment, input: input, output: output,
      errors: errors == .apart ? streams.path("stderr") : nil)
    let started = reaper.read()
    guard let started, started > 0 else {
      let reason = started.map { String(cString: strerror(-$0)) } ?? "the reaper is gone"
      throw Tool.Failure(description: "\(tool): \(reason)")
    }
    self.reaper = reaper
    number = started
  }

  package func send(_ signal: Int32) { kill(number, signal) }
  package func sendToGroup(_ signal: Int32) { kill(-number, signal) }

  /// What it has written to its standard output so far.
  package var output: String { String(decoding: contents("stdout"), as: UTF8.self) }

  /// Waits until it has written `text`.
  ///
  /// - Throws: if it never does.
  package func waitForOutput(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try wait(for: "'\(text)' in the output", sourceLocation: sourceLocation) {
      output.contains(text)
    }
  }

  /// Waits, while it runs, until `condition` holds.
  ///
  /// - Parameter what: for the message.
  /// - Throws: if it never does.
  package func wait(
    for what: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () throws -> Bool
  ) throws {
    let holds = try holdsInTheEnd(while: { !isOver }, condition)
    let errors = String(decoding: contents("stderr"), as: UTF8.self)
    try #require(
      holds, "waited in vain for \(what): \(output)\(errors)", sourceLocation: sourceLocation)
  }

  /// Waits for its end, and ends what it left behind.
  package func end() -> Run {
    defer { stop() }
    return endAlone()
  }

  /// Waits for its end. What it left behind goes on, at most until this value is gone.
  package func endAlone() -> Run {
    if let ended { return ended }
    if isOver(within: hangLimit) == false {
      Issue.record("process \(number) does not end")
      sendToGroup(SIGKILL)
    }
    let status = reaper?.read() ?? SIGKILL
    let signal = status & 0x7f
    let run = Run(
      pid: number, status: signal == 0 ? (status >> 8) & 0xff : 128 + signal,
      output: contents("stdout"), errors: String(decoding: contents("stderr"), as: UTF8.self))
    ended = run
    return run
  }

  /// Ends it and all that it started, and waits until they are gone.
  package func stop() { reaper = nil }

  private var isOver: Bool { ended != nil || isOver(within: 0) }

  private func isOver(within seconds: Double) -> Bool {
    reaper?.hasMessage(within: seconds) ?? true
  }

  private func contents(_ name: String) -> [UInt8] {
    Array(FileManager.default.contents(atPath: streams.path(name)) ?? Data())
  }
}

extension RunningProcess {
  /// The program that stands between a test and what it runs.
  package static var reaper: String { Reaper.path }

  /// The processes that run of those that it started, in any generation, and itself.
  package var family: [pid_t] {
    #if os(Linux)
      return (reaper?.number).map(Self.descendants) ?? []
    #else
      return kill(-number, 0) == 0 ? [number] : []
    #endif
  }

  /// Whether all that it started is gone in the end.
  package func leavesNothing() -> Bool { holdsInTheEnd { family.isEmpty } }

  /// Without those that ended and that nobody has asked for their status yet.
  private static func descendants(of process: pid_t) -> [pid_t] {
    let list = try? String(
      contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
    let children = (list ?? "").split(separator: " ").compactMap { pid_t($0) }
    return children.flatMap { child in
      (isRunning(child) ? [child] : []) + descendants(of: child)
    }
  }
}

/// Whether process `number` is there and has not ended.
package func isRunning(_ number: pid_t) -> Bool {
  #if os(Linux)
    let stat = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
    // The state stands behind the name, which may hold anything. Z and X: only its status is left.
    guard let stat, let end = stat.lastIndex(of: ")") else { return false }
    return !stat[end...].dropFirst().hasPrefix(" Z") && !stat[end...].dropFirst().hasPrefix(" X")
  #else
    return kill(number, 0) == 0
  #endif
}
