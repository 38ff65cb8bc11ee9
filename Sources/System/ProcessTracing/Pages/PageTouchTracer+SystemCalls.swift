// System calls: the pages that the kernel will use, and changes of mappings.

import Addresses
import CPtrace
import ImageModel
import LibC
import ProcessLaunch

extension PageTouchTracer {
  func atSystemCall(_ tid: pid_t) {
    var call = ctrace_call()
    guard let space = threads[tid]?.space, ctrace_call_at(tid, &call) == 0, !isOver else {
      return resume(tid)
    }
    if call.place == Int32(CTRACE_ENTRY) {
      threads[tid]?.call = call
      if call.is_native {
        switch Int(call.number) {
        case CTRACE_CLONE_CALL: UntracedChildren.trace(tid, flags: 0)
        case CTRACE_CLONE3_CALL: UntracedChildren.trace(tid, flagsAt: 0, space.memory)
        default: break
        }
      }
      if !call.is_native {
        threads[tid]?.isCallUnknown = true  // an injected call would also be a 32-bit call
      } else if handsOver(to: call, by: tid) {
        return
      } else if let restriction = Self.restriction(by: call, of: tid, space.memory) {
        restrict(space, restriction)
      } else if !giveToKernel(call, tid, space) {
        return
      } else if call.number == Int64(CTRACE_SIGPROCMASK) {
        blockFaults(tid)
      }
    } else {
      let begun = threads[tid]?.call
      threads[tid]?.call = nil
      if call.result == -Int64(EFAULT), threads[tid]?.isCallUnknown ?? false, let begun {
        return repeatCall(begun, tid, space)
      }
      guard let changes = changes(behind: begun, call.result, tid, space), apply(changes, tid)
      else { return }
    }
    resume(tid)
  }

  /// Restores access to the pages that the kernel will use.
  ///
  /// - Returns: false if the thread has ended.
  private func giveToKernel(_ call: ctrace_call, _ tid: pid_t, _ space: WatchedMemory) -> Bool {
    guard space.hasWatchedImages, !space.isReleased else { return true }
    guard space.memory.isOpen else {
      problem = problem ?? .inaccessible
      isOver = true
      return true
    }
    let (ranges, knowledge) = space.memory.rangesUsed(by: call)
    let pages = space.withheldPages(in: ranges)
    var changes: [WatchedImage.Change] = []
    if call.number == Int64(CTRACE_MREMAP) {
      let start = LoadedAddress(rawValue: call.arguments.0)
      changes += space.release(start..<(start.advanced(by: call.arguments.1) ?? start))
    }
    for (image, address) in pages {
      let page = MemoryPage.page(holding: address).lowerBound
      if space.images[image].state(of: page)?.seen.isEmpty ?? false {
        let instruction = LoadedAddress(rawValue: call.counter &- UInt64(CTRACE_CALL_SIZE))
        touches.touched(
          address, .kernel, by: instruction, in: space.pid,
          isLoading: space.images[image].isLoading)
      }
      space.saw([.read, .write], at: page, image: image)
      changes += space.images[image].changes(in: MemoryPage.page(holding: page))
    }
    threads[tid]?.isCallUnknown = knowledge == CTRACE_UNKNOWN
    if knowledge == CTRACE_LATER { changes += releaseData(for: call, space) }
    return apply(changes, tid)
  }

  /// Repeats a call that failed, perhaps at a withheld page. From now on, reads and writes are not
  /// withheld.
  private func repeatCall(_ call: ctrace_call, _ tid: pid_t, _ space: WatchedMemory) {
    threads[tid]?.isCallUnknown = false
    let changes = releaseData(for: call, space)
    guard apply(changes, tid) else { return }
    var call = call
    if !changes.isEmpty { _ = ctrace_call_again(tid, &call) }
    resume(tid)
  }

  private func releaseData(
    for call: ctrace_call, _ space: WatchedMemory
  ) -> [WatchedImage.Change] {
    let changes = space.releaseData()
    if !changes.isEmpty, unknownCall == nil { unknownCall = Int(clamping: call.number) }
    return changes
  }

