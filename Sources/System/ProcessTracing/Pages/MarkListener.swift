import CPages
import CPtrace
import LibC
import ProcessLaunch

/// Shows whether a launched program has come to a mark. The program must have the page tracer's library, which then
/// watches no page.
package final class MarkListener {
  private let trace: OpaquePointer
  private let descriptor: Int32

  /// - Parameter stopsProcess: whether the process stops at the mark, until `whileStopped` returns.
  /// - Throws: also `ENAMETOOLONG` if the mark's name is too long.
  package init(_ mark: String, stopsProcess: Bool = false) throws(ProgramLaunch.LaunchError) {
    var trace: OpaquePointer?
    var descriptor: Int32 = -1
    let error = cpages_listen(mark, stopsProcess, &trace, &descriptor)
    guard error == 0, let trace else { throw ProgramLaunch.LaunchError(errno: error) }
    (self.trace, self.descriptor) = (trace, descriptor)
  }

  deinit { cpages_destroy(trace, descriptor) }

  /// The variable for the program's environment.
  package var variable: (name: String, value: String) {
    (ORDERFILE_PAGES_VARIABLE, "/proc/\(getpid())/fd/\(descriptor)")
  }

  package var isReached: Bool { cpages_was_stopped(trace) }

  /// Calls `body` while the process that came to the mark is stopped, and then lets the process continue.
  ///
  /// If a filter of the program refuses the signal, the process runs on while `body` is called.
  func whileStopped(_ body: () -> Void) {
    let process = pid_t(bitPattern: cpages_stopping_process(trace))
    // The signal takes microseconds. A thread that waits for a device takes longer, and touches nothing meanwhile.
    for _ in 0..<10_000 where process > 0 {
      let stops = pid_t(bitPattern: cpages_stopping_process(trace)) == process
      guard stops, !Self.isStopped(process) else { break }
      usleep(100)
    }
    body()
    if process > 0 { kill(process, SIGCONT) }
  }

  /// Whether all threads of a process are stopped, or the process is gone.
  private static func isStopped(_ process: pid_t) -> Bool {
    var threads = [pid_t](repeating: 0, count: 4096)
    let count = Int(ctrace_threads(process, &threads, Int32(threads.count)))
    return threads[..<count].allSatisfy { thread in
      ["T", "t", "X", "Z"].contains(ProcessStatus(of: thread)?["State"] ?? "X")
    }
  }
}
