// Errors of any launch.

import ImageModel
import ProcessLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension ProgramLaunch.LaunchError {
  var isNotPermitted: Bool { errno == EPERM }
}

extension Diagnostic {
  static func notTraceable(_ program: String) -> Diagnostic {
    Diagnostic(
      "unable to trace: ptrace is not permitted here", context: [program],
      hint: "allow it: sysctl kernel.yama.ptrace_scope=1, or docker run --cap-add=SYS_PTRACE")
  }

  static func looksForLeaks(_ program: String) -> Diagnostic {
    Diagnostic(
      "unable to trace: at its end LeakSanitizer traces the program itself", context: [program],
      hint: "use a build without it, or set ASAN_OPTIONS=detect_leaks=0")
  }

  /// - Parameter timeout: in seconds.
  static func ranTooLong(_ program: String, _ timeout: Double?) -> Diagnostic {
    Diagnostic(
      "the program ran longer than \(timeout ?? 0) s and was ended", context: [program])
  }
}
