import ProcessLaunch

/// A launch that is watched from outside.
package struct TracedPageLaunch: Sendable {
  package var program: ProgramLaunch
  package var request: PageRequest

  package init(_ program: ProgramLaunch, _ request: PageRequest) {
    self.program = program
    self.request = request
  }

  /// Launches the program and waits until it is gone. What it has started and left behind goes on untraced.
  ///
  /// - Throws: also where tracing is not permitted: `EPERM`.
  package func run(
    _ images: any PageImages
  ) throws(ProgramLaunch.LaunchError) -> PageLaunchResult {
    let tracer = PageTouchTracer(request, images)
    let result = try program.run(tracedBy: tracer)
    return PageLaunchResult(
      program: result, touches: tracer.touches, wasStopped: tracer.wasStopped,
      problem: tracer.problem ?? (tracer.touches.images.isEmpty ? .nothingLoaded : nil))
  }
}
