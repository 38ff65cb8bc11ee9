// The program's signals, and SIGSEGV that the program blocks.
//
// Timers. A handler takes longer in a traced program. If a timer's interval is shorter than the handler, the program
// would do nothing else. So after each handler, the thread runs for as long as the handler took before it gets the
// signal of a timer.

import Addresses
import CPtrace
import LibC
import ProcessLaunch

private let faultBit: UInt64 = 1 << UInt64(SIGSEGV - 1)

extension PageTouchTracer {
  /// A signal that a thread gets later.
  struct HeldSignal {
    var information: ctrace_signal
    /// The time of the delivery, in nanoseconds since boot; `nil` until the program unblocks the signal.
    var due: UInt64?
  }

  /// When a thread ran its last handler, in nanoseconds since boot.
  struct HandlerTime {
    var start: UInt64 = 0
    var end: UInt64 = 0

    /// The time before which the next handler of a timer must not begin.
    var rest: UInt64 { end > start ? end &+ (end &- start) : 0 }
  }

  /// Delivers a signal. A handler of the program is stopped at its first instruction.
  func deliver(_ signal: Int32, to tid: pid_t) {
    if var held = threads[tid]?.held.removeValue(forKey: signal) {
      _ = ctrace_set_signal(tid, &held.information)
    } else if isToHold(signal, tid) {
      return resume(tid)
    }
    guard let thread = threads[tid], !thread.space.isReleased, !isOver,
      ProcessSignals.areCaught(signal, by: tid)
    else { return resume(tid, signal: signal) }
    if thread.blocksFaults {
      if signal == SIGSEGV, !thread.dies, ctrace_is_fault(tid) {
        // The kernel ends a process at a fault of a thread that blocks SIGSEGV. So the fault recurs with SIGSEGV blocked.
        threads[tid]?.dies = true
        blockFaults(tid)
        return resume(tid)
      }
      if signal != SIGSEGV { keepBlockedAfterHandler(tid) }
    }
    if thread.dies { return resume(tid, signal: signal) }
    threads[tid]?.entersHandler = true
    threads[tid]?.handlerTime.start = ClockReading.now().nanoseconds
    _ = ctrace_step(tid, signal)
  }

  /// Lets the handler of a signal return to a mask that blocks SIGSEGV.
  private func keepBlockedAfterHandler(_ tid: pid_t) {
    var mask: UInt64 = 0
    if ctrace_blocked_signals(tid, &mask) == 0, ProcessSignals.blocked(by: tid) == mask {
      blockFaults(tid)
    } else {
      // A call such as sigsuspend(2) waits with a mask that lets the signal through. To set a mask now would end this mask.
      threads[tid]?.blocksFaultsAfterHandler = true
    }
  }

  /// Notes the signal mask after the return from a handler.
  func returnedFromHandler(_ tid: pid_t) {
    let blocksFaults = threads[tid]?.blocksFaultsAfterHandler ?? false
    unblockFaults(tid)
    if blocksFaults { threads[tid]?.blocksFaults = true }
    threads[tid]?.blocksFaultsAfterHandler = false
  }

  /// Holds a signal that the program blocks, or that a timer sent too soon after a handler. Returns whether it is held.
  private func isToHold(_ signal: Int32, _ tid: pid_t) -> Bool {
    guard let thread = threads[tid], !thread.space.isReleased, !isOver else { return false }
    var held = HeldSignal(information: ctrace_signal(), due: nil)
    if signal == SIGSEGV {
      guard thread.blocksFaults, !ctrace_is_fault(tid) else { return false }
    } else {
      let rest = thread.handlerTime.rest
      guard rest > ClockReading.now().nanoseconds else { return false }
      held.due = rest
    }
    guard ctrace_signal(tid, &held.information) == 0,
      signal == SIGSEGV || ctrace_is_of_timer(&held.information)
    else { return false }
    threads[tid]?.held[signal] = held
    if let due = held.due { nextWake = min(due, nextWake ?? due) }
    return true
  }

  /// Adds SIGSEGV to the pending signals at `place` in the program's memory, if the tracer holds SIGSEGV for the thread.
  func addHeldFault(_ tid: pid_t, _ place: LoadedAddress, _ space: WatchedMemory) {
    guard threads[tid]?.held[SIGSEGV] != nil else { return }
    let index = (SIGSEGV - 1) / 8
    let address = place + UInt64(index)
    guard let byte = space.memory.read(1, at: address).first else { return }
    space.memory.write([byte | 1 << UInt8((SIGSEGV - 1) % 8)][...], at: address)
  }

  /// Sends the held signals that are due.
  func wake() {
    let now = ClockReading.now().nanoseconds
    nextWake = nil
    for tid in threads.numbers {
      for (signal, held) in threads[tid]?.held ?? [:] {
        guard let due = held.due else { continue }
        if due > now {
          nextWake = min(due, nextWake ?? due)
        } else {
          threads[tid]?.held[signal]?.due = nil
          _ = ctrace_send_signal(tid, signal)
        }
      }
    }
  }

  /// Sends all held signals to a thread that will not be traced any more.
  func sendHeldSignals(_ tid: pid_t) {
    for signal in threads[tid]?.held.keys.sorted() ?? [] { _ = ctrace_send_signal(tid, signal) }
    threads[tid]?.held = [:]
  }

  /// Unblocks SIGSEGV in the kernel, and notes whether the program has blocked it.
  func unblockFaults(_ tid: pid_t) {
    var mask: UInt64 = 0
    guard ctrace_blocked_signals(tid, &mask) == 0 else { return }
    threads[tid]?.blocksFaults = mask & faultBit != 0
    if mask & faultBit != 0 {
      _ = ctrace_block_signals(tid, mask & ~faultBit)
    } else if threads[tid]?.held[SIGSEGV] != nil {
      _ = ctrace_send_signal(tid, SIGSEGV)
    }
  }

  /// Blocks SIGSEGV in the kernel until the next `unblockFaults`, if the program has blocked it.
  func blockFaults(_ tid: pid_t) {
    var mask: UInt64 = 0
    guard threads[tid]?.blocksFaults ?? false, ctrace_blocked_signals(tid, &mask) == 0 else {
      return
    }
    _ = ctrace_block_signals(tid, mask | faultBit)
  }
}
