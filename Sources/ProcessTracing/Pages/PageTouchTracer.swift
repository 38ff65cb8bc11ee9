// Sees from outside which pages a launch touches
//
// The watched images of the program lose access to their pages; the first touch of a page raises SIGSEGV, which
// stops the thread before the program hears of it. The page is noted, the thread is made to give itself access back
// by an mprotect(2) that it never wrote (`ctrace_protect`), and the instruction runs again, without the signal.
// So the program needs no loader, no environment and no handler of ours, and keeps its own.
//
// What is withheld is what the page tracer in a program withholds (Runtime/PageTracer/page_tracer.c), but from the
// moment on that an image is mapped: the program's own relocations by functions (IRELATIVE) and `.preinit_array`
// count too.
//
// Kinds of access. The signal tells the address and not what was tried. An instruction that is on the page
// cannot have been fetched if the page may not be executed. Else it reads or writes: it gets the page to
// read, and if the same instruction comes back it wanted to write. So each costs what it needs.
//
// System calls. Each is a stop at its beginning, where the pages that it is going to use are given back, so
// that it neither fails nor does a part only; and at its end, where what it has mapped is looked at.
//
// Signals. The kernel takes a program's handler away if it has to raise SIGSEGV where that is blocked
// (force_sig_info_to_task in kernel/signal.c). So it is never left blocked: it is unblocked behind the calls
// that block signals, and at the first instruction of each handler.
//
// <ptrace(2)>; PTRACE_SEIZE throughout, so that job control stays the program's own.

import CPtrace
import ImageModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a page tracer wants to know of images.
package protocol PageImages: AnyObject {
  /// Where the function is that a program calls for a mark: bytes from the image's first in memory; `nil` if
  /// the image at `path` has none.
  func mark(in path: String) -> UInt64?
}

/// The threads of one launch, and their memory.
final class PageTouchTracer: LaunchTracer {
  private(set) var touches = PageTouches()
  private(set) var problem: PageProblem?
  /// The launch is over: nothing more is noted.
  private(set) var isOver = false
  /// It came to where it was to be stopped.
  private(set) var wasStopped = false
  private let request: PageRequest
  private let images: any PageImages
  private var threads: [pid_t: Thread] = [:]
  /// Threads that have stopped before the event that tells whose they are.
  private var unknown: Set<pid_t> = []
  private var isLeaving = false
  /// Ends of threads that were waited for elsewhere than where all stops are.
  private var missedEnds: [(tid: pid_t, status: Int32)] = []

  private struct Thread {
    let space: WatchedMemory
    /// The system call that it is in.
    var call: ctrace_call?
    /// It is about to run a handler of the program's.
    var entersHandler = false
    /// The breakpoint whose instruction it executes, and which is away for that long.
    var steppedOver: UInt64?
    var lastFault: Fault?
  }

  /// What a thread was denied, and what was noted of that but for execution. The page could be read at least when it went on.
  private struct Fault {
    var instruction: UInt64
    var page: UInt64
    /// What the page was given when the thread went on.
    var seen: WatchedImage.Protection
    var touch: PageTouches.Touch?
  }

  init(_ request: PageRequest, _ images: any PageImages) {
    self.request = request
    self.images = images
  }

  var hasThreads: Bool { !threads.isEmpty }

  func nextMissedEnd() -> (tid: pid_t, status: Int32)? {
    missedEnds.isEmpty ? nil : missedEnds.removeFirst()
  }

  /// What is withheld is given back when a thread that can do that stops next.
  func endByTime() { isOver = true }

  /// Lets all threads go, with everything given back.
  func leave() {
    guard !isLeaving else { return }
    isOver = true
    isLeaving = true
    for tid in threads.keys.sorted() { _ = ctrace_interrupt(tid) }
    for tid in unknown.sorted() { _ = ctrace_detach(tid, 0) }
    unknown = []
  }

