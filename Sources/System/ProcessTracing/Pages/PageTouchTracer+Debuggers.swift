// A thread can have only one tracer. If a process of the launch begins to trace another process (a debugger, strace),
// counting ends, and all threads are released: a debugger may trace any of them, and children that do not exist yet.

import CPtrace

extension PageTouchTracer {
  /// Ends counting if a thread at the entry of `call` becomes the tracer of another thread, or asks its parent to trace it.
  ///
  /// - Returns: whether the thread continues later, or untraced.
  func handsOver(to call: ctrace_call, by tid: pid_t) -> Bool {
    guard Int(call.number) == CTRACE_PTRACE else { return false }
    switch Int(truncatingIfNeeded: call.arguments.0) {
    case CTRACE_TRACE_ME:
      endCounting()
      resume(tid)
    case CTRACE_ATTACH, CTRACE_SEIZE:
      let target = pid_t(truncatingIfNeeded: call.arguments.1)
      // A thread in vfork does not stop before its child has called exec, and the child may wait for this debugger.
      guard target != tid, threads[target]?.isInVfork == false, ctrace_interrupt(target) == 0 else {
        return false
      }
      endCounting()
      threads[target]?.debugger = tid
    default: return false
    }
    return true
  }

  /// Ends counting, because the tracer does not see what a program in a debugger touches.
  private func endCounting() {
    problem = problem ?? .traced
    leave()
  }

  /// Releases `child`, which has just begun, before `parent` continues, because `parent` may be its debugger.
  ///
  /// - Returns: whether `parent` waits.
  func releaseChild(_ child: pid_t, of parent: pid_t) -> Bool {
    guard isLeaving, threads[child] != nil, threads[parent] != nil else { return false }
    threads[child]?.debugger = parent
    return true
  }

  /// Releases a stopped thread, which has nothing of ours in its memory, and lets a debugger that waits for it attach.
  func release(_ tid: pid_t, signal: Int32?) {
    sendHeldSignals(tid)
    let debugger = threads.remove(tid)?.debugger
    _ = ctrace_detach(tid, signal ?? 0)
    if let debugger { resume(debugger) }
  }
}
