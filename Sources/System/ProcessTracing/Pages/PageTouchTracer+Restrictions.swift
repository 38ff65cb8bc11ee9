// Actions of a program, and restrictions on it, after which access to its pages can't be withheld.

import Addresses
import CPtrace
import LibC
import ProcessLaunch

extension PageTouchTracer {
  /// Returns why access to pages can't be withheld after `call`; `nil` if it can. A filter at address 0 restricts
  /// nothing: the kernel refuses it, and programs use it to test whether filters are supported.
  static func restriction(
    by call: ctrace_call, of tid: pid_t, _ memory: ProcessMemory
  ) -> PageProblem? {
    let isFilter: Bool
    switch Int(call.number) {
    case CTRACE_MSEAL: return .refused(errno: EPERM)
    case CTRACE_PRCTL where call.arguments.0 == UInt64(CTRACE_SET_MDWE):
      return call.arguments.1 & 1 == 1 ? .refused(errno: EACCES) : nil
    case CTRACE_PRCTL where call.arguments.0 == UInt64(CTRACE_SET_DISPATCH):
      return call.arguments.1 != 0 && !ctrace_can_suspend_dispatch(tid) ? .dispatched : nil
    case CTRACE_SECCOMP where call.arguments.0 == 0: isFilter = false  // SECCOMP_SET_MODE_STRICT
    case CTRACE_SECCOMP where call.arguments.0 == 1: isFilter = true  // SECCOMP_SET_MODE_FILTER
    case CTRACE_PRCTL where call.arguments.0 == UInt64(CTRACE_SET_SECCOMP):
      isFilter = call.arguments.1 == 2  // SECCOMP_MODE_FILTER
    default: return nil
    }
    let size = 16  // of struct sock_fprog
    let filter = LoadedAddress(rawValue: call.arguments.2)
    return !isFilter || memory.read(size, at: filter).count == size ? .seccomp : nil
  }

  /// Notes that access to the pages of this process can't be withheld from now on.
  func restrict(_ space: WatchedMemory, _ restriction: PageProblem) {
    space.restriction = space.restriction ?? restriction
    guard space.hasWatchedImages else { return }
    problem = problem ?? restriction
    isOver = true
  }

  /// Finds out whether a process that begins a program is restricted. Seccomp filters and the refusal of new code
  /// (PR_SET_MDWE) outlast exec.
  ///
  /// - Returns: false if the thread has ended.
  func findRestriction(of tid: pid_t, _ space: WatchedMemory) -> Bool {
    if ProcessRestrictions.hasFilterOfItsOwn(tid) {
      space.restriction = .seccomp
      // The filter may end a process that is made to call prctl(2).
      space.memory.mayPermitAccess = false
      return true
    }
    guard let instruction = space.callInstruction?.rawValue else { return true }
    var isForbidden = false
    var status: Int32 = 0
    let failure = ctrace_forbids_execution(tid, instruction, &isForbidden, &status)
    if failure != 0, ThreadStop.isEnd(status) {
      files.ends.append((tid, status))
      return false
    }
    if isForbidden { space.restriction = .refused(errno: EACCES) }
    return true
  }
}
