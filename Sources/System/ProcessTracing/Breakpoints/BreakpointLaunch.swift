import ProcessLaunch

/// A launch of a command with a breakpoint on each function; nothing is added to the program.
package struct BreakpointLaunch: Sendable {
  package var program: ProgramLaunch
  /// The number of milliseconds after which recording ends and the program continues untraced.
  package var stopAfter: UInt64?
  /// The mark that ends the recording.
  package var stopAt: String?

  package init(_ program: ProgramLaunch, stopAfter: UInt64? = nil, stopAt: String? = nil) {
    self.program = program
    self.stopAfter = stopAfter
    self.stopAt = stopAt
  }

  /// Starts the program, reports its events to `observer`, and waits until it has ended. Processes that it leaves
  /// running continue untraced. If this process is killed, all processes continue untraced.
  ///
  /// - Parameter isMarked: whether the program has set the mark at which it is ready.
  /// - Precondition: this process has one thread.
  /// - Throws: also `EPERM` if tracing is not permitted.
  package func run(
    _ observer: any BreakpointObserver, isMarked: @escaping () -> Bool = { false }
  ) throws(ProgramLaunch.LaunchError) -> ProgramLaunch.Result {
    let tracer = try TracerProcess(breakpointsUntil: stopAt, stopAfter)
    let result = try program.run(tracedBy: tracer, isMarked: isMarked) { observer.hear($0) }
    if tracer.wasKilled { observer.tracerWasKilled() }
    return result
  }
}

extension TracerProcess {
  /// A tracer for a launch with breakpoints, whose recording ends at the mark `lastMark`.
  convenience init(
    breakpointsUntil lastMark: String?, _ stopAfter: UInt64?
  ) throws(ProgramLaunch.LaunchError) {
    try self.init(stopAfter: stopAfter) { stream in
      BreakpointTracer(RemoteBreakpointObserver(stream: stream), lastMark: lastMark).run(stream)
    }
  }
}
