// Stops the threads of a launch at the first use of each function.
//
// Each function has a breakpoint at its first instruction. The first thread that reaches it stops; the
// breakpoint is removed, the hit is reported, and the thread continues at the same address. So a function
// costs one stop in a process and nothing afterwards. None of our code runs inside the program.
//
// Libraries. For debuggers, the loader calls an empty function when it has mapped libraries; that function
// has a breakpoint that stays. At the start of a program the loader calls it only after it has also relocated
// the libraries, which runs code in them. So until the program's own first instruction, each system call is a
// stop, where the mappings are read. Marks of the program are such a function, too.
//
// Processes. A forked child has a copy of its parent's memory, including breakpoints, so it continues with a
// copy of what is known about the parent. A child of vfork shares its parent's. exec starts anew. A thread
// that waits in vfork can't be stopped until its child has called exec or ended, so the tracer does not wait
// for it: the thread is blocked in the kernel, and stops when it leaves (PTRACE_EVENT_VFORK_DONE).
//
// Signals. A breakpoint raises SIGTRAP, which the kernel first unblocks if it is blocked
// (force_sig_info_to_task in kernel/signal.c). The tracer blocks it again if it can know that: if the program
// was started with SIGTRAP blocked, and if a thread blocks all other signals, as libraries do around fork and
// clone. If SIGTRAP was blocked, the kernel also removes the program's handler. So a handler of the program,
// which runs with its signal blocked, is stopped at its first instruction, and the signal is unblocked; a
// program that handles SIGTRAP and blocks it explicitly loses the handler.
//
// <ptrace(2)>; PTRACE_SEIZE throughout, so that job control of the program keeps working.

import Addresses
import CPtrace

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The threads of a launch, and their memory.
final class BreakpointTracer: LaunchTracer {
  private var threads = TracedThreads<Thread>()
  private let observer: RemoteBreakpointObserver
  /// The mark that ends the recording.
  private let lastMark: [UInt8]?
  private var isOver = false

  private struct Thread {
    let space: AddressSpace
    /// It executes the instruction of a breakpoint that stays. The breakpoint is removed meanwhile.
    var steppedOver: LoadedAddress?
    /// It is about to run the program's own handler of SIGTRAP.
    var entersHandler = false
    /// It waits for the others to stop.
    var parked: Parked?
    /// It is in vfork(2), between the stops that tell its beginning and its end.
    var isInVfork = false
  }

  private struct Parked {
    /// The signal that it gets when it continues; `nil` for none.
    var signal: Int32?
  }

  /// What happens when all threads have stopped; `nil` lets each go on by itself.
  private var gathering: Gathering?
  private enum Gathering {
    case attach(AddressSpace)
    case leave
  }
  /// Whether everything was restored and all stopped threads were released.
  private(set) var hasLeft = false

  init(_ observer: RemoteBreakpointObserver, lastMark: String?) {
    self.observer = observer
    self.lastMark = lastMark.map { Array($0.utf8) }
  }

  /// Attaches to all threads of the running process `pid`, and plants breakpoints while they are stopped.
  func attach(to pid: pid_t) -> Int32 {
    // A thread that is not attached yet may create others, so repeat until there are no more.
    var seen: Set<pid_t> = []
    var attached: [pid_t] = []
    while true {
      var tids = [pid_t](repeating: 0, count: 1 << 16)
      let count = Int(ctrace_threads(pid, &tids, Int32(tids.count)))
      let new = tids[..<count].filter { !seen.contains($0) }
      if new.isEmpty { break }
      for tid in new {
        // Threads that an attached thread has created since are attached, too, and can be interrupted.
        let error = ctrace_seize(tid)
        let isAttached = ctrace_interrupt(tid) == 0
        guard isAttached || error == ESRCH else { return error }
        seen.insert(tid)
        if isAttached { attached.append(tid) }
      }
    }
    guard let space = AddressSpace(of: pid), !attached.isEmpty else { return ESRCH }
    gathering = .attach(space)
    for tid in attached { threads[tid] = Thread(space: space) }
    return 0
  }

