import Addresses
import LibC
import ProcessLaunch
import ProcessTracing

/// Whether this process may trace a program that it launches.
package enum TracingPermission {
  /// Traces a shell that does nothing.
  ///
  /// - Returns: why tracing is not possible; `nil` if it is possible.
  package static func refusal() -> String? {
    do {
      _ = try BreakpointLaunch(ProgramLaunch(command: ["/bin/sh", "-c", ":"])).run(NoObserver())
      return nil
    } catch { return "\(error)" }
  }
}

/// An observer that sets no breakpoints.
private final class NoObserver: BreakpointObserver {
  func image(at path: String) -> BreakpointImage? { nil }
  func loader(at path: String) -> BreakpointImage? { nil }
  func isOther(_ path: String, isLoader: Bool) {}
  func isTranslator(_ program: String) {}
  func isWithoutRights(_ program: String) {}
  func isDebugger(_ program: String) {}
  func isInaccessible(_ pid: pid_t, hasBreakpoints: Bool) {}
  func processBegan(_ process: TracedProcess, program: String) {}
  func processForked(_ process: TracedProcess, by parent: pid_t) {}
  func processEnded(_ pid: pid_t) {}
  func loaded(_ image: LoadedImage, in pid: pid_t) {}
  func unloaded(_ image: LoadedImage, in pid: pid_t) {}
  func firstHit(_ function: LoadedAddress, of image: LoadedImage, by thread: TracedThread) {}
  func mark(_ name: [UInt8], by thread: TracedThread) {}
  func breakpointsLeft(_ count: Int, in pid: pid_t) {}
  func launchEnded(by reason: StopReason) {}
  func tracerWasKilled() {}
}
