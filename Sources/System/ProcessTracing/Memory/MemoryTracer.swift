import CPtrace
import LibC

/// Stops each thread of a launch at its end, and reports the memory that the thread's process then has.
///
/// The memory of a process is gone when its end is reported to its parent, so only a tracer can read it at the end. The
/// tracer changes nothing in the memory of the process.
final class MemoryTracer: LaunchTracer {
  private let stream: TracerStream
  private var program: pid_t = 0
  private(set) var hasLeft = false

  init(_ stream: TracerStream) { self.stream = stream }

  func attach(to pid: pid_t) -> Int32 {
    program = pid
    return ctrace_seize_to_end(pid)
  }

  func handle(_ tid: pid_t, _ status: Int32) {
    guard status & 0xff == 0x7f else {
      // The tracer may leave when the program has ended: the kernel then releases the processes that the program left
      // running.
      if tid == program { hasLeft = true }
      return
    }
    let signal = (status >> 8) & 0xff
    switch Int(status >> 16) {
    case 0: _ = ctrace_continue(tid, signal)
    case Int(CTRACE_STOP) where signal != SIGTRAP: _ = ctrace_listen(tid)
    case Int(CTRACE_END):
      report(tid)
      fallthrough
    default: _ = ctrace_continue(tid, 0)
    }
  }

  private func report(_ tid: pid_t) {
    let source = ProcessResidency.Source(of: tid)
    var numbers = [UInt64(source.processNumber)]
    if let peak = source.peakBytes { numbers.append(peak) }
    stream.send(TracerMessage(.memory, numbers, text: source.smaps))
  }

  func nextMissedEnd() -> (tid: pid_t, status: Int32)? { nil }
  func end(by reason: StopReason) {}
  func leave() { hasLeft = true }
}
