import CommandSupport
import LibC
import ProcessLaunch
import Synchronization

/// The steps of a command on standard error. While a step runs, a thread shows its `LongStep`.
final class StepLine: Sendable {
  private let isQuiet: Bool
  private let isTerminal: Bool
  private let running: Mutex<Running?>

  private struct Running {
    var step: LongStep
    /// The path of the file with the output of the commands that the step runs.
    var log: String?
    /// The progress of a step that has no log, in words.
    var state = ""
  }

  init(_ messages: Messages) {
    isQuiet = messages.quiet
    isTerminal = Console.errorIsColoured
    running = Mutex(nil)
    if !isQuiet { showEachSecond() }
  }

  func begin(_ title: String, log: String? = nil) {
    let now = ClockReading.now().nanoseconds
    running.withLock { running in
      running = Running(
        step: LongStep(title, isTerminal: isTerminal, drawInterval: 1_000_000_000, at: now),
        log: log)
      show(&running)
    }
  }

  /// Prints a note about the step, which continues.
  func note(_ text: String) {
    running.withLock { running in
      clear()
      print(note: text)
      running?.state = text
    }
  }

  /// Ends the step, if there is one.
  ///
  /// - Parameter note: a note about the step to print; `nil` prints none.
  func end(_ note: String? = nil) {
    running.withLock { running in
      if running != nil { clear() }
      running = nil
      if let note { print(note: note) }
    }
  }

  private func show(_ running: inout Running?) {
    guard !isQuiet, var current = running else { return }
    let state = current.log.map { ProgramLog($0).lastLine } ?? current.state
    let shown = current.step.shown(
      at: ClockReading.now().nanoseconds, width: Console.errorWidth, state)
    running = current
    switch shown {
    case .line(let text): Console.printProgress("\r\u{1b}[K\(text)")
    case .note(let text): print(note: text)
    case nil: break
    }
  }

  private func print(note text: String) {
    if !isQuiet { Console.printNote(text) }
  }

  private func clear() {
    if isTerminal, !isQuiet { Console.printProgress("\r\u{1b}[K") }
  }

  /// Starts a thread that runs as long as this process. The thread blocks all signals, so that they interrupt the main
  /// thread while it waits.
  private func showEachSecond() {
    var all = sigset_t()
    var mask = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &mask)
    defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
    startThread {
      while true {
        usleep(1_000_000)
        self.running.withLock { self.show(&$0) }
      }
    }
  }
}
