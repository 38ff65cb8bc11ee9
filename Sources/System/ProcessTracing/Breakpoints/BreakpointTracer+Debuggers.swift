// Debuggers of the launch: gdb, strace. A thread can have only one tracer. So a process that a debugger is about to trace
// is released, with all instructions restored. The debugger itself is still recorded.
//
// A child of vfork(2), as gdb starts its programs, asks to be traced while it shares the debugger's memory. Then all
// instructions in this memory are restored until the child has called exec or ended; the debugger waits meanwhile.
//
// The requests are seen at breakpoints in `ptrace` and `syscall` of the C library. A request that
// assembly makes fails, because the thread already has a tracer.

import CPtrace
import LibC
import ProcessLaunch

extension BreakpointTracer {
  /// A process that is released when all its threads have stopped.
  final class Handover {
    /// The thread that waits until the process is released; `nil` if the process has asked to be traced.
    let debugger: pid_t?

    init(debugger: pid_t?) { self.debugger = debugger }
  }

  /// Begins to release a process if the thread `tid`, which is about to call ptrace(2), attaches to it or asks to be traced.
  ///
  /// - Parameter index: the index of the argument that is the request.
  /// - Returns: whether the thread waits.
  func handsOver(_ tid: pid_t, requestAt index: Int) -> Bool {
    guard let request = ThreadRegisters.argument(index, of: tid) else { return false }
    switch Int(truncatingIfNeeded: request & 0xffff_ffff) {
    case CTRACE_TRACE_ME:
      // A parent outside of the launch, such as orderfile itself, does not debug the process.
      guard let parent = ProcessStatus(of: tid)?["PPid"].flatMap({ pid_t($0) }),
        threads[parent] != nil, begin(Handover(debugger: nil), of: tid, by: tid)
      else { return false }
      observer.isDebugger(files.program(of: parent) ?? "")
      // All instructions are going to be restored, so the thread need not step over one.
      threads[tid]?.steppedOver = nil
      return true
    case CTRACE_ATTACH, CTRACE_SEIZE:
      guard let target = ThreadRegisters.argument(index + 1, of: tid),
        begin(Handover(debugger: tid), of: pid_t(truncatingIfNeeded: target), by: tid)
      else { return false }
      observer.isDebugger(files.program(of: tid) ?? "")
      return true
    default: return false
    }
  }

  private func begin(_ handover: Handover, of target: pid_t, by tid: pid_t) -> Bool {
    guard let space = threads[target]?.space, let process = Self.process(of: target),
      handover.debugger == nil || process != Self.process(of: tid)
    else { return false }
    let members = threads.numbers.filter {
      threads[$0]?.space === space && Self.process(of: $0) == process
    }
    // A thread in vfork does not stop before its child has called exec, and the child may wait for this debugger.
    guard members.allSatisfy({ threads[$0]?.isInVfork == false && threads[$0]?.handover == nil })
    else { return false }
    for member in members where member == tid || ctrace_interrupt(member) == 0 {
      threads[member]?.handover = handover
    }
    threads[tid]?.parked = Parked()
    handovers.append(handover)
    return true
  }

  /// The number of the process of a thread; `nil` if the thread has ended.
  private static func process(of tid: pid_t) -> String? { ProcessStatus(of: tid)?["Tgid"] }

  /// Releases the processes whose threads have all stopped, and lets their debuggers go on.
  func completeHandovers() {
    for handover in handovers {
      let members = threads.numbers.filter { threads[$0]?.handover === handover }
      guard members.allSatisfy({ threads[$0]?.parked != nil }) else { continue }
      handovers.removeAll { $0 === handover }
      release(members)
      if let debugger = handover.debugger {
        threads[debugger]?.parked = nil
        resume(debugger)
      }
    }
  }

  private func release(_ members: [pid_t]) {
    guard let first = members.first, let space = threads[first]?.space else { return }
    space.memory.thread = first
    let others = threads.numbers.filter {
      threads[$0]?.space === space && !members.contains($0)
    }
    if others.isEmpty {
      let left = space.removeBreakpoints()
      if left > 0 { observer.breakpointsLeft(left, in: space.pid) }
    } else {
      space.lend()
      for tid in others where threads[tid]?.isInVfork ?? false {
        guard let child = threads[tid]?.child, members.contains(child) else { continue }
        threads[tid]?.lendsMemory = true
      }
    }
    for tid in members {
      let signal = threads[tid]?.parked?.signal ?? 0
      ended(tid)
      _ = ctrace_detach(tid, signal)
    }
  }

  /// Plants the breakpoints again after vfork(2), if the child was released.
  func takeMemoryBack(_ tid: pid_t) {
    guard let thread = threads[tid], thread.lendsMemory else { return }
    threads[tid]?.lendsMemory = false
    let isStillLent = threads.numbers.contains {
      threads[$0]?.space === thread.space && threads[$0]?.lendsMemory ?? false
    }
    guard !isStillLent else { return }
    thread.space.isLent = false
    refresh(thread.space)
    thread.space.plantSingleAgain()
  }
}

extension AddressSpace {
  /// Restores all instructions, for as long as an untraced process uses the memory.
  fileprivate func lend() {
    isLent = true
    removeCopies()
    for image in images { image.breakpoints.exposeAll(memory) }
    entry?.expose(in: memory)
    for lasting in lasting { lasting.breakpoint.expose(in: memory) }
  }

  /// Plants the breakpoints again that `refresh` does not plant.
  fileprivate func plantSingleAgain() {
    entry?.plantAgain(in: memory)
    for lasting in lasting { lasting.breakpoint.plantAgain(in: memory) }
  }
}
