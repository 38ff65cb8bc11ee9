import ProcessLaunch

/// A launch whose touches of pages a tracer outside the program sees.
package struct TracedPageLaunch: Sendable {
  package var program: ProgramLaunch
  package var request: PageRequest

  package init(_ program: ProgramLaunch, _ request: PageRequest) {
    self.program = program
    self.request = request
  }

  /// Launches the program and waits until it has ended. Processes that it leaves running continue untraced. If this
  /// process is killed, all processes continue untraced.
  ///
  /// - Precondition: this process has one thread.
  /// - Throws: also `EPERM` if tracing is not permitted.
  package func run(
    _ images: any PageImages, isMarked: @escaping () -> Bool = { false }
  ) throws(ProgramLaunch.LaunchError) -> PageLaunchResult {
    let request = request
    let tracer = try TracerProcess { stream in
      let tracer = PageTouchTracer(request, RemotePageImages(stream: stream))
      tracer.run(stream) { stream.send(tracer) }
    }
    var seen = PageTracerResult()
    let result = try program.run(tracedBy: tracer, isMarked: isMarked) { seen.hear($0, images) }
    if tracer.wasKilled { seen.problem = .tracerKilled }
    return PageLaunchResult(
      program: result, touches: seen.touches, wasStopped: seen.wasStopped,
      unknownCall: seen.unknownCall,
      problem: seen.problem ?? (seen.touches.images.isEmpty ? .nothingLoaded : nil))
  }
}
