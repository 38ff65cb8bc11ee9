import CLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One launch of one command with a breakpoint on each function, without anything of ours in it.
package struct BreakpointLaunch: Sendable {
  package var program: ProgramLaunch
  /// Milliseconds after which nothing more is recorded and the program goes on by itself.
  package var stopAfter: UInt64?
  /// The mark at which nothing more is recorded.
  package var stopAt: String?

  package init(_ program: ProgramLaunch, stopAfter: UInt64? = nil, stopAt: String? = nil) {
    self.program = program
    self.stopAfter = stopAfter
    self.stopAt = stopAt
  }

  /// Starts the program, tells `observer` what it does, and waits until it is gone. What it has started and
  /// left behind goes on untraced.
  ///
  /// - Throws: also where tracing is not permitted: `EPERM`.
  package func run(
    _ observer: any BreakpointObserver
  ) throws(ProgramLaunch.LaunchError) -> ProgramLaunch.Result {
    var result = ProgramLaunch.Result(
      processNumber: 0, end: .exited(0), timedOut: false, start: 0, nanoseconds: 0)
    let pid = try program.start(traced: true, &result.start)
    result.processNumber = UInt32(bitPattern: pid)
    let tracer = BreakpointTracer(observer, lastMark: stopAt)
    var deadlines = LaunchDeadlines(
      stopAfter: stopAfter, timeout: program.timeout, start: result.start)
    var hasEnded = false
    while !hasEnded || tracer.hasThreads {
      var status: Int32 = 0
      let tid = ctrace_wait(deadlines.millisecondsToNext(), &status)
      if tid == -EINTR { continue }
      guard tid >= 0 else {
        guard tid == -ECHILD, hasEnded else { throw ProgramLaunch.LaunchError(errno: -tid) }
        break
      }
      if tid == 0 {
        switch deadlines.next() {
        case .stop: tracer.end(by: .time)
        case .terminate:
          result.timedOut = true
          _ = claunch_signal_group(pid, SIGTERM)
        case .kill: _ = claunch_signal_group(pid, SIGKILL)
        case nil: break
        }
        continue
      }
      if tid == pid, status & 0xff != 0x7f {
        hasEnded = true
        result.end = ProgramLaunch.End(waitStatus: status)
        result.nanoseconds = ClockReading.now().nanoseconds - result.start
        claunch_end()
        if result.timedOut { _ = claunch_signal_group(pid, SIGKILL) }
        tracer.handle(tid, status)
        tracer.leave()
      } else {
        tracer.handle(tid, status)
      }
    }
    return result
  }
}
