import CPtrace
import LibC
import ProcessLaunch

/// Handles the stops of traced threads, in the tracer process.
protocol LaunchTracer: AnyObject {
  /// Whether the tracer was told to leave and does not have to wait for any thread: all threads that are still attached
  /// are stopped, have nothing of ours in their memory, and are released by the kernel when this process ends.
  var hasLeft: Bool { get }
  /// Attaches to all threads of a running process.
  ///
  /// - Returns: 0, or the reason why that is impossible, as a number in `errno.h`.
  func attach(to pid: pid_t) -> Int32
  /// Handles the status that `ctrace_wait` has returned for thread `tid`.
  func handle(_ tid: pid_t, _ status: Int32)
  /// The end of a thread that `ctrace_wait` did not report; `nil` if there are no more.
  func nextMissedEnd() -> (tid: pid_t, status: Int32)?
  /// The time at which to call `wake`, in nanoseconds since boot; `nil` if the tracer waits for threads only.
  var nextWake: UInt64? { get }
  func wake()
  /// Ends the recording: nothing more counts.
  func end(by reason: StopReason)
  /// Releases all threads.
  func leave()
}

extension LaunchTracer {
  var nextWake: UInt64? { nil }
  func wake() {}

  /// Attaches to the process that the first message names, and handles stops until that process, or the other end of
  /// the stream, has ended.
  ///
  /// - Parameter finish: called at the end, to send the last messages.
  func run(_ stream: TracerStream, finish: () -> Void = {}) {
    guard let first = stream.receive() else { return }
    let pid = first.number(0)
    let program = first.kind == .seize ? pid : nil
    let error = program == nil ? attach(to: pid) : ctrace_seize(pid)
    guard stream.send(TracerMessage(.attached, error)), error == 0 else { return }
    var listens = true
    waiting: while !hasLeft {
      if let time = nextWake, time <= ClockReading.now().nanoseconds { wake() }
      switch nextMissedEnd().map(TracerEvent.thread)
        ?? .next(listens ? stream : nil, until: nextWake)
      {
      case .thread(let tid, let status):
        handle(tid, status)
        if tid == program, status & 0xff != 0x7f { leave() }
      case .stream:
        if !ctrace_was_told_to_end(), let message = stream.receive(), message.kind == .end,
          let reason = StopReason(rawValue: message[0])
        {
          end(by: reason)
          stream.send(TracerMessage(.ended))
        } else {
          listens = false
          leave()
        }
      case .interruption: continue
      case .nothingTraced: break waiting
      }
    }
    finish()
    stream.send(TracerMessage(.done))
  }
}

/// An event that a tracer waits for.
private enum TracerEvent {
  /// A thread has stopped or ended. The status is the one that `ctrace_wait` stores.
  case thread(pid_t, status: Int32)
  /// The other process has sent a message or is gone, or this process was told to end.
  case stream
  case interruption
  case nothingTraced

  /// - Parameters:
  ///   - stream: the stream to wait for; `nil` to wait for threads only.
  ///   - time: the time at which to return `interruption`, in nanoseconds since boot; `nil` for no limit.
  static func next(_ stream: TracerStream?, until time: UInt64?) -> TracerEvent {
    var status: Int32 = 0
    let limit = time.map { time in
      let now = ClockReading.now().nanoseconds
      return time > now ? Int64(clamping: time - now) : 0
    }
    switch ctrace_wait(stream?.descriptor ?? -1, limit ?? -1, &status) {
    case 0: return .stream
    case let tid where tid > 0: return .thread(tid, status: status)
    case -EINTR: return .interruption
    default: return .nothingTraced
    }
  }
}