  /// The recording ends: nothing more is reported, and the program continues untraced.
  func end(by reason: StopReason) {
    guard !isOver else { return }
    isOver = true
    observer.launchEnded(by: reason)
    leave()
  }

  /// `ctrace_wait` reports every stop.
  func nextMissedEnd() -> (tid: pid_t, status: Int32)? { nil }

  /// Stops all threads, in order to detach with all instructions restored.
  func leave() {
    guard !hasLeft else { return }
    switch gathering {
    case .leave: return
    case .attach: return detachAll()  // Nothing is planted yet.
    case nil: gathering = .leave
    }
    for tid in threads.numbers { _ = ctrace_interrupt(tid) }
    actIfAllStandStill()
  }

  func handle(_ tid: pid_t, _ status: Int32) {
    defer { actIfAllStandStill() }
    switch ThreadStop(of: tid, status) {
    case .ended: ended(tid)
    case .exec(let former): programBegan(tid, former: former)
    case .created(let new, let sharesMemory, let isVfork):
      threads[tid]?.isInVfork = isVfork
      created(new, by: tid, sharesMemory: sharesMemory)
      resume(tid)
    case .vforkEnded:
      threads[tid]?.isInVfork = false
      resume(tid)
    case .group:
      // A thread that is detached in a group-stop stays stopped.
      if gathering != nil { threads[tid]?.parked = Parked() } else { _ = ctrace_listen(tid) }
    case .interruption:
      if threads[tid] == nil { threads.addStranger(tid) } else { resume(tid) }
    case .fault: _ = ctrace_continue(tid, 0)
    case .systemCall:
      if let space = threads[tid]?.space { refresh(space) }
      resume(tid)
    case .signal(SIGTRAP): trapped(tid)
    case .signal(let signal): resume(tid, signal: signal)
    }
  }

  private func ended(_ tid: pid_t) {
    guard let space = threads.remove(tid)?.space else { return }
    if threads.allSatisfy({ $0.space !== space }) { observer.processEnded(space.pid) }
  }

  private func resume(_ tid: pid_t, signal: Int32? = nil) {
    let delivered = signal ?? 0
    guard let thread = threads[tid] else {
      _ = ctrace_continue(tid, delivered)
      return
    }
    if gathering != nil, thread.steppedOver == nil {
      threads[tid]?.parked = Parked(signal: signal)
    } else if thread.steppedOver != nil {
      _ = ctrace_step(tid, delivered)
    } else if thread.space.isStarting {
      _ = ctrace_continue_to_system_call(tid, delivered)
    } else {
      _ = ctrace_continue(tid, delivered)
    }
  }

  private func actIfAllStandStill() {
    guard let gathering, threads.allSatisfy({ $0.parked != nil || $0.isInVfork }) else { return }
    self.gathering = nil
    switch gathering {
    case .attach(let space):
      observer.processBegan(space.pid)
      space.watchLoader(isRunning: true, observer.loader)
      refresh(space)
      for tid in threads.numbers {
        guard let parked = threads[tid]?.parked else { continue }
        threads[tid]?.parked = nil
        resume(tid, signal: parked.signal)
      }
    case .leave: detachAll()
    }
  }

  /// Restores everything and releases all stopped threads.
  private func detachAll() {
    hasLeft = true
    for tid in threads.numbers {
      // The first thread of a memory restores everything; the others find nothing to do.
      if let space = threads[tid]?.space {
        let left = space.removeBreakpoints()
        if left > 0 { observer.breakpointsLeft(left, in: space.pid) }
      }
      if let parked = threads[tid]?.parked { _ = ctrace_detach(tid, parked.signal ?? 0) }
    }
    for tid in threads.takeStrangers() { _ = ctrace_detach(tid, 0) }
  }