  func handle(_ tid: pid_t, _ status: Int32) {
    guard status & 0xff == 0x7f else { return ended(tid) }
    let signal = (status >> 8) & 0xff
    switch Int(status >> 16) {
    case CTRACE_EXEC: programBegan(tid)
    case CTRACE_FORK, CTRACE_VFORK, CTRACE_CLONE: threadCreated(by: tid)
    case CTRACE_STOP: stopped(tid, signal)
    case 0 where signal == SIGTRAP | 0x80: atSystemCall(tid)
    case 0 where signal == SIGTRAP: trapped(tid)
    case 0 where signal == SIGSEGV: faulted(tid)
    default: deliver(signal, to: tid)
    }
  }

  private func ended(_ tid: pid_t) {
    unknown.remove(tid)
    threads[tid] = nil
  }
}

// MARK: Going on

extension PageTouchTracer {
  /// Lets a stopped thread go on that has nothing to give back.
  private func goOn(_ tid: pid_t, signal: Int32 = 0) {
    guard let thread = threads[tid] else {
      _ = ctrace_continue(tid, signal)
      return
    }
    if thread.steppedOver != nil {
      _ = ctrace_step(tid, signal)
    } else if thread.space.isReleased {
      _ = ctrace_continue(tid, signal)
    } else {
      _ = ctrace_continue_to_system_call(tid, signal)
    }
  }

  /// Lets a stopped thread go on, which can be made to do a system call where it stands.
  private func resume(_ tid: pid_t, signal: Int32 = 0) {
    guard let thread = threads[tid] else { return goOn(tid, signal: signal) }
    if isOver, !thread.space.isReleased {
      if signal != 0 {  // it would be another signal behind a call; so at the next stop
        goOn(tid, signal: signal)
        _ = ctrace_interrupt(tid)
        return
      }
      guard apply(thread.space.release(), tid) else { return }
    }
    if isLeaving, thread.steppedOver == nil {
      threads[tid] = nil
      _ = ctrace_detach(tid, signal)
    } else {
      goOn(tid, signal: signal)
    }
  }

  /// Delivers a signal. A handler of the program's is stopped at its first instruction.
  private func deliver(_ signal: Int32, to tid: pid_t) {
    guard let space = threads[tid]?.space, !space.isReleased, !isOver,
      ProcessSignals.areCaught(signal, by: tid)
    else { return resume(tid, signal: signal) }
    threads[tid]?.entersHandler = true
    _ = ctrace_step(tid, signal)
  }

  private func unblockFaults(_ tid: pid_t) {
    var mask: UInt64 = 0
    let bit: UInt64 = 1 << UInt64(SIGSEGV - 1)
    guard ctrace_blocked_signals(tid, &mask) == 0, mask & bit != 0 else { return }
    _ = ctrace_block_signals(tid, mask & ~bit)
  }

  /// Has a thread change the protection of its memory.
  ///
  /// - Returns: false if it has ended meanwhile.
  private func apply(_ changes: [WatchedImage.Change], _ tid: pid_t) -> Bool {
    guard let space = threads[tid]?.space else { return true }
    for change in changes {
      var error: Int32 = 0
      var status: Int32 = 0
      let failure = ctrace_protect(
        tid, space.callInstruction ?? 0, change.addresses.lowerBound,
        UInt64(change.addresses.count), change.protection.rawValue, &error, &status)
      if failure != 0, status != -1, status & 0xff != 0x7f {
        missedEnds.append((tid, status))
        return false
      }
      if failure != 0 { error = failure }
      guard error != 0, failure != ESRCH else { continue }
      // Protection divides mappings, of which a process may have 65530: then all is given back, in a few.
      if problem == nil { problem = .refused(errno: error) }
      isOver = true
      if !space.isReleased { return apply(space.release(), tid) }
    }
    return true
  }
}

// MARK: Threads and processes

