// The tracer process
//
// If its tracer is gone, a program with breakpoints in its code dies at the next one. So a process that may
// be killed at any time, or crash while it reads a file, does not trace: a child of it does that and nothing
// else, in its own session. The end of a stream tells the child that the other process is gone; it then
// restores everything, detaches and ends. Only the sudden death of the child itself (SIGKILL to its own
// number, a machine out of memory) leaves breakpoints behind; it is small, has no open file, and has another
// name than the command.
//
// The child is a fork without exec, made while this process has one thread, so its task is a closure. A
// launched program stays the child of the command: session, terminal, process group and exit status are as
// without a tracer.

import CPtrace
import ProcessLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The tracer process, as seen by the process that started it.
final class TracerProcess {
  let processNumber: pid_t
  private let stream: TracerStream
  /// The number of milliseconds after attaching at which the recording ends.
  private let stopAfter: UInt64?
  /// That time, in nanoseconds since boot.
  private var stopTime: UInt64?
  /// Whether it is still tracing: it has neither reported that it is done nor died.
  private(set) var isTracing = true
  /// Whether it died before it was done.
  private(set) var wasKilled = false

  private final class Body {
    let body: (TracerStream) -> Void
    init(_ body: @escaping (TracerStream) -> Void) { self.body = body }
  }

  /// - Parameters:
  ///   - stopAfter: the number of milliseconds after `attach` at which the recording ends.
  ///   - body: runs in the tracer process, which ends when it returns.
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

  /// Processes that are still traced are left as they were.
  deinit { ctrace_end_process(processNumber, stream.descriptor) }

  /// Makes it attach to process `pid`.
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

  /// Handles its messages until one has been handled, the time is over, or a signal has come.
  ///
  /// - Parameters:
  ///   - milliseconds: `nil` for no limit.
  ///   - hear: returns the answer to a question.
  /// - Returns: whether it still traces.
  func listen(milliseconds: Int64?, _ hear: (TracerMessage) -> TracerMessage?) -> Bool {
    guard isTracing else { return false }
    guard ctrace_poll(stream.descriptor, limit(milliseconds) ?? -1) == 1 else { return true }
    guard let message = stream.receive() else {
      isTracing = false
      wasKilled = true
      return false
    }
    isTracing = message.kind != .done
    if let answer = hear(message) { stream.send(answer) }
    return isTracing
  }

  /// The milliseconds until that time, or until the tracer is told that its own is over.
  private func limit(_ milliseconds: Int64?) -> Int64? {
    guard let stopTime else { return milliseconds }
    let now = ClockReading.now().nanoseconds
    guard stopTime > now else {
      self.stopTime = nil
      stream.send(TracerMessage(.endByTime))
      return milliseconds
    }
    let left = Int64(clamping: (stopTime - now + 999_999) / 1_000_000)
    return min(milliseconds ?? left, left)
  }

  func leave() { stream.send(TracerMessage(.leave)) }
}

extension ProgramLaunch {
  /// Starts the program with `tracer` attached to it, and waits until it has ended.
  ///
  /// - Parameters:
  ///   - hear: receives the tracer's messages, and returns the answer to a question.
  /// - Throws: also `EPERM` if tracing is not permitted.
  func run(
    tracedBy tracer: TracerProcess, _ hear: (TracerMessage) -> TracerMessage?
  ) throws(LaunchError) -> Result {
    try run(heldFor: tracer.processNumber) { pid throws(LaunchError) in
      try tracer.attach(.seize, to: pid)
    } meanwhile: {
      tracer.listen(milliseconds: $0, hear)
    }
  }
}
