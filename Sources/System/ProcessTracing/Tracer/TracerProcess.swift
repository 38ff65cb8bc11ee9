// The tracer process
//
// If its tracer is gone, a program with breakpoints in its code dies at the next breakpoint. The command may be killed
// at any time, or crash while it reads a file, so it does not trace. A child does nothing but trace, in its own
// session. When the command ends, the child's stream ends, and the child restores everything, detaches and ends. The
// child leaves breakpoints behind only if it is killed, by SIGKILL or because memory runs out. This is unlikely: the
// child is small, has none of the files of the command, and has another name than the command.
//
// The child is a fork without exec, made while the command has one thread, so its task can be a closure. A launched
// program remains the child of the command: session, terminal, process group and exit status are as without a tracer.

import CPtrace
import LibC
import ProcessLaunch

/// The tracer process, as seen by the process that started it.
final class TracerProcess {
  let processNumber: pid_t
  private let stream: TracerStream
  /// The number of milliseconds after attaching at which the recording ends.
  private let stopAfter: UInt64?
  /// The time at which the recording ends, in nanoseconds since boot.
  private var stopTime: UInt64?
  /// Whether the tracer is still tracing: it has neither reported that it is done nor died.
  private(set) var isTracing = true
  /// Whether the tracer has ended the recording because it was told to.
  private var hasStopped = false
  /// Whether the tracer died before it was done.
  private(set) var wasKilled = false

  private final class Body {
    let body: (TracerStream) -> Void
    init(_ body: @escaping (TracerStream) -> Void) { self.body = body }
  }

  /// - Parameters:
  ///   - stopAfter: the number of milliseconds after `attach` at which the recording ends.
  ///   - body: runs in the tracer process, which ends when `body` returns.
  init(
    stopAfter: UInt64? = nil, _ body: @escaping (TracerStream) -> Void
  ) throws(ProgramLaunch.LaunchError) {
    self.stopAfter = stopAfter
    let body = Unmanaged.passRetained(Body(body))
    defer { body.release() }
    var pid: pid_t = 0
    var descriptor: Int32 = -1
    let error = ctrace_start_process(
      { Unmanaged<Body>.fromOpaque($0).takeUnretainedValue().body(TracerStream(descriptor: $1)) },
      body.toOpaque(), &pid, &descriptor)
    guard error == 0 else { throw ProgramLaunch.LaunchError(errno: error) }
    processNumber = pid
    stream = TracerStream(descriptor: descriptor)
  }

  /// Ends the tracer, which restores the processes that it still traces and detaches from them.
  deinit { ctrace_end_process(processNumber, stream.descriptor) }

  /// Makes the tracer attach to process `pid`.
  ///
  /// - Parameter kind: `seize` or `attach`.
  func attach(_ kind: TracerMessage.Kind, to pid: pid_t) throws(ProgramLaunch.LaunchError) {
    stream.send(TracerMessage(kind, pid))
    guard let answer = stream.receive(), answer.kind == .attached else {
      throw ProgramLaunch.LaunchError(errno: ESRCH)
    }
    guard answer[0] == 0 else { throw ProgramLaunch.LaunchError(errno: answer.number(0)) }
    stopTime = stopAfter.map { ClockReading.now().nanoseconds &+ $0 &* 1_000_000 }
  }

  /// Waits for a message of the tracer and handles it; returns earlier if the time is over or a signal has come.
  ///
  /// - Parameters:
  ///   - milliseconds: the time to wait; `nil` for no limit.
  ///   - hear: returns the answer to a question.
  /// - Returns: whether the tracer is still tracing.
  func listen(milliseconds: Int64?, _ hear: (TracerMessage) -> TracerMessage?) -> Bool {
    guard isTracing else { return false }
    guard ctrace_poll(stream.descriptor, limit(milliseconds) ?? -1) == 1 else { return true }
    guard let message = stream.receive() else {
      isTracing = false
      wasKilled = true
      return false
    }
    isTracing = message.kind != .done
    if message.kind == .ended { hasStopped = true }
    if let answer = hear(message) { stream.send(answer) }
    return isTracing
  }

  /// Returns the milliseconds until the first of `milliseconds` and `stopTime`. If `stopTime` has passed, tells the
  /// tracer to end the recording.
  private func limit(_ milliseconds: Int64?) -> Int64? {
    guard let stopTime else { return milliseconds }
    let now = ClockReading.now().nanoseconds
    guard stopTime > now else {
      self.stopTime = nil
      stream.send(TracerMessage(.end, [StopReason.time.rawValue]))
      return milliseconds
    }
    let left = Int64(clamping: (stopTime - now + 999_999) / 1_000_000)
    return min(milliseconds ?? left, left)
  }

  func leave() { stream.send(TracerMessage(.leave)) }

  /// Ends the recording, because the program is ready, and waits until the tracer has ended it.
  ///
  /// - Parameter hear: as for `listen`.
  func stopNow(_ hear: (TracerMessage) -> TracerMessage?) {
    guard isTracing else { return }
    stream.send(TracerMessage(.end, [StopReason.readiness.rawValue]))
    while isTracing, !hasStopped { _ = listen(milliseconds: nil, hear) }
  }
}

extension ProgramLaunch {
  /// Starts the program with `tracer` attached to it, and waits until it has ended.
  ///
  /// - Parameters:
  ///   - isMarked: whether the program has set the awaited mark.
  ///   - hear: receives the tracer's messages, and returns the answer to a question.
  /// - Throws: also `EPERM` if tracing is not permitted.
  func run(
    tracedBy tracer: TracerProcess, isMarked: @escaping () -> Bool,
    _ hear: (TracerMessage) -> TracerMessage?
  ) throws(LaunchError) -> Result {
    try run(
      heldFor: tracer.processNumber, isMarked: isMarked,
      { pid throws(LaunchError) in try tracer.attach(.seize, to: pid) },
      whenReady: { _ in tracer.stopNow(hear) },
      meanwhile: { tracer.listen(milliseconds: $0, hear) })
  }
}
