import ImageModel
import ProcessLaunch
import ProcessTracing
import Reporting

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Diagnostic {
  /// Why the pages that were seen are not all that were touched.
  static func inexact(
    _ program: String, _ problem: PageProblem, _ end: ProgramLaunch.End
  ) -> Diagnostic {
    func because(_ error: Int32) -> String { String(cString: strerror(error)) }
    return switch problem {
    case .nothingLoaded:
      Diagnostic(
        "no pages were seen: the program did not load the library that sees them",
        context: [program], hint: "try --method ptrace")
    case .noDispatch(let error):
      Diagnostic(
        "no pages were seen: this kernel does not stop system calls for a program: \(because(error))",
        context: [program], hint: "try --method ptrace")
    case .refused(let error):
      Diagnostic(
        "unable to change the protection of a page: \(because(error))", context: [program],
        hint: error == ENOMEM
          ? "more mappings: sysctl vm.max_map_count=1000000; or fewer images"
          : "end the launch before the program restricts itself, by --stop-at or --stop-at-symbol")
    case .seccomp:
      Diagnostic(
        "the program forbids itself system calls that giving back pages needs (seccomp)",
        context: [program], hint: "end the launch before, by --stop-at or --stop-at-symbol")
    case .dispatched:
      Diagnostic(
        "the program has its own system calls stopped", context: [program],
        hint: "try --method ptrace")
    case .traced:
      Diagnostic(
        "another process traces the program, as debuggers do: its pages can't be seen",
        context: [program], hint: "launch it without the debugger")
    case .tracerKilled:
      Diagnostic("the process that traces was killed", context: [program])
    case .lost(let count):
      Diagnostic(
        "\(counted(count, "touch", "touches")) found no room", context: [program],
        hint: "count fewer images")
    }
  }
}
