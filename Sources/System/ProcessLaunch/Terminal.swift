import CProcess
import LibC

/// The terminal of one launch: a pseudo-terminal, into which a script types.
///
/// All launches with a terminal use this class. `advance` does as much of the script as is possible now, so the code
/// that waits for the program calls `advance` whenever the program has written, and at least every few milliseconds.
package final class Terminal {
  /// The terminal as the C functions know it.
  package let handle: OpaquePointer
  private let script: TerminalScript
  private let tracer: pid_t?
  /// Whether the program has to end after the last step.
  private let awaitsEnd: Bool
  /// The index of the present step.
  private var step = 0
  /// When the present step has to be done, in nanoseconds since boot; `nil` until it begins.
  private var limit: UInt64?
  /// Whether the keys of the present step were typed.
  private var isTyped = false
  /// The search for a moment at which all threads sleep.
  private var settling: LaunchSettling?
  /// Whether the script has reached `ready`.
  package private(set) var isReady = false
  package private(set) var failure: ScriptFailure?

  /// - Parameters:
  ///   - output: the descriptor that gets the output of the program; `nil` to discard the output.
  ///   - awaitsEnd: whether the program has to end after the last step, because no sign of readiness ends the launch.
  ///   - tracer: the process that traces the launch.
  package init(
    _ script: TerminalScript, output: Int32?, awaitsEnd: Bool, tracer: pid_t? = nil
  ) throws(ProgramLaunch.LaunchError) {
    var error: Int32 = 0
    let (columns, rows) = (Int32(script.size.columns), Int32(script.size.rows))
    guard let handle = cprocess_terminal_open(columns, rows, output ?? -1, &error) else {
      throw ProgramLaunch.LaunchError(errno: error)
    }
    self.handle = handle
    self.script = script
    self.tracer = tracer
    self.awaitsEnd = awaitsEnd
  }

  /// Hangs up: the kernel sends SIGHUP to the processes that still use the terminal.
  deinit { cprocess_terminal_close(handle) }

  /// The descriptor of the program's standard streams.
  var programEnd: Int32 { cprocess_terminal_program_end(handle) }

  /// Closes the program's end in this process.
  func hasStarted() { cprocess_terminal_has_started(handle) }

  /// Waits until the program has ended or written, at most `milliseconds`.
  func wait(for pid: pid_t, milliseconds: Int64) {
    cprocess_terminal_wait(handle, pid, milliseconds)
  }

  /// Draws what the program has written, and does the steps of the script whose time has come.
  ///
  /// - Parameter hasEnded: whether the program has ended, so that it writes no more.
  package func advance(_ pid: pid_t, hasEnded: Bool = false) {
    while true {
      // The text is awaited before more is drawn, because the text may scroll away at once.
      if limit == nil, failure == nil, step < script.steps.count {
        begin(script.steps[step].action)
      }
      let hasWritten = cprocess_terminal_read(handle)
      if hasWritten { settling = nil }
      guard failure == nil, step < script.steps.count else {
        // After a failure the output is still read, because the program would wait for a reader.
        awaitNothing()
        return checkEnd(hasEnded)
      }
      let current = script.steps[step]
      if isDone(current.action, pid, hasEnded) {
        step += 1
        (limit, settling, isTyped) = (nil, nil, false)
        continue
      }
      if let reason = obstacle(to: current.action, hasEnded) {
        fail(current.action, line: current.line, reason)
      }
      return
    }
  }

  private func awaitNothing() { cprocess_terminal_await(handle, "") }

  private func begin(_ action: TerminalScript.Action) {
    limit = ClockReading.now().nanoseconds + Self.nanoseconds(for: action)
    if case .wait(.text(let text), _) = action { cprocess_terminal_await(handle, text) }
  }

  /// Goes on with a step.
  ///
  /// - Returns: whether the step is done.
  private func isDone(_ action: TerminalScript.Action, _ pid: pid_t, _ hasEnded: Bool) -> Bool {
    switch action {
    case .wait(.text, _):
      guard cprocess_terminal_has_found(handle) else { return false }
      awaitNothing()
      return true
    case .wait(.quiet, _):
      return hasEnded || sleeps(pid)
    case .wait(.end, _): return hasEnded
    case .type(let keys):
      if hasEnded { return false }
      if !isTyped {
        let bytes = keys.flatMap(bytes)
        cprocess_terminal_type(handle, bytes, bytes.count)
        isTyped = true
      }
      return cprocess_terminal_flush(handle)
    case .resize(let size):
      cprocess_terminal_resize(handle, Int32(size.columns), Int32(size.rows))
      return true
    case .ready:
      if hasEnded { return false }
      isReady = true
      return true
    }
  }

  private static func nanoseconds(for action: TerminalScript.Action) -> UInt64 {
    var seconds = TerminalScript.usualLimit
    if case .wait(_, let stated) = action { seconds = stated }
    return UInt64(seconds * 1e9)
  }

  private func sleeps(_ pid: pid_t) -> Bool {
    var search = settling ?? LaunchSettling(pid, tracer: tracer)
    let state = search.look()
    settling = state == .works ? nil : search
    return state == .waits
  }

  private func bytes(_ key: TerminalScript.Key) -> [UInt8] {
    switch key {
    case .bytes(let bytes): return bytes
    case .cursor(let letter):
      let isApplication = cprocess_terminal_has_application_keys(handle)
      return [0x1b, UInt8(ascii: isApplication ? "O" : "["), letter]
    }
  }

  /// Returns the reason why a step can't be done any more; `nil` if the step may still be done.
  private func obstacle(
    to action: TerminalScript.Action, _ hasEnded: Bool
  ) -> ScriptFailure.Reason? {
    if hasEnded { return .programEnded }
    if cprocess_terminal_is_closed(handle) {
      switch action {
      case .wait(.text, _), .type: return .terminalClosed
      default: break
      }
    }
    guard let limit, ClockReading.now().nanoseconds >= limit else { return nil }
    return .tooLate
  }

  /// Notes a failure if the program runs for too long after the last step of the script.
  private func checkEnd(_ hasEnded: Bool) {
    guard failure == nil, !hasEnded, awaitsEnd else { return }
    let limit = limit ?? ClockReading.now().nanoseconds + UInt64(TerminalScript.usualLimit * 1e9)
    self.limit = limit
    guard ClockReading.now().nanoseconds >= limit else { return }
    fail(.wait(.end, seconds: TerminalScript.usualLimit), line: nil, .tooLate)
  }

  private func fail(
    _ action: TerminalScript.Action, line: Int?, _ reason: ScriptFailure.Reason
  ) {
    failure = ScriptFailure(
      path: script.path, line: line, action: action, reason: reason, screen: screen)
  }

  /// The rows of the screen, without blank rows at the end.
  package var screen: [String] {
    var rows: [String] = []
    var bytes = [CChar](repeating: 0, count: 4 * CPROCESS_MOST_COLUMNS + 1)
    while cprocess_terminal_row(handle, Int32(rows.count), &bytes) {
      let row = bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      rows.append(String(decoding: row, as: UTF8.self))
    }
    return Array(rows.prefix((rows.lastIndex { !$0.isEmpty } ?? -1) + 1))
  }
}
