import CProcess
import CPtrace
import ProcessLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Who handles the stops of a traced launch.
protocol LaunchTracer: AnyObject {
  /// Whether any thread is still traced.
  var hasThreads: Bool { get }
  /// Handles what `ctrace_wait` has told of thread `tid`.
  func handle(_ tid: pid_t, _ status: Int32)
  /// The end of a thread that was not told by `ctrace_wait`; `nil` if there is no more.
  func nextMissedEnd() -> (tid: pid_t, status: Int32)?
  /// The time that was set for it is over.
  func endByTime()
  /// Lets all threads go on by themselves.
  func leave()
}

extension ProgramLaunch {
  /// Starts the program and waits until it is gone. What it has started and left behind goes on untraced.
  ///
  /// - Parameter stopAfter: milliseconds after which the tracer is told to end.
  /// - Throws: also where tracing is not permitted: `EPERM`.
  func run(
    tracedBy tracer: some LaunchTracer, stopAfter: UInt64? = nil
  ) throws(LaunchError) -> Result {
    var result = Result(processNumber: 0)
    let pid = try start(traced: true, &result.start)
    result.processNumber = UInt32(bitPattern: pid)
    var deadlines = LaunchDeadlines(stopAfter: stopAfter, timeout: timeout, start: result.start)
    var hasEnded = false
    while !hasEnded || tracer.hasThreads {
      var (tid, status) = tracer.nextMissedEnd() ?? (0, 0)
      if tid == 0 { tid = ctrace_wait(deadlines.millisecondsToNext(), &status) }
      if tid == -EINTR { continue }
      guard tid >= 0 else {
        guard tid == -ECHILD, hasEnded else { throw LaunchError(errno: -tid) }
        break
      }
      if tid == 0 {
        switch deadlines.next() {
        case .stop: tracer.endByTime()
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
        result.end = End(waitStatus: status)
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