extension PageTouchTracer {
  private func programBegan(_ tid: pid_t) {
    // All threads but this one are gone; the one that called exec may have had another number.
    let former = pid_t(truncatingIfNeeded: ctrace_event_message(tid))
    if former != tid { threads[former] = nil }
    threads[tid] = nil
    guard !isOver, let space = WatchedMemory(of: tid) else {
      _ = ctrace_detach(tid, 0)
      return
    }
    threads[tid] = Thread(space: space)
    touches.processBegan(tid)
    if touches.program == nil { touches.program = ProcessMapping.program(of: tid) }
    _ = ctrace_continue_to_system_call(tid, 0)  // to the end of exec
  }

  private func threadCreated(by tid: pid_t) {
    let new = pid_t(truncatingIfNeeded: ctrace_event_message(tid))
    if new > 0, let parent = threads[tid]?.space {
      if ctrace_shares_memory(tid, new) {
        threads[new] = Thread(space: parent)
      } else if let space = WatchedMemory(of: new, forkedFrom: parent) {
        threads[new] = Thread(space: space)
        touches.processForked(new, from: parent.pid)
      }
      if unknown.remove(new) != nil { resume(new) }
    }
    goOn(tid)
  }

  /// A group-stop, or the first stop of a new thread.
  private func stopped(_ tid: pid_t, _ signal: Int32) {
    if [SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU].contains(signal) {
      if isLeaving { resume(tid) } else { _ = ctrace_listen(tid) }
    } else if threads[tid] == nil {
      if isLeaving { _ = ctrace_detach(tid, 0) } else { unknown.insert(tid) }
    } else {
      resume(tid)
    }
  }
}

// MARK: System calls

extension PageTouchTracer {
  private func atSystemCall(_ tid: pid_t) {
    var call = ctrace_call()
    guard let space = threads[tid]?.space, ctrace_call_at(tid, &call) == 0, call.is_native,
      !isOver
    else { return resume(tid) }
    if call.place == Int32(CTRACE_ENTRY) {
      threads[tid]?.call = call
      if Self.restrictsCalls(call) {
        if space.hasWatchedImages { problem = problem ?? .seccomp }
        isOver = true
      } else if !giveToKernel(call, tid, space) {
        return
      }
    } else {
      let begun = threads[tid]?.call
      threads[tid]?.call = nil
      guard apply(changes(behind: begun, call.result, tid, space), tid) else { return }
    }
    resume(tid)
  }

  private static func restrictsCalls(_ call: ctrace_call) -> Bool {
    call.number == Int64(CTRACE_SECCOMP) && call.arguments.0 < 2
      || call.number == Int64(CTRACE_PRCTL) && call.arguments.0 == UInt64(CTRACE_SET_SECCOMP)
  }

  /// Gives back the pages that the kernel is going to use.
  ///
  /// - Returns: false if the thread has ended.
  private func giveToKernel(_ call: ctrace_call, _ tid: pid_t, _ space: WatchedMemory) -> Bool {
    guard space.hasWatchedImages else { return true }
    var ranges = [ctrace_range](repeating: ctrace_range(), count: 4096)
    let count = space.memory.rangesUsed(by: call, &ranges)
    let used = ranges[..<count].compactMap { range -> Range<UInt64>? in
      let (end, overflow) = range.address.addingReportingOverflow(range.size)
      return overflow || range.size == 0 ? nil : range.address..<end
    }
    let pages = space.withheldPages(in: used)
    guard !pages.isEmpty else { return true }
    var changes: [WatchedImage.Change] = []
    for (image, page) in pages {
      if space.images[image].state(of: page)?.seen.isEmpty ?? false {
        let instruction = call.counter &- UInt64(CTRACE_CALL_SIZE)
        touches.touched(page, .kernel, by: instruction, in: space.pid)
      }
      space.saw([.read, .write], at: page, image: image)
      changes += space.images[image].changes(in: page..<page + WatchedImage.pageSize)
    }
    return apply(changes, tid)
  }

