import CProcess
import CPtrace
import ProcessLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A running process with a breakpoint on each function, from now on and for a while.
package struct BreakpointAttachment: Sendable {
  package var processNumber: pid_t
  /// Milliseconds after which the process is left alone; `nil` waits for its end.
  package var stopAfter: UInt64?
  /// The mark at which nothing more is recorded.
  package var stopAt: String?

  package init(processNumber: pid_t, stopAfter: UInt64? = nil, stopAt: String? = nil) {
    self.processNumber = processNumber
    self.stopAfter = stopAfter
    self.stopAt = stopAt
  }

  /// Attaches, tells `observer` what the process uses first, and leaves it as it was: at its end, when the
  /// time is over, or when this process gets SIGINT, SIGTERM or SIGHUP.
  ///
  /// - Throws: `ESRCH` if there is no such process, `EPERM` if tracing it is not permitted.
  package func run(_ observer: any BreakpointObserver) throws(ProgramLaunch.LaunchError) {
    claunch_catch_interrupts()
    let tracer = BreakpointTracer(observer, lastMark: stopAt)
    let error = tracer.attach(to: processNumber)
    guard error == 0 else { throw ProgramLaunch.LaunchError(errno: error) }
    var deadlines = LaunchDeadlines(
      stopAfter: stopAfter, timeout: nil, start: ClockReading.now().nanoseconds)
    while tracer.hasThreads {
      var status: Int32 = 0
      let tid = ctrace_wait(deadlines.millisecondsToNext(), &status)
      if tid == -ECHILD { break }
      if tid > 0 { tracer.handle(tid, status) }
      if deadlines.next() != nil {
        tracer.end(by: .time)
      } else if claunch_was_interrupted() {
        tracer.leave()
      }
    }
  }
}
