import CPtrace

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Who handles the stops of traced threads, in the process that traces.
protocol LaunchTracer: AnyObject {
  /// It was told to leave, and nobody has to be waited for any more: whoever is still attached stands still, has
  /// nothing of ours in its memory, and is let go by the kernel when this process ends.
  var hasLeft: Bool { get }
  /// Attaches to all threads of a running process.
  ///
  /// - Returns: 0, or why that can't be done, as `errno.h` numbers it.
  func attach(to pid: pid_t) -> Int32
  /// Handles what `ctrace_wait` has told of thread `tid`.
  func handle(_ tid: pid_t, _ status: Int32)
  /// The end of a thread that was not told by `ctrace_wait`; `nil` if there is no more.
  func nextMissedEnd() -> (tid: pid_t, status: Int32)?
  /// The time that was set for it is over.
  func endByTime()
  /// Lets all threads go on by themselves.
  func leave()
}

extension LaunchTracer {
  /// Attaches to what the first message names, and handles stops until that has ended, or the other end of the
  /// stream has.
  ///
  /// - Parameter finish: called then, to say what there is to say at last.
  func run(_ stream: TracerStream, finish: () -> Void = {}) {
    guard let first = stream.receive() else { return }
    let pid = first.number(0)
    let program = first.kind == .seize ? pid : nil
    let error = program == nil ? attach(to: pid) : ctrace_seize(pid)
    guard stream.send(TracerMessage(.attached, error)), error == 0 else { return }
    var listens = true
    waiting: while !hasLeft {
      switch nextMissedEnd().map(TracerEvent.thread) ?? .next(listens ? stream : nil) {
      case .thread(let tid, let status):
        handle(tid, status)
        if tid == program, status & 0xff != 0x7f { leave() }
      case .stream:
        if !ctrace_was_told_to_end(), let message = stream.receive(), message.kind == .endByTime {
          endByTime()
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

/// What a tracer has waited for.
private enum TracerEvent {
  /// A thread has stopped or ended; with the status that `ctrace_wait` stores.
  case thread(pid_t, status: Int32)
  /// The other process has said something or is gone, or this one is told to end.
  case stream
  case interruption
  case nothingTraced

  /// - Parameter stream: `nil` to wait for threads alone.
  static func next(_ stream: TracerStream?) -> TracerEvent {
    var status: Int32 = 0
    switch ctrace_wait(stream?.descriptor ?? -1, &status) {
    case 0: return .stream
    case let tid where tid > 0: return .thread(tid, status: status)
    case -EINTR: return .interruption
    default: return .nothingTraced
    }
  }
}
