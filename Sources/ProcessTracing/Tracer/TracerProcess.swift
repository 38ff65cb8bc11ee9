// The process that traces
//
// A program with breakpoints in its code dies at the next one when its tracer is gone. So whoever may be killed
// at any time, or end by a fault in what it reads, does not trace: a child of it does that and nothing else,
// in a session of its own. It sees by the end of a stream that nobody wants to hear it any more, puts
// everything back, detaches and ends. Only its own sudden death (SIGKILL by its own number, a machine out of
// memory) leaves breakpoints behind; it is small, holds no file, and is not called like the command.
//
// The child is a fork without exec, made while this process has one thread, so what is to be done there is a
// closure. A launched program stays the child of the command: session, terminal, process group and exit
// status are as without a tracer.

import CPtrace
import ProcessLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The process that traces, as the one that started it sees it.
final class TracerProcess {
  let processNumber: pid_t
  private let stream: TracerStream
  /// Milliseconds behind its beginning after which the launch is over.
  private let stopAfter: UInt64?
  /// When that is, in nanoseconds since boot.
  private var stopTime: UInt64?
  /// It has neither said that it is done nor died.
  private(set) var isTracing = true
  /// It has died before it was done.
  private(set) var wasKilled = false

  private final class Body {
    let body: (TracerStream) -> Void
    init(_ body: @escaping (TracerStream) -> Void) { self.body = body }
  }

  /// - Parameters:
  ///   - stopAfter: milliseconds after `attach` after which the launch is over.
  ///   - body: what is done there; that process ends when it returns.
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

  /// What is traced still is left as it was.
  deinit { ctrace_end_process(processNumber, stream.descriptor) }

  /// Has it attach to process `pid`.
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

  /// Hears what it says, once, or until the time is over or a signal has come.
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
  /// Starts the program with `tracer` attached to it, and waits until it is gone.
  ///
  /// - Parameters:
  ///   - hear: gets what the tracer says, and returns the answer to a question.
  /// - Throws: also where tracing is not permitted: `EPERM`.
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
