// Stops the threads of a launch at the first use of each function.
//
// Each function has a breakpoint at its first instruction. The first thread that reaches it stops; the breakpoint is
// removed, the hit is reported, and the thread continues at the same address. So a function costs one stop in a process
// and nothing afterwards. None of our code runs inside the program.
//
// Libraries. For debuggers, the loader calls an empty function when it has mapped libraries; that function has a
// breakpoint that stays. At the start of a program the loader calls it only after it has also relocated the libraries,
// which runs code in them. So until the program's own first instruction, threads also stop at each system call, and the
// mappings are read after calls that change them. The function that sets a mark has a breakpoint that stays, too.
//
// Processes. A forked child has a copy of its parent's memory, including breakpoints, so it continues with a copy of
// what is known about the parent's memory. A child of vfork shares its parent's memory. After exec, nothing is known. A
// thread that waits in vfork can't be stopped until its child has called exec or ended, so the tracer does not wait for
// it: the thread is blocked in the kernel, and stops when it leaves (PTRACE_EVENT_VFORK_DONE).
//
// Signals. A breakpoint raises SIGTRAP. If SIGTRAP is blocked, the kernel first unblocks it (force_sig_info_to_task in
// kernel/signal.c). The tracer blocks it again if it can know that it was blocked: if the program was started with
// SIGTRAP blocked, or if a thread blocks all other signals, as libraries do around fork and clone. If SIGTRAP was
// blocked, the kernel also removes the program's handler. A handler runs with its signal blocked, so the thread is
// stopped at the first instruction of the handler, and the signal is unblocked. A program that handles SIGTRAP and
// blocks it explicitly loses the handler.
//
// Images. The addresses of breakpoints were read from a file, so the process must have mapped the same file: see
// `AddressSpace.refresh`. An image is kept while its breakpoints are in memory. Mappings are read for the thread that
// has stopped, because the mappings of a process look empty when its first thread has ended.
//
// Untraced children (CLONE_UNTRACED of clone(2)) would die at their first breakpoint. So the tracer removes the flag
// from calls of `clone` and `syscall` of the C library. Stopping at each system call would find calls in assembly, too,
// but make every launch several times slower.
//
// Debuggers of the launch: see BreakpointTracer+Debuggers.swift.
//
// All threads are attached by PTRACE_SEIZE, so that job control of the program keeps working. <ptrace(2)>

import Addresses
import CPtrace
import LibC
import ProcessLaunch

/// The threads of a launch, and their memory.
final class BreakpointTracer: LaunchTracer {
  var threads = TracedThreads<Thread>()
  let observer: RemoteBreakpointObserver
  /// The mark that ends the recording.
  let lastMark: [UInt8]?
  private(set) var isOver = false
  let files = TracedFiles()
  /// The processes that are being released for debuggers of the launch.
  var handovers: [Handover] = []

  struct Thread {
    let space: AddressSpace
    /// The address of a lasting breakpoint whose instruction the thread executes now. The breakpoint is removed
    /// meanwhile.
    var steppedOver: LoadedAddress?
    /// Whether the thread is in a system call that may change mappings.
    var changesMappings = false
    /// Whether the thread is about to run the program's own handler of SIGTRAP.
    var entersHandler = false
    /// Set while the thread waits for other threads to stop.
    var parked: Parked?
    /// Whether the thread is in vfork(2), between the stops at its beginning and its end.
    var isInVfork = false
    /// The number of the child that the thread created last.
    var child: pid_t?
    /// Whether `child`, which vfork(2) created, uses the memory and is no longer traced.
    var lendsMemory = false
    /// The release of the process of the thread; `nil` if the process stays traced.
    var handover: Handover?
  }

  struct Parked {
    /// The signal that the thread gets when it continues; `nil` for none.
    var signal: Int32?
  }

