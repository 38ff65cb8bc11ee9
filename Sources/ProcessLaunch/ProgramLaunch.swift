import CProcess

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One launch of one command, with the standard streams of this process.
package struct ProgramLaunch: Sendable {
  /// The program, looked up in `PATH`, and its arguments.
  package var command: [String]
  /// Variables to set in the program's environment, besides this process's own.
  package var environment: [(name: String, value: String)]
  /// Seconds after which the program's process group gets SIGTERM, and 2 s later SIGKILL.
  package var timeout: Double?

  package init(
    command: [String], environment: [(name: String, value: String)] = [], timeout: Double? = nil
  ) {
    precondition(!command.isEmpty, "the command line was parsed with at least one argument")
    self.command = command
    self.environment = environment
    self.timeout = timeout
  }

  /// How a launch went.
  package struct Result: Sendable {
    package var processNumber: UInt32
    package var end: End
    package var timedOut: Bool
    /// When the program was started, in nanoseconds since boot.
    package var start: UInt64
    /// From start to end.
    package var nanoseconds: UInt64

    package init(
      processNumber: UInt32, end: End = .exited(0), timedOut: Bool = false, start: UInt64 = 0,
      nanoseconds: UInt64 = 0
    ) {
      self.processNumber = processNumber
      self.end = end
      self.timedOut = timedOut
      self.start = start
      self.nanoseconds = nanoseconds
    }
  }

  package enum End: Hashable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)

    /// - Parameter waitStatus: of a process that has ended, as `wait(2)` has it.
    package init(waitStatus status: Int32) {
      let signal = status & 0x7f
      self = signal == 0 ? .exited((status >> 8) & 0xff) : .killed(signal: signal)
    }

    /// As a shell has it: 128 + *n* for signal *n*.
    package var exitStatus: Int32 {
      switch self {
      case .exited(let status): status
      case .killed(let signal): 128 + signal
      }
    }
  }

  /// Why a program could not be started or waited for, as `errno.h` numbers it.
  package struct LaunchError: Error, CustomStringConvertible {
    package var errno: Int32

    package init(errno: Int32) { self.errno = errno }

    package var description: String { String(cString: strerror(errno)) }
  }

  /// Starts the program and waits until it is gone.
  ///
  /// With a timeout the program leads its own process group, so that what it started ends with it; a
  /// process that leaves the group is not followed.
  package func run() throws(LaunchError) -> Result {
    var result = Result(processNumber: 0)
    let pid = try start(traced: false, &result.start)
    result.processNumber = UInt32(bitPattern: pid)

    var status: Int32 = 0
    var waited = claunch_wait(pid, timeout.map { Int64($0 * 1000) } ?? -1, &status)
    if waited == 0 {
      result.timedOut = true
      _ = claunch_signal_group(pid, SIGTERM)
      waited = claunch_wait(pid, 2000, &status)
      // Also for what the program started and left behind, which takes a moment to be gone.
      let hasOthers = claunch_signal_group(pid, SIGKILL)
      if waited == 0 { waited = claunch_wait(pid, -1, &status) }
      for _ in 0..<100 where hasOthers && claunch_signal_group(pid, 0) { usleep(5000) }
    }
    guard waited == 1 else { throw LaunchError(errno: -waited) }
    result.end = End(waitStatus: status)
    result.nanoseconds = ClockReading.now().nanoseconds - result.start
    return result
  }

  /// Starts the program and goes on.
  ///
  /// - Parameters:
  ///   - traced: whether it is attached before it begins.
  ///   - time: set to the nanoseconds since boot just before.
  package func start(traced: Bool, _ time: inout UInt64) throws(LaunchError) -> pid_t {
    var pid: pid_t = 0
    let error = Self.withArguments(command) { arguments in
      withCStrings(environment.map { "\($0.name)=\($0.value)" }) { variables in
        claunch_start(arguments, variables, timeout != nil, traced, &pid, &time)
      }
    }
    guard error == 0 else { throw LaunchError(errno: error) }
    return pid
  }
}

extension ProgramLaunch {
  /// Whether the process of that number is still running, and is the one that started at `startTime`,
  /// as `/proc/PID/stat` states it.
  package static func isRunning(processNumber: UInt32, startTime: UInt64) -> Bool {
    claunch_is_running(pid_t(bitPattern: processNumber), startTime)
  }

  /// When the process of that number started, as `/proc/PID/stat` states it; 0 if it is gone.
  package static func startTime(processNumber: pid_t) -> UInt64 {
    claunch_start_time(processNumber)
  }

  /// Makes a write to a standard stream that is closed, or a pipe that nobody reads, an error of the
  /// write, instead of the end of this process or of a file; launched programs don't inherit that.
  package static func guardStandardStreams() {
    claunch_keep_closed_streams()
    claunch_survive_closed_pipes()
  }
}

/// The machine's counter and the kernel's clock at the same instant.
package struct ClockReading: Sendable {
  package var ticks: UInt64
  /// Since boot, sleep included.
  package var nanoseconds: UInt64

  package static func now() -> ClockReading {
    var reading = ClockReading(ticks: 0, nanoseconds: 0)
    claunch_clock_pair(&reading.ticks, &reading.nanoseconds)
    return reading
  }
}

extension ProgramLaunch {
  /// Calls `body` with `command` as C strings. As far as its end is the end of this process's own command
  /// line, the bytes are handed on as they came: a Swift string holds only what is UTF-8.
  package static func withArguments<R>(
    _ command: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R
  ) -> R {
    let all = CommandLine.arguments
    guard all.count == Int(CommandLine.argc) else { return withCStrings(command, body) }
    let own = zip(all.reversed(), command.reversed()).prefix { $0 == $1 }.count
    return withCStrings(Array(command.dropLast(own))) { others in
      body(
        others.dropLast() + (all.count - own..<all.count).map { CommandLine.unsafeArgv[$0] } + [nil]
      )
    }
  }
}

/// Calls `body` with a NULL-terminated array of C strings that lives as long as the call.
package func withCStrings<R>(
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R
) -> R {
  let copies = strings.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return body(copies + [nil])
}