  /// What is to be changed behind a call that has changed what is mapped.
  private func changes(
    behind call: ctrace_call?, _ result: Int64, _ tid: pid_t, _ space: WatchedMemory
  ) -> [WatchedImage.Change] {
    guard let call else {  // exec, which began in another program
      unblockFaults(tid)
      return refresh(space)
    }
    guard result >= 0 || result < -4095 else { return [] }
    let (first, second, third, fourth) = (
      call.arguments.0, call.arguments.1, call.arguments.2, call.arguments.3
    )
    let (end, overflow) = first.addingReportingOverflow(second)
    let range = overflow ? first..<first : first..<end
    switch Int(call.number) {
    case CTRACE_SIGPROCMASK, CTRACE_SIGRETURN: unblockFaults(tid)
    case CTRACE_MUNMAP, CTRACE_MREMAP: space.unmapped(range)
    case CTRACE_MPROTECT, CTRACE_PKEY_MPROTECT:
      return space.protected(
        range, WatchedImage.Protection(rawValue: UInt32(truncatingIfNeeded: third)))
    case CTRACE_MMAP:
      if fourth & UInt64(CTRACE_MAP_FIXED) != 0 { space.unmapped(range) }
      let isOfFile = fourth & UInt64(CTRACE_MAP_ANONYMOUS) == 0
      if isOfFile, third & UInt64(CTRACE_EXECUTE) != 0 { return refresh(space) }
    default: break
    }
    return []
  }

  private func refresh(_ space: WatchedMemory) -> [WatchedImage.Change] {
    guard space.callInstruction != nil else {
      problem = problem ?? .refused(errno: ENOSYS)
      return []
    }
    let program = touches.program
    let (new, changes) = space.refresh { path in
      path == program || request.images?.contains(path) ?? true
    }
    for image in new {
      touches.imageLoaded(image.path, at: image.addresses, in: space.pid)
      switch request.stop {
      case .instruction(let path, let distance) where path == image.path:
        space.plant(image.addresses.lowerBound &+ distance)
      case .mark:
        if let distance = images.mark(in: image.path) {
          space.plant(image.addresses.lowerBound &+ distance)
        }
      default: break
      }
    }
    return changes
  }
}

// MARK: Faults and breakpoints

extension PageTouchTracer {
  private func faulted(_ tid: pid_t) {
    var address: UInt64 = 0
    var instruction: UInt64 = 0
    guard let space = threads[tid]?.space, ctrace_denied_access(tid, &address),
      ctrace_program_counter(tid, &instruction) == 0
    else { return deliver(SIGSEGV, to: tid) }
    // Another thread's stop was handled between this thread's fault and now.
    if space.isReleased {
      if threads[tid]?.lastFault?.instruction == instruction { return deliver(SIGSEGV, to: tid) }
      threads[tid]?.lastFault = Fault(
        instruction: instruction, page: address, seen: [], touch: nil)
      return resume(tid)
    }
    if isOver { return resume(tid) }
    if case .instruction = request.stop, address == instruction, space.hasBreakpoint(at: address) {
      return stop(tid)  // The function where the launch ends does not count.
    }
    guard let image = space.image(holding: address),
      let page = touch(address, by: instruction, tid, space, image)
    else { return deliver(SIGSEGV, to: tid) }
    var changes = space.images[image].changes(in: page..<page + WatchedImage.pageSize)
    let isFirst = space.images[image].state(of: page)?.seen.contains(.execute) ?? false
    if isFirst, !space.images[image].hasBegun { changes = space.begin(image) }
    guard apply(changes, tid) else { return }
    resume(tid)
  }

