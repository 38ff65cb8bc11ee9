import Addresses
import CPtrace

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Addresses in the registers of a thread that has stopped.
enum ThreadRegisters {
  /// Where thread `tid` goes on; `nil` if it has been killed.
  static func programCounter(of tid: pid_t) -> LoadedAddress? {
    var address: UInt64 = 0
    return ctrace_program_counter(tid, &address) == 0 ? LoadedAddress(rawValue: address) : nil
  }

  static func setProgramCounter(of tid: pid_t, to address: LoadedAddress) {
    _ = ctrace_set_program_counter(tid, address.rawValue)
  }

  /// Where the breakpoint is that a thread with this program counter has run into.
  static func breakpoint(before counter: LoadedAddress) -> LoadedAddress {
    LoadedAddress(rawValue: counter.rawValue &- UInt64(CTRACE_BREAKPOINT_ADVANCE))
  }

  /// What a function was called with, of a thread that has stopped at its first instruction; `nil` if it has
  /// been killed.
  static func firstArgument(of tid: pid_t) -> LoadedAddress? {
    var address: UInt64 = 0
    return ctrace_first_argument(tid, &address) == 0 ? LoadedAddress(rawValue: address) : nil
  }

  /// Of a thread that has stopped at SIGSEGV: where a page that is there denied it access; `nil` if none did.
  static func deniedAccess(of tid: pid_t) -> LoadedAddress? {
    var address: UInt64 = 0
    return ctrace_denied_access(tid, &address) ? LoadedAddress(rawValue: address) : nil
  }
}
