// Traces from outside which pages a launch touches
//
// Access to the pages of the program's watched images is removed; the first touch of a page raises SIGSEGV, which stops
// the thread before the program sees the signal. The page is recorded, the thread is made to restore the access by an
// injected mprotect(2) (`ctrace_protect`), and the instruction runs again, without the signal. So the program needs no
// loader, no environment and no handler of ours, and keeps its own.
//
// The page tracer in a program (Runtime/PageTracer/page_tracer.c) withholds the same access. But this tracer begins
// when an image is mapped, so the program's own relocations by functions (IRELATIVE) and `.preinit_array` count, too.
//
// Kinds of access. The signal states the address but not the kind of access. If the instruction itself is on the page,
// and the page is not executable yet, the instruction could not be fetched. Otherwise the instruction reads or writes:
// the page becomes readable, and if the same instruction faults again, it writes. So fetching and reading cost one stop
// each, and writing costs two.
//
// System calls. A thread stops at the beginning of each call, where access to the pages that the call will use is
// restored, so that the call neither fails nor is done partly. The thread stops again at the end of the call, where new
// mappings are read.
//
// Signals. The kernel removes a program's handler if it has to raise SIGSEGV while SIGSEGV is blocked
// (force_sig_info_to_task in kernel/signal.c). So the tracer never leaves SIGSEGV blocked: it unblocks SIGSEGV after
// calls that block signals, and at the first instruction of each handler. The tracer notes whether the program blocks
// SIGSEGV, and blocks it again before the kernel reads the mask: before calls that ask for the mask, and before a
// handler saves it.
//
// All threads are attached by PTRACE_SEIZE, so that job control of the program keeps working. <ptrace(2)>

import Addresses
import CPtrace
import ImageModel
import LibC
import ProcessLaunch

/// Answers a page tracer's questions about images.
package protocol PageImages: AnyObject {
  /// Returns the function that a program calls for a mark; `nil` if the image at `path` has none.
  func mark(in path: String) -> RelativeAddress?
}

/// The threads of a launch, and their memory.
final class PageTouchTracer: LaunchTracer {
  var touches = PageTouches()
  var problem: PageProblem?
  /// The number of the system call after which reads and writes are no longer withheld.
  var unknownCall: Int?
  /// Whether counting has ended: nothing more is recorded.
  var isOver = false
  /// Whether the launch reached the place where counting ends.
  var wasStopped = false
  let request: PageRequest
  let images: RemotePageImages
  var threads = TracedThreads<Thread>()
  let files = TracedFiles()
  private(set) var isLeaving = false
  /// Threads that were released before the tracer saw the event of their creation.
  private var releasedStrangers: Set<pid_t> = []
  /// The time at which the next held signal is due, in nanoseconds since boot.
  var nextWake: UInt64?

  struct Thread {
    let space: WatchedMemory
    /// The system call in which the thread is.
    var call: ctrace_call?
    /// Whether the system call `call` may use unknown memory.
    var isCallUnknown = false
    /// Whether the thread is about to run a handler of the program.
    var entersHandler = false
    /// The breakpoint whose instruction the thread executes. The breakpoint is removed meanwhile.
    var steppedOver: LoadedAddress?
    var lastFault: Fault?
    /// Whether the thread is in vfork(2).
    var isInVfork = false
    /// The thread that waits until this thread is released, to become its tracer.
    var debugger: pid_t?
    /// Whether the program blocks SIGSEGV, which stays unblocked in the kernel.
    var blocksFaults = false
    /// Whether the program blocks SIGSEGV again when its handler returns. The handler has interrupted a call that waits with
    /// another signal mask, such as sigsuspend(2).
    var blocksFaultsAfterHandler = false
    /// Whether the fault of the thread ends the process.
    var dies = false
    /// The signals that the thread gets later.
    var held: [Int32: HeldSignal] = [:]
    var handlerTime = HandlerTime()
  }

  /// An access that a thread was denied, and the recorded touch, unless it is an execution. The page was at least
  /// readable when the thread continued.
  struct Fault {
    var instruction: LoadedAddress
    var page: LoadedAddress
    /// The access that the page had when the thread continued.
    var seen: WatchedImage.Protection
    var touch: PageTouches.Touch?
  }

  init(_ request: PageRequest, _ images: RemotePageImages) {
    self.request = request
    self.images = images
  }

  var hasLeft: Bool { isLeaving && threads.isEmpty }

  /// Refuses: programs are only watched from their beginning.
  func attach(to pid: pid_t) -> Int32 { ENOTSUP }

  func nextMissedEnd() -> (tid: pid_t, status: Int32)? {
    files.ends.isEmpty ? nil : files.ends.removeFirst()
  }

  /// Ends counting. Withheld access is restored when the next thread stops that can restore it.
  func end(by reason: StopReason) { isOver = true }

  /// Releases all threads, with all access restored.
  func leave() {
    guard !isLeaving else { return }
    isOver = true
    isLeaving = true
    for tid in threads.numbers { _ = ctrace_interrupt(tid) }
    for tid in threads.takeStrangers() { release(stranger: tid) }
  }

  private func release(stranger tid: pid_t) {
    releasedStrangers.insert(tid)
    _ = ctrace_detach(tid, 0)
  }

