// Stops at breakpoints, and at the system calls of a program that begins.

import Addresses
import CPtrace
import LibC

extension BreakpointTracer {
  func atSystemCall(_ tid: pid_t) {
    guard let space = threads[tid]?.space else { return }
    var call = ctrace_call()
    guard ctrace_call_at(tid, &call) == 0 else { return }
    space.isAt(LoadedAddress(rawValue: call.counter))
    if call.place == Int32(CTRACE_ENTRY) {
      let isMapping = [
        CTRACE_MMAP, CTRACE_MUNMAP, CTRACE_MREMAP, CTRACE_MPROTECT, CTRACE_PKEY_MPROTECT,
      ].contains(Int(call.number))
      threads[tid]?.changesMappings = isMapping || !call.is_native
    } else if threads[tid]?.changesMappings ?? false {
      threads[tid]?.changesMappings = false
      refresh(space)
    }
  }

  func trapped(_ tid: pid_t) {
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
    if isBreakpoint, !space.memory.isAccessible {
      observer.isInaccessible(space.pid, hasBreakpoints: true)
      ThreadRegisters.setProgramCounter(of: tid, to: address)
      ended(tid)
      _ = ctrace_detach(tid, SIGTRAP)
      return
    }
    guard isBreakpoint,
      let stop = space.takeBreakpoint(at: address) ?? copied(at: address, tid, space)
    else {
      threads[tid]?.entersHandler = true
      _ = ctrace_step(tid, SIGTRAP)
      return
    }
    ThreadRegisters.setProgramCounter(of: tid, to: address)
    blockTrapAgain(tid, space)
    // The images that the loader has mapped are reported before the hit.
    if stop.purpose == .entry { refresh(space) }
    if stop.isEnd {
      end(by: .function)
    } else if let hit = stop.firstHit, !isOver {
      observer.firstHit(hit.function, of: hit.image, in: space.pid, thread: tid)
    }
    switch stop.purpose {
    case .function, .copy: break
    case .entry: space.endStart()
    case .loaderNotice:
      refresh(space)
      stepOver(address, tid, space)
    case .mark:
      hear(markOf: tid, space)
      stepOver(address, tid, space)
    case .clone:
      UntracedChildren.trace(tid, flags: 2)
      stepOver(address, tid, space)
    case .traceRequest:
      stepOver(address, tid, space)
      if handsOver(tid, requestAt: 0) { return }
    case .systemCall:
      switch ThreadRegisters.argument(0, of: tid) {
      case UInt64(CTRACE_CLONE_CALL): UntracedChildren.trace(tid, flags: 1)
      case UInt64(CTRACE_CLONE3_CALL): UntracedChildren.trace(tid, flagsAt: 1, space.memory)
      default: break
      }
      stepOver(address, tid, space)
      if ThreadRegisters.argument(0, of: tid) == UInt64(CTRACE_PTRACE),
        handsOver(tid, requestAt: 1)
      {
        return
      }
    }
    resume(tid)
  }

  /// Takes a breakpoint in a copy of code. More bytes must match in a program that handles SIGTRAP,
  /// because the breakpoint may be the program's own.
  private func copied(
    at address: LoadedAddress, _ tid: pid_t, _ space: AddressSpace
  ) -> AddressSpace.Stop? {
    space.takeCopy(at: address, least: ProcessSignals.areCaught(SIGTRAP, by: tid) ? 8 : 2)
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

  /// The maximum length of a mark's name in bytes, as in the recorder.
  private static let longestMark = 255

  private func blockTrapAgain(_ tid: pid_t, _ space: AddressSpace) {
    var mask: UInt64 = 0
    guard ctrace_blocked_signals(tid, &mask) == 0, mask & trapBit == 0 else { return }
    // Signals 32 and 33 belong to the C library; SIGKILL and SIGSTOP can't be blocked.
    let never: UInt64 = 3 << 31 | 1 << UInt64(SIGKILL - 1) | 1 << UInt64(SIGSTOP - 1)
    let blocksAllOthers = ~(mask | never | trapBit) == 0
    if space.blocksTrap || blocksAllOthers { _ = ctrace_block_signals(tid, mask | trapBit) }
  }
}