  private func programBegan(_ tid: pid_t, former: pid_t) {
    threads.exec(tid, former: former)
    guard let space = AddressSpace(of: tid) else { return resume(tid) }
    threads[tid] = Thread(space: space)
    observer.processBegan(tid)
    space.watchLoader(isRunning: false, observer.loader)
    refresh(space)
    resume(tid)
  }

  private func created(_ new: pid_t, by tid: pid_t, sharesMemory: Bool) {
    guard new > 0, var space = threads[tid]?.space else { return }
    if !sharesMemory {
      guard let copy = AddressSpace(of: new, forkedFrom: space) else { return }
      observer.processForked(new, by: space.pid)
      space = copy
    }
    if threads.add(new, Thread(space: space)) { resume(new) }
  }

  private func trapped(_ tid: pid_t) {
    guard let thread = threads[tid] else { return resume(tid, signal: SIGTRAP) }
    let space = thread.space
    guard let counter = ThreadRegisters.programCounter(of: tid) else { return }
    if let address = thread.steppedOver, counter != address {
      threads[tid]?.steppedOver = nil
      space.expose(false, address)
      return resume(tid)
    }
    let address = ThreadRegisters.breakpoint(before: counter)
    let isBreakpoint = ctrace_is_at_breakpoint(tid)
    if thread.entersHandler {
      threads[tid]?.entersHandler = false
      guard isBreakpoint else {
        var mask: UInt64 = 0
        if ctrace_blocked_signals(tid, &mask) == 0 {
          _ = ctrace_block_signals(tid, mask & ~trapBit)
        }
        return resume(tid)
      }
    }
    guard isBreakpoint, let stop = space.takeBreakpoint(at: address) else {
      threads[tid]?.entersHandler = true
      _ = ctrace_step(tid, SIGTRAP)
      return
    }
    ThreadRegisters.setProgramCounter(of: tid, to: address)
    blockTrapAgain(tid, space)
    if stop.purpose == .entry { refresh(space) }  // what the loader has mapped, before the hit
    if stop.isEnd {
      end(by: .function)
    } else if let hit = stop.firstHit, !isOver {
      observer.firstHit(hit.function, of: hit.image, in: space.pid, thread: tid)
    }
    switch stop.purpose {
    case .function: break
    case .entry: space.endStart()
    case .loaderNotice:
      refresh(space)
      stepOver(address, tid, space)
    case .mark:
      hear(markOf: tid, space)
      stepOver(address, tid, space)
    }
    resume(tid)
  }

  private func stepOver(_ address: LoadedAddress, _ tid: pid_t, _ space: AddressSpace) {
    space.expose(true, address)
    threads[tid]?.steppedOver = address
  }

  private func hear(markOf tid: pid_t, _ space: AddressSpace) {
    guard let address = ThreadRegisters.firstArgument(of: tid), !isOver else { return }
    let bytes = space.memory.read(Self.longestMark, at: address)
    guard !bytes.isEmpty else { return }
    let name = Array(bytes.prefix { $0 != 0 })
    observer.mark(name, in: space.pid, thread: tid)
    if name == lastMark { end(by: .mark) }
  }

  /// Bytes, as the recorder keeps them.
  private static let longestMark = 255

  private func refresh(_ space: AddressSpace) {
    let (loaded, unloaded) = space.refresh(observer.image)
    for image in unloaded { observer.unloaded(image, in: space.pid) }
    for image in loaded { observer.loaded(image, in: space.pid) }
  }

  private func blockTrapAgain(_ tid: pid_t, _ space: AddressSpace) {
    var mask: UInt64 = 0
    guard ctrace_blocked_signals(tid, &mask) == 0, mask & trapBit == 0 else { return }
    // Signals 32 and 33 belong to the C library; SIGKILL and SIGSTOP can't be blocked.
    let never: UInt64 = 3 << 31 | 1 << UInt64(SIGKILL - 1) | 1 << UInt64(SIGSTOP - 1)
    let blocksAllOthers = ~(mask | never | trapBit) == 0
    if space.blocksTrap || blocksAllOthers { _ = ctrace_block_signals(tid, mask | trapBit) }
  }
}
