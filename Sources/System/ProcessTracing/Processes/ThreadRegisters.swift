import Addresses
import CPtrace
import LibC

/// Addresses in the registers of a thread that has stopped.
enum ThreadRegisters {
  /// The address of the instruction at which thread `tid` continues; `nil` if it has been killed.
  static func programCounter(of tid: pid_t) -> LoadedAddress? {
    var address: UInt64 = 0
    return ctrace_program_counter(tid, &address) == 0 ? LoadedAddress(rawValue: address) : nil
  }

  static func setProgramCounter(of tid: pid_t, to address: LoadedAddress) {
    _ = ctrace_set_program_counter(tid, address.rawValue)
  }

  /// The address of the breakpoint at which a thread with this program counter has stopped.
  static func breakpoint(before counter: LoadedAddress) -> LoadedAddress {
    LoadedAddress(rawValue: counter.rawValue &- UInt64(CTRACE_BREAKPOINT_ADVANCE))
  }

  /// The first argument of a function, an address, for a thread that has stopped at the function's
  /// first instruction; `nil` if the thread has been killed.
  static func firstArgument(of tid: pid_t) -> LoadedAddress? {
    // On AArch64 the top byte may be a tag, which /proc/PID/mem does not accept.
    argument(0, of: tid).map { LoadedAddress(rawValue: $0 & ~(0xff << 56)) }
  }

  /// The argument `index`, 0 to 2, of a function.
  static func argument(_ index: Int, of tid: pid_t) -> UInt64? {
    var value: UInt64 = 0
    return ctrace_argument(tid, Int32(index), &value) == 0 ? value : nil
  }

  static func setArgument(_ index: Int, of tid: pid_t, to value: UInt64) {
    _ = ctrace_set_argument(tid, Int32(index), value)
  }

  /// The address to which a mapped page denied access, for a thread that has stopped at SIGSEGV; `nil` if no page did.
  static func deniedAccess(of tid: pid_t) -> LoadedAddress? {
    var address: UInt64 = 0
    return ctrace_denied_access(tid, &address) ? LoadedAddress(rawValue: address) : nil
  }
}
