import CPtrace
import LibC

/// The reason why a traced thread has stopped. <ptrace(2)>
enum ThreadStop {
  case ended
  /// The thread begins to run another program. All other threads of its process are gone, and its own number may have
  /// been `former`.
  case exec(former: pid_t)
  /// The thread has created a thread or a process, which may use its memory. With `isVfork` it waits until the new
  /// process has called exec or ended.
  case created(pid_t, sharesMemory: Bool, isVfork: Bool)
  case vforkEnded
  /// A signal has stopped the thread's process.
  case group
  /// The thread begins, or the tracer has interrupted it.
  case interruption
  /// An interruption came before a fault of the thread, which stops it as soon as it continues. The thread
  /// must not be released here, because that would kill it.
  case fault
  /// The thread is at the beginning or the end of a system call.
  case systemCall
  case signal(Int32)

  /// Whether `status`, from `ctrace_protect` or `ctrace_permit_access`, says that the thread has
  /// ended, or that another thread has called exec and taken over its number.
  static func isEnd(_ status: Int32) -> Bool {
    status != -1 && (status & 0xff != 0x7f || Int(status >> 16) == CTRACE_EXEC)
  }

  /// - Parameter status: the status that `ctrace_wait` has stored.
  init(of tid: pid_t, _ status: Int32) {
    let signal = (status >> 8) & 0xff
    func message() -> pid_t { pid_t(truncatingIfNeeded: ctrace_event_message(tid)) }
    switch Int(status >> 16) {
    case _ where status & 0xff != 0x7f: self = .ended
    case CTRACE_EXEC: self = .exec(former: message())
    case CTRACE_FORK, CTRACE_VFORK, CTRACE_CLONE:
      let isVfork = Int(status >> 16) == CTRACE_VFORK
      let new = message()
      self = .created(
        new, sharesMemory: ctrace_shares_memory(tid, new, isVfork), isVfork: isVfork)
    case CTRACE_VFORK_DONE: self = .vforkEnded
    case CTRACE_STOP where ctrace_has_pending_fault(tid): self = .fault
    case CTRACE_STOP:
      self = [SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU].contains(signal) ? .group : .interruption
    case 0 where signal == SIGTRAP | 0x80: self = .systemCall  // PTRACE_O_TRACESYSGOOD
    default: self = .signal(signal)
    }
  }
}