  /// Notes what an instruction was denied.
  ///
  /// - Returns: the page, to be given what was seen of it; `nil` if the program has no right to do that.
  private func touch(
    _ address: UInt64, by instruction: UInt64, _ tid: pid_t, _ space: WatchedMemory, _ image: Int
  ) -> UInt64? {
    let page = address & ~(WatchedImage.pageSize - 1)
    guard let (byRight, seen) = space.images[image].state(of: page) else { return nil }
    let last = threads[tid]?.lastFault
    func goesOn(_ seen: WatchedImage.Protection, _ touch: PageTouches.Touch?) -> UInt64 {
      threads[tid]?.lastFault = Fault(
        instruction: instruction, page: page, seen: seen, touch: touch)
      return page
    }
    func note(_ access: Access, _ kind: WatchedImage.Protection) -> UInt64 {
      space.saw(kind, at: page, image: image)
      let touch = touches.touched(page, access, by: instruction, in: space.pid)
      return goesOn(seen.union(kind), access == .execute ? nil : touch)
    }
    // The instruction is on this page, or goes on there: it is at most 15 bytes long.
    let isFetched =
      instruction <= address && address - instruction < 15
      && (address == instruction || address == page)
    if isFetched, byRight.contains(.execute), !seen.contains(.execute) {
      return note(.execute, .execute)
    }
    if byRight.contains(.read), !space.images[image].hasBegun || !seen.isEmpty {
      // It can be read by now, because another thread was first; or it is to be written.
      guard let last, last.instruction == instruction, last.page == page else {
        return goesOn(seen, nil)
      }
      // The instruction came back from a page that it could read: it writes.
      guard byRight.contains(.write), !seen.contains(.write) else {
        if let touch = last.touch { touches.withdraw(touch) }
        // Between the fault and now another thread may have been given what this one wants.
        return last.seen == seen ? nil : goesOn(seen, nil)
      }
      withdrawReads(by: instruction, of: page, in: space, but: tid)
      guard let touch = last.touch else { return note(.write, .write) }
      touches.becameWrite(touch)
      space.saw(.write, at: page, image: image)
      return goesOn(seen.union(.write), nil)
    }
    return byRight.contains(.read) ? note(.read, .read) : nil
  }

  /// Other threads came to the same instruction, found the page unreadable, and are about to write it with the right
  /// that one of them is given now.
  private func withdrawReads(
    by instruction: UInt64, of page: UInt64, in space: WatchedMemory, but tid: pid_t
  ) {
    for other in threads.keys.sorted() where other != tid && threads[other]?.space === space {
      guard let fault = threads[other]?.lastFault, let touch = fault.touch,
        fault.instruction == instruction, fault.page == page
      else { continue }
      touches.withdraw(touch)
      threads[other]?.lastFault?.touch = nil
    }
  }

  private func trapped(_ tid: pid_t) {
    guard let thread = threads[tid] else { return resume(tid, signal: SIGTRAP) }
    let space = thread.space
    var counter: UInt64 = 0
    guard ctrace_program_counter(tid, &counter) == 0 else { return }  // it has been killed
    let address = counter &- UInt64(CTRACE_BREAKPOINT_ADVANCE)
    let isBreakpoint = ctrace_is_at_breakpoint(tid)
    if let stepped = thread.steppedOver, !isBreakpoint {
      threads[tid]?.steppedOver = nil
      if !space.isReleased { space.plantAgain(stepped) }
      return resume(tid)
    }
    if thread.entersHandler, !isBreakpoint {
      threads[tid]?.entersHandler = false
      unblockFaults(tid)
      return resume(tid)
    }
    guard isBreakpoint, space.hasBreakpoint(at: address) else {
      return deliver(SIGTRAP, to: tid)
    }
    _ = ctrace_set_program_counter(tid, address)
    if case .mark(let name) = request.stop, !isMark(name, of: tid, space) {
      space.expose(address)
      threads[tid]?.steppedOver = address
      return goOn(tid)
    }
    stop(tid)
  }

  /// A thread came to where the launch ends.
  private func stop(_ tid: pid_t) {
    isOver = true
    wasStopped = true
    resume(tid)
  }

  /// Whether a thread that begins a mark says that one.
  private func isMark(_ name: String, of tid: pid_t, _ space: WatchedMemory) -> Bool {
    var address: UInt64 = 0
    guard ctrace_first_argument(tid, &address) == 0 else { return false }
    let wanted = Array(name.utf8) + [0]
    let size = min(UInt64(wanted.count), .max - address)
    return space.memory.read(address..<address + size) == wanted
  }
}