  /// What happens when all threads have stopped; `nil` if threads do not wait for each other.
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
    // The threads are listed repeatedly until no new ones are found, because a thread that is not attached yet may
    // create others.
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
        // The first thread of a process may have ended before the others.
        guard isAttached || error == ESRCH || ProcessStatus(of: tid)?["State"] == "Z" else {
          return error
        }
        seen.insert(tid)
        if isAttached { attached.append(tid) }
      }
    }
    guard !attached.isEmpty else { return ESRCH }
    let space = AddressSpace(of: pid, in: files)
    gathering = .attach(space)
    for tid in attached { threads[tid] = Thread(space: space) }
    return 0
  }

  /// Ends the recording: nothing more is reported, and the program continues untraced.
  func end(by reason: StopReason) {
    guard !isOver else { return }
    isOver = true
    observer.launchEnded(by: reason)
    leave()
  }

  func nextMissedEnd() -> (tid: pid_t, status: Int32)? {
    files.ends.isEmpty ? nil : files.ends.removeFirst()
  }

  /// Stops all threads, in order to detach with all instructions restored.
  func leave() {
    guard !hasLeft else { return }
    switch gathering {
    case .leave: return
    case .attach: return detachAll()  // No breakpoint is planted yet.
    case nil: gathering = .leave
    }
    for tid in threads.numbers { _ = ctrace_interrupt(tid) }
    actIfAllStandStill()
  }

  func handle(_ tid: pid_t, _ status: Int32) {
    defer {
      completeHandovers()
      actIfAllStandStill()
    }
    let stop = ThreadStop(of: tid, status)
    switch stop {
    case .ended: return ended(tid)
    case .exec(let former): return programBegan(tid, former: former)
    default: threads[tid]?.space.memory.thread = tid
    }
    switch stop {
    case .ended, .exec: break
    case .created(let new, let sharesMemory, let isVfork):
      threads[tid]?.isInVfork = isVfork
      threads[tid]?.child = new
      created(new, by: tid, sharesMemory: sharesMemory)
      resume(tid)
    case .vforkEnded:
      threads[tid]?.isInVfork = false
      takeMemoryBack(tid)
      resume(tid)
    case .group:
      // A thread that is detached in a group-stop stays stopped.
      if isToPark(tid) { threads[tid]?.parked = Parked() } else { _ = ctrace_listen(tid) }
    case .interruption:
      if threads[tid] == nil { threads.addStranger(tid) } else { resume(tid) }
    case .fault: _ = ctrace_continue(tid, 0)
    case .systemCall:
      atSystemCall(tid)
      resume(tid)
    case .signal(SIGTRAP): trapped(tid)
    case .signal(let signal): resume(tid, signal: signal)
    }
  }

  func ended(_ tid: pid_t) {
    guard let space = threads.remove(tid)?.space else { return }
    if threads.allSatisfy({ $0.space !== space }) { observer.processEnded(space.pid) }
  }

  func resume(_ tid: pid_t, signal: Int32? = nil) {
    let delivered = signal ?? 0
    guard let thread = threads[tid] else {
      _ = ctrace_continue(tid, delivered)
      return
    }
    if isToPark(tid), thread.steppedOver == nil {
      threads[tid]?.parked = Parked(signal: signal)
    } else if thread.steppedOver != nil {
      _ = ctrace_step(tid, delivered)
    } else if thread.space.isStarting {
      _ = ctrace_continue_to_system_call(tid, delivered)
    } else {
      _ = ctrace_continue(tid, delivered)
    }
  }

  private func isToPark(_ tid: pid_t) -> Bool {
    gathering != nil || threads[tid]?.handover != nil
  }

  private func actIfAllStandStill() {
    guard let gathering, threads.allSatisfy({ $0.parked != nil || $0.isInVfork }) else { return }
    self.gathering = nil
    switch gathering {
    case .attach(let space):
      if let tid = threads.numbers.first(where: { threads[$0]?.parked != nil }) {
        begin(space, by: tid, isRunning: true)
      }
      for tid in threads.numbers {
        guard let parked = threads[tid]?.parked else { continue }
        threads[tid]?.parked = nil
        resume(tid, signal: parked.signal)
      }
    case .leave: detachAll()
    }
  }

  /// Restores all instructions and releases all stopped threads.
  private func detachAll() {
    hasLeft = true
    // The first thread of each memory restores everything; the other threads find nothing to do.
    // Stopped threads come first, because a thread that waits in vfork can't be made to permit
    // access.
    let tids = threads.numbers
    let (stopped, waiting) = (
      tids.filter { threads[$0]?.parked != nil }, tids.filter { threads[$0]?.parked == nil }
    )
    for tid in stopped + waiting {
      guard let space = threads[tid]?.space else { continue }
      space.memory.thread = tid
      let left = space.removeBreakpoints()
      if left > 0 { observer.breakpointsLeft(left, in: space.pid) }
    }
    for tid in stopped { _ = ctrace_detach(tid, threads[tid]?.parked?.signal ?? 0) }
    for tid in threads.takeStrangers() { _ = ctrace_detach(tid, 0) }
  }

  private func programBegan(_ tid: pid_t, former: pid_t) {
    let handover = threads[former]?.handover ?? threads[tid]?.handover
    threads.exec(tid, former: former)
    let space = AddressSpace(of: tid, in: files)
    threads[tid] = Thread(space: space, handover: handover)
    begin(space, by: tid, isRunning: false)
    resume(tid)
  }

  private func begin(_ space: AddressSpace, by tid: pid_t, isRunning: Bool) {
    space.memory.thread = tid
    let program = files.program(of: tid) ?? ""
    observer.processBegan(space.pid, program: program)
    if !isRunning, FileRights.areMissing(inProcess: tid) { observer.isWithoutRights(program) }
    if space.isOfTranslator { observer.isTranslator(program) }
    if let path = space.watchLoader(isRunning: isRunning, observer.loader) {
      observer.isOther(path, isLoader: true)
    }
    refresh(space)
  }

  /// Every new thread gets an `AddressSpace`, even if its memory can't be accessed. So every new
  /// thread is resumed.
  private func created(_ new: pid_t, by tid: pid_t, sharesMemory: Bool) {
    guard new > 0 else { return }
    guard var space = threads[tid]?.space else {
      if threads.takeStranger(new) { _ = ctrace_continue(new, 0) }
      return
    }
    let handover = sharesMemory ? threads[tid]?.handover : nil
    if !sharesMemory {
      let copy = AddressSpace(of: new, forkedFrom: space, in: files)
      observer.processForked(new, by: space.pid)
      space = copy
    }
    if threads.add(new, Thread(space: space, handover: handover)) { resume(new) }
  }

  func refresh(_ space: AddressSpace) {
    guard let changes = space.refresh(observer.image) else {
      return observer.isInaccessible(space.pid, hasBreakpoints: false)
    }
    for image in changes.unloaded { observer.unloaded(image, in: space.pid) }
    if changes.isInaccessible { observer.isInaccessible(space.pid, hasBreakpoints: false) }
    for path in changes.others { observer.isOther(path, isLoader: false) }
    for image in changes.loaded { observer.loaded(image, in: space.pid) }
  }
}
