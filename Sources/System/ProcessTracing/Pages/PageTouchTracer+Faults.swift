// First touches of pages, and the breakpoint where counting ends.

import Addresses
import CPtrace
import ImageModel
import LibC

extension PageTouchTracer {
  func faulted(_ tid: pid_t) {
    guard let space = threads[tid]?.space, let address = ThreadRegisters.deniedAccess(of: tid),
      let instruction = ThreadRegisters.programCounter(of: tid)
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
      return stop(tid)  // The touch by the function where the launch ends does not count.
    }
    guard let image = space.image(holding: address),
      let page = touch(address, by: instruction, tid, space, image)
    else { return deliver(SIGSEGV, to: tid) }
    var changes = space.images[image].changes(in: page)
    let isFirst = space.images[image].state(of: page.lowerBound)?.seen.contains(.execute) ?? false
    if isFirst, !space.images[image].hasBegun {
      if isBeginning(space.images[image]) { return end(tid) }
      changes = space.begin(image)
    }
    guard apply(changes, tid) else { return }
    resume(tid)
  }

  /// Whether the launch is watched up to the first instruction of this image.
  private func isBeginning(_ image: WatchedImage) -> Bool {
    guard case .beginning = request.stop else { return false }
    return image.path == touches.program
  }

  /// Kills the program: the launch was only for its loading.
  private func end(_ tid: pid_t) {
    wasStopped = true
    isOver = true
    if let space = threads[tid]?.space { _ = kill(space.pid, SIGKILL) }
  }

  /// Records an access that an instruction was denied.
  ///
  /// - Returns: the page, to which the access must be restored; `nil` if the program has no right to the access.
  private func touch(
    _ address: LoadedAddress, by instruction: LoadedAddress, _ tid: pid_t, _ space: WatchedMemory,
    _ image: Int
  ) -> Range<LoadedAddress>? {
    let addresses = MemoryPage.page(holding: address)
    let page = addresses.lowerBound
    guard let (byRight, seen) = space.images[image].state(of: page) else { return nil }
    let last = threads[tid]?.lastFault
    func goesOn(
      _ seen: WatchedImage.Protection, _ touch: PageTouches.Touch?
    ) -> Range<LoadedAddress> {
      threads[tid]?.lastFault = Fault(
        instruction: instruction, page: page, seen: seen, touch: touch)
      return addresses
    }
    func note(_ access: Access, _ kind: WatchedImage.Protection) -> Range<LoadedAddress> {
      space.saw(kind, at: page, image: image)
      let touch = touches.touched(
        address, access, by: instruction, in: space.pid,
        isLoading: access != .execute && space.images[image].isLoading)
      return goesOn(seen.union(kind), access == .execute ? nil : touch)
    }
    // The instruction is on this page, or extends to it: it is at most 15 bytes long.
    let isFetched =
      instruction <= address && address - instruction < 15
      && (address == instruction || address == page)
    if isFetched, byRight.contains(.execute), !seen.contains(.execute) {
      return note(.execute, .execute)
    }
    if byRight.contains(.read), !space.images[image].withholdsData || !seen.isEmpty {
      // The page is readable by now, because another thread touched it first; or the instruction will write it.
      guard let last, last.instruction == instruction, last.page == page else {
        return goesOn(seen, nil)
      }
      // The instruction faulted again on a page that it could read: it writes.
      guard byRight.contains(.write), !seen.contains(.write) else {
        if let touch = last.touch { touches.withdraw(touch) }
        // If another thread was meanwhile given the access that this thread needs, the page is not changed.
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

  /// Withdraws the reads of other threads that have reached the same instruction and found the page unreadable. They
  /// will write the page, with the access that it is given now.
  private func withdrawReads(
    by instruction: LoadedAddress, of page: LoadedAddress, in space: WatchedMemory, but tid: pid_t
  ) {
    for other in threads.numbers where other != tid && threads[other]?.space === space {
      guard let fault = threads[other]?.lastFault, let touch = fault.touch,
        fault.instruction == instruction, fault.page == page
      else { continue }
      touches.withdraw(touch)
      threads[other]?.lastFault?.touch = nil
    }
  }

  func trapped(_ tid: pid_t) {
    guard let thread = threads[tid] else { return resume(tid, signal: SIGTRAP) }
    let space = thread.space
    guard let counter = ThreadRegisters.programCounter(of: tid) else { return }
    let address = ThreadRegisters.breakpoint(before: counter)
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
    ThreadRegisters.setProgramCounter(of: tid, to: address)
    if case .mark(let name) = request.stop, !isMark(name, of: tid, space) {
      space.expose(address)
      threads[tid]?.steppedOver = address
      return goOn(tid)
    }
    stop(tid)
  }

  /// A thread has reached the place where counting ends.
  private func stop(_ tid: pid_t) {
    isOver = true
    wasStopped = true
    resume(tid)
  }

  /// Whether a thread at the start of a mark names that mark.
  private func isMark(_ name: String, of tid: pid_t, _ space: WatchedMemory) -> Bool {
    guard let address = ThreadRegisters.firstArgument(of: tid) else { return false }
    let wanted = Array(name.utf8) + [0]
    return space.memory.read(wanted.count, at: address) == wanted
  }
}
