import ProcessLaunch

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
  /// left behind goes on untraced; so does all, if this process is killed.
  ///
  /// - Precondition: this process has one thread.
  /// - Throws: also where tracing is not permitted: `EPERM`.
  package func run(
    _ observer: any BreakpointObserver
  ) throws(ProgramLaunch.LaunchError) -> ProgramLaunch.Result {
    let tracer = try TracerProcess(breakpointsUntil: stopAt, stopAfter)
    let result = try program.run(tracedBy: tracer) { observer.hear($0) }
    if tracer.wasKilled { observer.tracerWasKilled() }
    return result
  }
}

extension TracerProcess {
  /// Of a launch with breakpoints that is over at `lastMark`.
  convenience init(
    breakpointsUntil lastMark: String?, _ stopAfter: UInt64?
  ) throws(ProgramLaunch.LaunchError) {
    try self.init(stopAfter: stopAfter) { stream in
      BreakpointTracer(RemoteBreakpointObserver(stream: stream), lastMark: lastMark).run(stream)
    }
  }
}
