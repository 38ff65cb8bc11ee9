import Addresses
import CPerf
import ImageModel
import ProcessLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A program that is launched repeatedly to be measured; nothing is added to it.
package struct MeasuredProgram: Hashable, Sendable {
  /// The path of the program: absolute, or relative to the current folder.
  package var path: String
  /// The program's name and its arguments.
  package var arguments: [String]
  /// The name of the launch in messages: the path, unless the launch is a command line of a shell.
  package var title: String
  /// The file for standard input; `nil` for none.
  package var inputPath: String?
  /// Whether its output goes to this process's standard error; otherwise it is discarded.
  package var showsOutput: Bool
  /// The number of seconds after which a launch fails.
  package var timeout: Double?
  /// The sign at which a launch is over, and is measured until then; `nil` if the program ends by itself.
  package var readiness: Readiness?
  /// Variables that replace those of this process, as `NAME=value`; they come first in the program's environment.
  package var variables: [String] = []
  /// The file at `path`, which must not change; `nil` if there is no file.
  package var file: FileIdentity?

  package init(
    path: String, arguments: [String], inputPath: String? = nil, showsOutput: Bool = false,
    timeout: Double? = nil, readiness: Readiness? = nil
  ) {
    precondition(!arguments.isEmpty, "the first argument is the program's name")
    self.path = path
    title = path
    self.arguments = arguments
    self.inputPath = inputPath
    self.showsOutput = showsOutput
    self.timeout = timeout
    self.readiness = readiness
    file = FileIdentity(of: path)
  }

  /// Launches it and waits until it has ended. Processes that it leaves running are killed.
  ///
  /// - Parameter faults: collects the page faults of the launch, which takes time.
  /// - Throws: if it can't be started, if it runs longer than `timeout`, if it ends before it is ready, or if the file at
  ///   `path` was replaced or written.
  package func launch(_ faults: PageFaultRecording? = nil) throws(Diagnostic) -> MeasuredLaunch {
    try launchWithStart(faults).launch
  }

  /// The same, with the time just before exec, in nanoseconds of CLOCK_MONOTONIC on Linux, and the number that the
  /// process had.
  package func launchWithStart(
    _ faults: PageFaultRecording? = nil
  ) throws(Diagnostic) -> (launch: MeasuredLaunch, start: UInt64, processNumber: Int32) {
    var launch = cmeasure_launch()
    let milliseconds = timeout.map { Int64($0 * 1000) } ?? -1
    var error: Int32 = 0
    do throws(ProgramLaunch.LaunchError) {
      error = try run(milliseconds, faults, &launch)
    } catch { throw Diagnostic("unable to run: \(error)", context: [path]) }
    if !Self.wasInterrupted { try file?.check(path) }
    guard error == 0 else {
      throw Diagnostic(
        "unable to run: \(ProgramLaunch.LaunchError(errno: error))", context: [path],
        hint: error == ENOEXEC ? "is it an executable image for this machine?" : nil)
    }
    let result = (MeasuredLaunch(launch), launch.start, launch.pid)
    guard !Self.wasInterrupted else { return result }
    if let readiness, !launch.is_ready {
      throw .notReady(
        title, readiness, within: launch.timed_out ? timeout : nil,
        ProgramLaunch.End(waitStatus: launch.status))
    }
    if launch.timed_out { throw .ranTooLong(title, timeout) }
    return result
  }

  /// - Returns: what `cmeasure_run` does.
  private func run(
    _ milliseconds: Int64, _ faults: PageFaultRecording?, _ launch: inout cmeasure_launch
  ) throws(ProgramLaunch.LaunchError) -> Int32 {
    let probe = readiness.map { ReadinessProbe($0) }
    let output = try probe?.outputPipe(isShown: showsOutput)
    return ProgramLaunch.withArguments(arguments) { words in
      withCStrings(variables) { variables in
        guard let probe else {
          return cmeasure_run(
            path, words, variables, inputPath, showsOutput, milliseconds, faults?.handle, nil,
            &launch)
        }
        return withExtendedLifetime(probe) {
          var readiness = cmeasure_readiness(
            is_ready: { pid, context in
              Unmanaged<ReadinessProbe>.fromOpaque(context).takeUnretainedValue().look(at: pid)
            }, context: Unmanaged.passUnretained(probe).toOpaque(), output: output ?? -1)
          return cmeasure_run(
            path, words, variables, inputPath, showsOutput, milliseconds, faults?.handle,
            &readiness,
            &launch)
        }
      }
    }
  }

  /// From now on, Ctrl-C, SIGTERM and SIGHUP end the measured launch and not this process.
  package static func catchInterrupts() { cmeasure_catch_interrupts() }
  package static var wasInterrupted: Bool { cmeasure_was_interrupted() }
}

/// The kernel's figures for one launch.
package struct MeasuredLaunch: Hashable, Sendable {
  /// The time from just before exec to the end.
  package var wallNanoseconds: UInt64
  package var userMicroseconds: UInt64
  package var systemMicroseconds: UInt64
  /// The instructions executed in user mode; `nil` if the machine does not count them.
  package var instructions: UInt64?
  package var minorFaults: UInt64
  package var majorFaults: UInt64
  /// The peak resident memory; `nil` if that of this process was higher, because the kernel then reports
  /// only that.
  package var peakBytes: UInt64?
  /// The bytes read from devices for it; `nil` if the kernel does not tell.
  package var readBytes: UInt64?
  /// The pages of its images that are in memory afterwards; `nil` if this was not examined.
  package var residentPages: UInt64?
  package var end: ProgramLaunch.End

  package init(
    wallNanoseconds: UInt64, userMicroseconds: UInt64 = 0, systemMicroseconds: UInt64 = 0,
    instructions: UInt64? = nil, minorFaults: UInt64 = 0, majorFaults: UInt64 = 0,
    peakBytes: UInt64? = nil,
    readBytes: UInt64? = nil, residentPages: UInt64? = nil, end: ProgramLaunch.End = .exited(0)
  ) {
    self.wallNanoseconds = wallNanoseconds
    self.userMicroseconds = userMicroseconds
    self.systemMicroseconds = systemMicroseconds
    self.instructions = instructions
    self.minorFaults = minorFaults
    self.majorFaults = majorFaults
    self.peakBytes = peakBytes
    self.readBytes = readBytes
    self.residentPages = residentPages
    self.end = end
  }

  /// User and system time. Where the kernel accounts time in ticks, only this sum is exact for one launch.
  package var cpuMicroseconds: UInt64 {
    [userMicroseconds, systemMicroseconds].saturatingSum()
  }

  init(_ launch: cmeasure_launch) {
    self.init(
      wallNanoseconds: launch.nanoseconds, userMicroseconds: launch.user_microseconds,
      systemMicroseconds: launch.system_microseconds,
      instructions: launch.has_instructions ? launch.instructions : nil,
      minorFaults: launch.minor_faults, majorFaults: launch.major_faults,
      peakBytes: launch.has_peak_bytes ? launch.peak_bytes : nil,
      readBytes: launch.has_read_bytes ? launch.read_bytes : nil,
      end: launch.is_ready ? .exited(0) : ProgramLaunch.End(waitStatus: launch.status))
  }
}
