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

  package init(_ program: ProgramLaunch, stopAfter: UInt64? = nil) {
    self.program = program
    self.stopAfter = stopAfter
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
    let tracer = BreakpointTracer(observer)
    var deadlines = Deadlines(
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
        case .stop: tracer.leave()
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

/// A running process with a breakpoint on each function, from now on and for a while.
package struct BreakpointAttachment: Sendable {
  package var processNumber: pid_t
  /// Milliseconds after which the process is left alone; `nil` waits for its end.
  package var stopAfter: UInt64?

  package init(processNumber: pid_t, stopAfter: UInt64? = nil) {
    self.processNumber = processNumber
    self.stopAfter = stopAfter
  }

  /// Attaches, tells `observer` what the process uses first, and leaves it as it was: at its end, when the
  /// time is over, or when this process gets SIGINT, SIGTERM or SIGHUP.
  ///
  /// - Throws: `ESRCH` if there is no such process, `EPERM` if tracing it is not permitted.
  package func run(_ observer: any BreakpointObserver) throws(ProgramLaunch.LaunchError) {
    claunch_catch_interrupts()
    let tracer = BreakpointTracer(observer)
    let error = tracer.attach(to: processNumber)
    guard error == 0 else { throw ProgramLaunch.LaunchError(errno: error) }
    var deadlines = Deadlines(
      stopAfter: stopAfter, timeout: nil, start: ClockReading.now().nanoseconds)
    while tracer.hasThreads {
      var status: Int32 = 0
      let tid = ctrace_wait(deadlines.millisecondsToNext(), &status)
      if tid == -ECHILD { break }
      if tid > 0 { tracer.handle(tid, status) }
      if deadlines.next() != nil || claunch_was_interrupted() { tracer.leave() }
    }
  }
}

/// What to do when, in order.
private struct Deadlines {
  enum Action { case stop, terminate, kill }
  private var actions: [(nanoseconds: UInt64, action: Action)] = []

  init(stopAfter: UInt64?, timeout: Double?, start: UInt64) {
    if let stopAfter { actions.append((start &+ stopAfter &* 1_000_000, .stop)) }
    if let seconds = timeout {
      let end = start + UInt64(seconds * 1e9)
      actions += [(end, .terminate), (end + 2_000_000_000, .kill)]
    }
    actions.sort { $0.nanoseconds < $1.nanoseconds }
  }

  /// -1 if there is none.
  func millisecondsToNext() -> Int64 {
    guard let next = actions.first?.nanoseconds else { return -1 }
    let now = ClockReading.now().nanoseconds
    return next > now ? Int64(clamping: (next - now + 999_999) / 1_000_000) : 0
  }

  mutating func next() -> Action? {
    guard let next = actions.first, next.nanoseconds <= ClockReading.now().nanoseconds else {
      return nil
    }
    actions.removeFirst()
    return next.action
  }
}
