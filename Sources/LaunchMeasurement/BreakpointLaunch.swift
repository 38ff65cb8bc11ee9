import CLaunch
import Glibc

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
    var deadlines = Deadlines(self, start: result.start)
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

  /// What to do when, in order.
  private struct Deadlines {
    enum Action { case stop, terminate, kill }
    private var actions: [(nanoseconds: UInt64, action: Action)] = []

    init(_ launch: BreakpointLaunch, start: UInt64) {
      if let milliseconds = launch.stopAfter {
        actions.append((start &+ milliseconds &* 1_000_000, .stop))
      }
      if let seconds = launch.program.timeout {
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
}