  /// Returns the changes of protection needed after a call that has changed mappings; `nil` if the thread has ended.
  private func changes(
    behind call: ctrace_call?, _ result: Int64, _ tid: pid_t, _ space: WatchedMemory
  ) -> [WatchedImage.Change]? {
    guard call?.is_native ?? true else { return [] }
    guard let call else {  // the call is exec, which began in another program
      unblockFaults(tid)
      guard findRestriction(of: tid, space) else { return nil }
      let changes = refresh(space)
      noteTouchesByExec(space)
      return changes
    }
    // rt_sigreturn returns the result of the interrupted call.
    if call.number == Int64(CTRACE_SIGRETURN) {
      returnedFromHandler(tid)
      threads[tid]?.handlerTime.end = ClockReading.now().nanoseconds
      return []
    }
    guard result >= 0 || result < -4095 else { return [] }
    let (first, third, fourth) = (
      LoadedAddress(rawValue: call.arguments.0), call.arguments.2, call.arguments.3
    )
    let range = first..<(first.advanced(by: call.arguments.1) ?? first)
    switch Int(call.number) {
    case CTRACE_SIGPROCMASK:
      unblockFaults(tid)
      threads[tid]?.blocksFaultsAfterHandler = false
    case CTRACE_SIGPENDING: addHeldFault(tid, first, space)
    case CTRACE_MUNMAP: space.unmapped(range)
    case CTRACE_MREMAP:
      let new = LoadedAddress(rawValue: UInt64(bitPattern: result))
      space.moved(range, to: new..<(new.advanced(by: third) ?? new), flags: fourth)
    case CTRACE_MPROTECT, CTRACE_PKEY_MPROTECT:
      return space.protected(
        range, WatchedImage.Protection(rawValue: UInt32(truncatingIfNeeded: third)))
    case CTRACE_MMAP:
      if fourth & UInt64(CTRACE_MAP_FIXED) != 0 { space.unmapped(range) }
      let isOfFile = fourth & UInt64(CTRACE_MAP_ANONYMOUS) == 0
      if isOfFile, request.countsLoading || third & UInt64(CTRACE_EXECUTE) != 0 {
        return refresh(space)
      }
    default: break
    }
    return []
  }

  /// Records the pages that the kernel copied for the process during exec, because it clears the rest of the page where
  /// the initialized variables end.
  private func noteTouchesByExec(_ space: WatchedMemory) {
    guard request.countsLoading else { return }
    for image in space.images where image.isWatched {
      for page in space.memory.privatePages(in: image.addresses)
      where image.state(of: page)?.byRight.contains(.write) ?? false {
        touches.touched(page, .kernel, by: nil, in: space.pid, isLoading: true)
      }
    }
  }

  private func refresh(_ space: WatchedMemory) -> [WatchedImage.Change] {
    guard space.memory.isOpen, space.memory.mappings != nil else {
      touches.isInaccessible(space.pid)
      return []
    }
    guard space.callInstruction != nil else {
      problem = problem ?? .refused(errno: ENOSYS)
      return []
    }
    let program = touches.program
    let (new, changes) = space.refresh(watchesLoading: request.countsLoading) { mapping in
      let (path, isThere) = files.place(of: mapping)
      let isWanted = path == program || request.images?.contains(path) ?? true
      if isWanted, !isThere { touches.isOther(path) }
      guard isWanted, isThere else { return (false, isThere) }
      if let restriction = space.restriction {
        problem = problem ?? restriction
        isOver = true
      }
      return (space.restriction == nil, true)
    }
    for image in new {
      let id = space.memory.imageID(at: image.addresses.lowerBound)
      let build = ImageInMemory(
        path: image.path, file: image.file, id: id.bytes, isWeak: id.isWeak)
      touches.imageLoaded(build, at: image.addresses, in: space.pid)
      guard image.isAtItsPath else { continue }
      switch request.stop {
      case .instruction(let known, let instruction) where build.isBuild(known):
        if let address = instruction.loaded(from: image.addresses.lowerBound) {
          space.plant(address)
        }
      case .mark:
        if let address = images.mark(in: image.path)?.loaded(from: image.addresses.lowerBound) {
          space.plant(address)
        }
      default: break
      }
    }
    return changes
  }
}
