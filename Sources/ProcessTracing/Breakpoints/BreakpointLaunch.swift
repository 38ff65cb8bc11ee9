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
  /// left behind goes on untraced.
  ///
  /// - Throws: also where tracing is not permitted: `EPERM`.
  package func run(
    _ observer: any BreakpointObserver
  ) throws(ProgramLaunch.LaunchError) -> ProgramLaunch.Result {
    try program.run(
      tracedBy: BreakpointTracer(observer, lastMark: stopAt), stopAfter: stopAfter)
  }
}
