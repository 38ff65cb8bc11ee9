import LibC
import ProcessLaunch

/// The restrictions of a process: operations that are not permitted to it.
enum ProcessRestrictions {
  /// Whether the process of thread `tid` has a seccomp filter that this process does not have. A system call that the
  /// tracer makes the thread perform may then fail, or end the process. The filters of a container do not count,
  /// because this process has them, too.
  static func hasFilterOfItsOwn(_ tid: pid_t) -> Bool {
    let status = ProcessStatus(of: tid)
    guard status?["Seccomp"] ?? "0" != "0" else { return false }
    return status?["Seccomp_filters"] != ownFilters
  }

  private static let ownFilters = ProcessStatus(of: getpid())?["Seccomp_filters"]
}
