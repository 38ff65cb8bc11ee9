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
  /// The reason why the seen pages are not all that were touched.
  ///
  /// - Parameter tracingHint: what to do about touches that only a tracer sees; `nil` if nothing can be done.
  static func inexact(
    _ program: String, _ problem: PageProblem, tracingHint: @autoclosure () -> String?
  ) -> Diagnostic {
    func because(_ error: Int32) -> String { String(cString: strerror(error)) }
    return switch problem {
    case .nothingLoaded:
      Diagnostic(
        "no pages were seen: the program did not load the library that sees them",
        context: [program], hint: tracingHint())
    case .noDispatch(let error):
      Diagnostic(
        "no pages were seen: this kernel can't intercept a program's own system calls: \(because(error))",
        context: [program], hint: tracingHint())
    case .refused(let error):
      Diagnostic(
        "unable to change the protection of a page: \(because(error))", context: [program],
        hint: error == ENOMEM
          ? "allow more mappings: sysctl vm.max_map_count=1000000; or count fewer images"
          : "stop before the program restricts itself, with --stop-at or --stop-at-symbol")
    case .seccomp:
      Diagnostic(
        "the program's seccomp filter forbids system calls that restoring access to pages needs",
        context: [program], hint: "stop before that, with --stop-at or --stop-at-symbol")
    case .inaccessible:
      Diagnostic(
        "the memory of a process of the launch can't be accessed: it has changed its user, or forbids that (PR_SET_DUMPABLE)",
        context: [program],
        hint:
          "stop before that, with --stop-at or --stop-at-symbol, or count as root with CAP_SYS_PTRACE"
      )
    case .dispatched:
      Diagnostic(
        "the program intercepts its own system calls", context: [program],
        hint: tracingHint())
    case .traced:
      Diagnostic(
        "another process, such as a debugger, traces the program: its pages can't be seen",
        context: [program], hint: "launch it without the debugger")
    case .foreignCall:
      Diagnostic(
        "the program makes system calls of 32 bits (int $0x80)", context: [program],
        hint: tracingHint())
    case .tracerKilled:
      Diagnostic("the tracer was killed", context: [program])
    case .lost(let count):
      Diagnostic(
        "\(counted(count, "touch", "touches")) lost: no room left", context: [program],
        hint: "count fewer images")
    }
  }
}
