import Addresses
import LibC

/// Receives the events of a traced launch. Processes have the kernel's numbers; when an event is received,
/// its process may be gone.
package protocol BreakpointObserver: AnyObject {
  /// Returns what to plant in the image at `path`; `nil` to leave the image alone.
  func image(at path: String) -> BreakpointImage?
  /// Returns the loader at `path`; `nil` if it is unknown. Of its functions, only `loaderNotice` gets a breakpoint.
  func loader(at path: String) -> BreakpointImage?
  /// An image in memory is not the file that is at `path` now. The image is left alone.
  ///
  /// - Parameter isLoader: whether the image is the loader of a process. Then the tracer does not
  ///   see when libraries are loaded.
  func isOther(_ path: String, isLoader: Bool)
  /// A process runs `program`, which translates the code of another program, and runs the translation. The process gets no
  /// breakpoints, because they would be translated, too.
  func isTranslator(_ program: String)
  /// A process runs `program` without the rights that the file of the program gives, because the process is traced.
  func isWithoutRights(_ program: String)
  /// A process that runs `program` traces another process of the launch. The traced process is not recorded from now on.
  func isDebugger(_ program: String)
  /// The memory of process `pid` can be neither read nor written. The process is not recorded.
  ///
  /// - Parameter hasBreakpoints: whether the process still has breakpoints that it copied from its
  ///   parent.
  func isInaccessible(_ pid: pid_t, hasBreakpoints: Bool)
  /// A process has begun to run `program`.
  func processBegan(_ process: TracedProcess, program: String)
  /// `process` was forked by `parent`, and continues with the parent's images.
  func processForked(_ process: TracedProcess, by parent: pid_t)
  /// The last thread that used the memory of process `pid` has ended.
  func processEnded(_ pid: pid_t)
  func loaded(_ image: LoadedImage, in pid: pid_t)
  func unloaded(_ image: LoadedImage, in pid: pid_t)
  /// The first use of a function, by the address of its first byte.
  func firstHit(_ function: LoadedAddress, of image: LoadedImage, by thread: TracedThread)
  /// The traced program has called `orderfile_mark(name)`: a stage of the launch begins.
  func mark(_ name: [UInt8], by thread: TracedThread)
  /// `count` breakpoints could not be removed from process `pid`, which is no longer traced.
  func breakpointsLeft(_ count: Int, in pid: pid_t)
  /// The recording has ended, for this reason.
  func launchEnded(by reason: StopReason)
  /// The tracer process was killed: breakpoints may be left.
  func tracerWasKilled()
}

/// A process, when it was first seen.
package struct TracedProcess: Sendable {
  package var pid: pid_t
  /// The start time, field 22 of `/proc/PID/stat`; `nil` if the process was gone already.
  package var startTime: UInt64?
}

/// A thread at a point in time.
package struct TracedThread: Sendable {
  package var tid: pid_t
  package var pid: pid_t
  /// The value of the machine's counter.
  package var ticks: UInt64
}
