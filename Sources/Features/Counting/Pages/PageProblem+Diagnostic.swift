import ImageModel
import LibC
import ProcessLaunch
import ProcessTracing
import Rendering

extension Remedy {
  /// - Parameter verb: the verb of the remedy, such as `try`.
  static func ptrace(_ verb: String) -> Remedy {
    Remedy("\(verb) --method ptrace", option: "--method")
  }

  /// - Parameter event: the event before which the launch has to end for an exact count.
  fileprivate static func stopping(_ event: String) -> Remedy {
    Remedy("stop before \(event), with --stop-at or --stop-at-symbol", option: "--stop-at")
  }
}

extension Diagnostic {
  /// Returns the error that says why touched pages are missing from the count.
  ///
  /// - Parameter remedy: what to do about touches that only a tracer sees; `nil` if nothing can be done.
  static func inexact(
    _ program: String, _ problem: PageProblem, remedy: @autoclosure () -> Remedy?
  ) -> Diagnostic {
    func because(_ error: Int32) -> String { errorText(error) }
    return switch problem {
    case .nothingLoaded:
      Diagnostic(
        "no pages were counted: the program did not load the library that counts them",
        context: [program], remedies: [remedy()].compactMap { $0 })
    case .noDispatch(let error):
      Diagnostic(
        "no pages were counted: this kernel can't intercept a program's own system calls: \(because(error))",
        context: [program], remedies: [remedy()].compactMap { $0 })
    case .refused(let error):
      Diagnostic(
        "unable to change the protection of a page: \(because(error))", context: [program],
        remedies: error == ENOMEM
          ? [
            Remedy("allow more mappings: sysctl vm.max_map_count=1000000"),
            Remedy("count fewer images"),
          ] : [.stopping("the program restricts itself")])
    case .seccomp:
      Diagnostic(
        "the program's seccomp filter forbids system calls that are needed to restore access to pages",
        context: [program], remedies: [.stopping("the program sets the filter")])
    case .inaccessible:
      Diagnostic(
        "the memory of a process of the launch can't be accessed: it has changed its user, or forbids access (PR_SET_DUMPABLE)",
        context: [program],
        remedies: [.stopping("the process does this"), Remedy("count as root with CAP_SYS_PTRACE")])
    case .dispatched:
      Diagnostic(
        "the program intercepts its own system calls", context: [program],
        remedies: [remedy()].compactMap { $0 })
    case .traced:
      Diagnostic(
        "another process, such as a debugger, traces the program, so its pages can't be counted",
        context: [program], hint: "launch the program without the debugger")
    case .foreignCall:
      Diagnostic(
        "the program makes system calls of 32 bits (int $0x80)", context: [program],
        remedies: [remedy()].compactMap { $0 })
    case .tracerKilled:
      Diagnostic("the tracer was killed", context: [program])
    case .lost(let count):
      Diagnostic(
        "\(counted(count, "touch", "touches")) lost: no room left", context: [program],
        hint: "count fewer images")
    }
  }
}
