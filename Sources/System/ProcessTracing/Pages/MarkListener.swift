import CPages
import LibC
import ProcessLaunch

/// Shows whether a launched program has come to a mark. The program must have the page tracer's library, which then
/// watches no page.
package final class MarkListener {
  private let trace: OpaquePointer
  private let descriptor: Int32

  /// - Throws: also `ENAMETOOLONG` if the mark's name is too long.
  package init(_ mark: String) throws(ProgramLaunch.LaunchError) {
    var trace: OpaquePointer?
    var descriptor: Int32 = -1
    let error = cpages_listen(mark, &trace, &descriptor)
    guard error == 0, let trace else { throw ProgramLaunch.LaunchError(errno: error) }
    (self.trace, self.descriptor) = (trace, descriptor)
  }

  deinit { cpages_destroy(trace, descriptor) }

  /// The variable for the program's environment.
  package var variable: (name: String, value: String) {
    (ORDERFILE_PAGES_VARIABLE, "/proc/\(getpid())/fd/\(descriptor)")
  }

  package var isReached: Bool { cpages_was_stopped(trace) }
}
