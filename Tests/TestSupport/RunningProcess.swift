import Foundation
import Testing

/// The end of a process, and its output.
package struct Run: Sendable {
  package let pid: pid_t
  /// The exit code, or 128 + *n* for signal *n*.
  package let status: Int32
  package let output: [UInt8]
  /// The standard error; empty if it went to the output.
  package let errors: String

  package var text: String { String(decoding: output, as: UTF8.self) }
  /// The output as JSON.
  package var json: [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(output))) as? [String: Any] ?? [:]
  }
}

/// A process that was started and is still running. When this value is gone, the process and all processes that it
/// started are gone. That also holds if a test fails or the test run itself is killed: `Tests/Reaper` is the process
/// between them.
///
/// This is not Foundation's `Process`, which ends only when everything that the process started has ended, too. Its
/// `run()` was also seen to read past a mapping when many threads launched at the same time.
package final class RunningProcess {
  /// The process number.
  package let number: pid_t
  private let streams: TemporaryFolder
  private var reaper: Reaper?
  private var ended: Run?

  /// The destination of standard error.
  package enum Errors: Sendable {
    case apart
    /// Standard error goes to the output, mixed as it was written.
    case withOutput
  }

  /// Starts a process that leads a process group of its own and has no terminal. It has no open files but its three
  /// streams.
  ///
  /// - Parameters:
  ///   - tool: the path of the program.
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

  /// The standard output so far.
  package var output: String { String(decoding: contents("stdout"), as: UTF8.self) }

  /// Waits until the process has written `text`.
  ///
  /// - Throws: if it ends without writing it.
  package func waitForOutput(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try wait(for: "'\(text)' in the output", sourceLocation: sourceLocation) {
      output.contains(text)
    }
  }

  /// Waits until `condition` holds or the process ends.
  ///
  /// - Parameter what: the condition in words, for the message.
  /// - Throws: if the condition does not hold in the end.
  package func wait(
    for what: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () throws -> Bool
  ) throws {
    let holds = try holdsInTheEnd(while: { !isOver }, condition)
    let errors = String(decoding: contents("stderr"), as: UTF8.self)
    try #require(
      holds, "waited in vain for \(what): \(output)\(errors)", sourceLocation: sourceLocation)
  }

  /// Waits for the end of the process, then ends the processes that it left running.
  package func end() -> Run {
    defer { stop() }
    return endAlone()
  }

  /// Waits for the end of the process. Processes that it left running continue, at most until this value is gone.
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

  /// Ends the process and all processes that it started, and waits until they are gone.
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
  /// The program between a test and the program that it runs.
  package static var reaper: String { Reaper.path }

  /// The running processes among this process and all that it started, in any generation.
  package var family: [pid_t] {
    #if os(Linux)
      return (reaper?.number).map(Self.descendants) ?? []
    #else
      return kill(-number, 0) == 0 ? [number] : []
    #endif
  }

  /// Whether all processes that it started are gone in the end.
  package func leavesNothing() -> Bool { holdsInTheEnd { family.isEmpty } }

  /// Returns the running descendants of `process`, without zombies.
  private static func descendants(of process: pid_t) -> [pid_t] {
    let list = try? String(
      contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
    let children = (list ?? "").split(separator: " ").compactMap { pid_t($0) }
    return children.flatMap { child in
      (isRunning(child) ? [child] : []) + descendants(of: child)
    }
  }
}

/// Whether the process `number` exists and has not ended.
package func isRunning(_ number: pid_t) -> Bool {
  #if os(Linux)
    let stat = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
    // The state follows the name, which may contain anything. Z and X: only the status is left.
    guard let stat, let end = stat.lastIndex(of: ")") else { return false }
    return !stat[end...].dropFirst().hasPrefix(" Z") && !stat[end...].dropFirst().hasPrefix(" X")
  #else
    return kill(number, 0) == 0
  #endif
}
