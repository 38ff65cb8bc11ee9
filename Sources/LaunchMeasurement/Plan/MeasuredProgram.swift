import CPerf
import ImageModel
import ProcessLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A program that is launched again and again to be measured: nothing of ours is in it.
package struct MeasuredProgram: Hashable, Sendable {
  /// Of the program: absolute, or from the current folder.
  package var path: String
  /// The program's name and its arguments.
  package var arguments: [String]
  /// What it reads from its standard input; `nil` for nothing.
  package var inputPath: String?
  /// Whether what it writes goes to the standard error of this process; else it is thrown away.
  package var showsOutput: Bool
  /// Seconds after which it is killed.
  package var timeout: Double?

  package init(
    path: String, arguments: [String], inputPath: String? = nil, showsOutput: Bool = false,
    timeout: Double? = nil
  ) {
    precondition(!arguments.isEmpty, "the first argument is the program's name")
    self.path = path
    self.arguments = arguments
    self.inputPath = inputPath
    self.showsOutput = showsOutput
    self.timeout = timeout
  }

  /// Launches it and waits until it has ended, as well as what it leaves behind: that is killed.
  ///
  /// - Parameter faults: collects the page faults of the launch, which takes time.
  /// - Throws: if it can't be started, and if it runs longer than `timeout`.
  func launch(_ faults: PageFaultRecording? = nil) throws(Diagnostic) -> MeasuredLaunch {
    var launch = cmeasure_launch()
    let milliseconds = timeout.map { Int64($0 * 1000) } ?? -1
    let error = ProgramLaunch.withArguments(arguments) { words in
      cmeasure_run(path, words, inputPath, showsOutput, milliseconds, faults?.handle, &launch)
    }
    guard error == 0 else {
      throw Diagnostic(
        "unable to run: \(ProgramLaunch.LaunchError(errno: error))", context: [path],
        hint: error == ENOEXEC ? "is it an executable image for this machine?" : nil)
    }
    if launch.timed_out, !Self.wasInterrupted {
      throw Diagnostic(
        "the launch ran longer than \(timeout ?? 0) s and was ended", context: [path])
    }
    return MeasuredLaunch(launch)
  }

  /// From now on Ctrl-C, SIGTERM and SIGHUP end the launch that is measured and not this process.
  package static func catchInterrupts() { cmeasure_catch_interrupts() }
  package static var wasInterrupted: Bool { cmeasure_was_interrupted() }
}

/// What the kernel told of one launch.
package struct MeasuredLaunch: Hashable, Sendable {
  /// From just before exec to the end.
  package var wallNanoseconds: UInt64
  package var userMicroseconds: UInt64
  package var systemMicroseconds: UInt64
  package var minorFaults: UInt64
  package var majorFaults: UInt64
  /// The most memory that was resident at once; `nil` if it is less than this process had, who
  /// can't tell then.
  package var peakBytes: UInt64?
  /// What devices had to read for it; `nil` where the kernel does not tell.
  package var readBytes: UInt64?
  /// Pages of its images that are in memory afterwards; `nil` if that was not looked at.
  package var residentPages: UInt64?
  package var end: ProgramLaunch.End

  package init(
    wallNanoseconds: UInt64, userMicroseconds: UInt64 = 0, systemMicroseconds: UInt64 = 0,
    minorFaults: UInt64 = 0, majorFaults: UInt64 = 0, peakBytes: UInt64? = nil,
    readBytes: UInt64? = nil, residentPages: UInt64? = nil, end: ProgramLaunch.End = .exited(0)
  ) {
    self.wallNanoseconds = wallNanoseconds
    self.userMicroseconds = userMicroseconds
    self.systemMicroseconds = systemMicroseconds
    self.minorFaults = minorFaults
    self.majorFaults = majorFaults
    self.peakBytes = peakBytes
    self.readBytes = readBytes
    self.residentPages = residentPages
    self.end = end
  }

  init(_ launch: cmeasure_launch) {
    self.init(
      wallNanoseconds: launch.nanoseconds, userMicroseconds: launch.user_microseconds,
      systemMicroseconds: launch.system_microseconds, minorFaults: launch.minor_faults,
      majorFaults: launch.major_faults, peakBytes: launch.has_peak_bytes ? launch.peak_bytes : nil,
      readBytes: launch.has_read_bytes ? launch.read_bytes : nil,
      end: ProgramLaunch.End(waitStatus: launch.status))
  }
}
