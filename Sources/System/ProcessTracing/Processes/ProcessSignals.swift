import LibC
import ProcessLaunch

/// The signal settings of a process.
enum ProcessSignals {
  /// Whether the process of thread `tid` handles `signal`.
  static func areCaught(_ signal: Int32, by tid: pid_t) -> Bool {
    let caught = ProcessStatus(of: tid)?["SigCgt"].flatMap { UInt64($0, radix: 16) } ?? 0
    return caught & 1 << UInt64(max(signal - 1, 0)) != 0
  }

  /// Returns the signals that the thread `tid` blocks now, bit N - 1 for signal N. A call such as sigsuspend(2) changes the
  /// blocked signals while it waits. `ctrace_blocked_signals` returns the signals that the thread blocks after the call.
  static func blocked(by tid: pid_t) -> UInt64? {
    ProcessStatus(of: tid)?["SigBlk"].flatMap { UInt64($0, radix: 16) }
  }
}
