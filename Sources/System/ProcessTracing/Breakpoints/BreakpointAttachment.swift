import LibC
import ProcessLaunch

/// Records a running process with a breakpoint on each function, for a while.
package struct BreakpointAttachment: Sendable {
  package var processNumber: pid_t
  /// The number of milliseconds after which recording ends; `nil` waits for the end of the process.
  package var stopAfter: UInt64?
  /// The mark that ends the recording.
  package var stopAt: String?

  package init(processNumber: pid_t, stopAfter: UInt64? = nil, stopAt: String? = nil) {
    self.processNumber = processNumber
    self.stopAfter = stopAfter
    self.stopAt = stopAt
  }

  /// The reason why it is impossible to attach to a process, regardless of permissions.
  package enum Obstacle: Equatable, Sendable {
    case tracedBy(pid_t)
    /// The process has ended, but its parent has not waited for it.
    case ended
    /// The process is a kernel thread, without its own memory.
    case kernelThread
  }

  package var obstacle: Obstacle? {
    guard let status = ProcessStatus(of: processNumber) else { return nil }
    if let tracer = status["TracerPid"].flatMap({ pid_t($0) }), tracer != 0 {
      return .tracedBy(tracer)
    }
    if status["State"] == "Z" {
      // The process has ended only if it has no other threads, which may still run after the first thread has ended.
      return status["Threads"].flatMap { Int($0) } ?? 0 > 1 ? nil : .ended
    }
    return status["VmSize"] == nil ? .kernelThread : nil
  }

  /// Attaches, and reports first uses to `observer` until the process ends, the time is over, this process gets SIGINT,
  /// SIGTERM or SIGHUP, or this process is killed. Then all instructions are restored and the process continues
  /// untraced.
  ///
  /// - Precondition: this process has one thread.
  /// - Throws: `ESRCH` if there is no such process, `EPERM` if tracing it is not permitted.
  package func run(_ observer: any BreakpointObserver) throws(ProgramLaunch.LaunchError) {
    let tracer = try TracerProcess(breakpointsUntil: stopAt, stopAfter)
    Interruption.catchSignals()
    try tracer.attach(.attach, to: processNumber)
    // The wait is limited, because a signal may arrive just before the wait begins.
    var wasInterrupted = false
    while tracer.listen(milliseconds: 250, { observer.hear($0) }) {
      guard Interruption.hasCome, !wasInterrupted else { continue }
      wasInterrupted = true
      tracer.leave()
    }
    if tracer.wasKilled { observer.tracerWasKilled() }
  }
}