  func handle(_ tid: pid_t, _ status: Int32) {
    let stop = ThreadStop(of: tid, status)
    switch stop {
    case .ended:
      if let debugger = threads.remove(tid)?.debugger { resume(debugger) }
      return
    case .exec(let former): return programBegan(tid, former: former)
    default: threads[tid]?.space.memory.thread = tid
    }
    switch stop {
    case .ended, .exec: break
    case .created(let new, let sharesMemory, let isVfork):
      threads[tid]?.isInVfork = isVfork
      created(new, by: tid, sharesMemory: sharesMemory)
      if !releaseChild(new, of: tid) { goOn(tid) }
    case .vforkEnded:
      threads[tid]?.isInVfork = false
      goOn(tid)
    case .group:
      if isLeaving { resume(tid) } else { _ = ctrace_listen(tid) }
    case .interruption:
      if threads[tid] != nil {
        resume(tid)
      } else if isLeaving {
        release(stranger: tid)
      } else {
        threads.addStranger(tid)
      }
    case .fault: _ = ctrace_continue(tid, 0)
    case .systemCall: atSystemCall(tid)
    case .signal(SIGTRAP): trapped(tid)
    case .signal(SIGSEGV): faulted(tid)
    case .signal(let signal): deliver(signal, to: tid)
    }
  }
}

// MARK: Going on

extension PageTouchTracer {
  /// Lets a stopped thread continue. The thread has no access to restore.
  func goOn(_ tid: pid_t, signal: Int32? = nil) {
    let delivered = signal ?? 0
    guard let thread = threads[tid] else {
      _ = ctrace_continue(tid, delivered)
      return
    }
    if thread.steppedOver != nil {
      _ = ctrace_step(tid, delivered)
    } else if thread.space.isReleased {
      blockFaults(tid)
      threads[tid]?.blocksFaults = false
      _ = ctrace_continue(tid, delivered)
    } else {
      _ = ctrace_continue_to_system_call(tid, delivered)
    }
  }

  /// Lets a stopped thread continue. The thread must be able to perform a system call first, which restores access if
  /// counting is over.
  func resume(_ tid: pid_t, signal: Int32? = nil) {
    guard let thread = threads[tid] else { return goOn(tid, signal: signal) }
    if isOver, !thread.space.isReleased {
      if signal != nil {  // after a system call it would be a new signal: release at the next stop
        goOn(tid, signal: signal)
        _ = ctrace_interrupt(tid)
        return
      }
      guard apply(thread.space.release(), tid) else { return }
    }
    if isLeaving, thread.steppedOver == nil {
      release(tid, signal: signal)
    } else {
      goOn(tid, signal: signal)
    }
  }

  /// Makes a thread change the protection of its memory.
  ///
  /// - Returns: false if the thread has ended meanwhile.
  func apply(_ changes: [WatchedImage.Change], _ tid: pid_t) -> Bool {
    guard let space = threads[tid]?.space else { return true }
    for change in changes {
      var error: Int32 = 0
      var status: Int32 = 0
      let failure = ctrace_protect(
        tid, space.callInstruction?.rawValue ?? 0, change.addresses.lowerBound.rawValue,
        change.addresses.size, change.protection.rawValue, &error, &status)
      if failure != 0, ThreadStop.isEnd(status) {
        files.ends.append((tid, status))
        return false
      }
      if failure != 0 { error = failure }
      guard error != 0, failure != ESRCH else { continue }
      // Protection splits mappings, and a process may have 65530 of them. If there are more, all access is restored, in
      // a few calls.
      if problem == nil { problem = .refused(errno: error) }
      isOver = true
      if !space.isReleased { return apply(space.release(), tid) }
    }
    return true
  }
}

// MARK: Threads and processes

extension PageTouchTracer {
  private func programBegan(_ tid: pid_t, former: pid_t) {
    let debugger = threads[former]?.debugger ?? threads[tid]?.debugger
    threads.exec(tid, former: former)
    guard !isOver else {
      _ = ctrace_detach(tid, 0)
      if let debugger { resume(debugger) }
      return
    }
    threads[tid] = Thread(space: WatchedMemory(of: tid, in: files))
    touches.processBegan(tid)
    if touches.program == nil { touches.program = files.program(of: tid) }
    if FileRights.areMissing(inProcess: tid) {
      touches.isWithoutRights(files.program(of: tid) ?? "")
    }
    _ = ctrace_continue_to_system_call(tid, 0)  // the thread continues to the end of exec
  }

  private func created(_ new: pid_t, by tid: pid_t, sharesMemory: Bool) {
    guard new > 0, releasedStrangers.remove(new) == nil else { return }
    guard var space = threads[tid]?.space else {
      if threads.takeStranger(new) { _ = ctrace_detach(new, 0) }
      return
    }
    if !sharesMemory {
      let copy = WatchedMemory(of: new, forkedFrom: space, in: files)
      touches.processForked(new, from: space.pid)
      space = copy
    }
    var thread = Thread(space: space)
    thread.blocksFaults = threads[tid]?.blocksFaults ?? false
    if threads.add(new, thread) { resume(new) }
  }
}
