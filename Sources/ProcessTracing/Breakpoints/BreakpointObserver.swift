import Addresses

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Who hears of what a traced launch does. Processes are numbered by the kernel; by the time that this is
/// heard, they may be gone.
package protocol BreakpointObserver: AnyObject {
  /// What to plant in the image at `path`; `nil` leaves it alone.
  func image(at path: String) -> BreakpointImage?
  /// The loader at `path`, whose `loaderNotice` counts; `nil` if that is not known.
  func loader(at path: String) -> BreakpointImage?
  /// A process has begun to run `program`.
  func processBegan(_ process: TracedProcess, program: String)
  /// `process` was forked by `parent`, and goes on with what that had loaded.
  func processForked(_ process: TracedProcess, by parent: pid_t)
  /// The last thread that used the memory of process `pid` has ended.
  func processEnded(_ pid: pid_t)
  func loaded(_ image: LoadedImage, in pid: pid_t)
  func unloaded(_ image: LoadedImage, in pid: pid_t)
  /// The first use of a function, by the address of its first byte.
  func firstHit(_ function: LoadedAddress, of image: LoadedImage, by thread: TracedThread)
  /// The program says that a stage begins.
  func mark(_ name: [UInt8], by thread: TracedThread)
  /// So many breakpoints could not be removed from a process that is left alone now.
  func breakpointsLeft(_ count: Int, in pid: pid_t)
  /// Nothing more is told, because of this.
  func launchEnded(by reason: StopReason)
  /// The process that traces was killed: breakpoints may be left.
  func tracerWasKilled()
}

/// A process when it was first seen.
package struct TracedProcess: Sendable {
  package var pid: pid_t
  /// Field 22 of `/proc/PID/stat`; `nil` if it was gone already.
  package var startTime: UInt64?
}

/// A thread at an instant.
package struct TracedThread: Sendable {
  package var tid: pid_t
  package var pid: pid_t
  /// Of the machine's counter.
  package var ticks: UInt64
}

/// What ends a launch before its program does.
package enum StopReason: UInt64, Sendable { case mark, function, time }
