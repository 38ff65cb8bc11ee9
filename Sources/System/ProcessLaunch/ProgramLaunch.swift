import CProcess
import LibC

/// A command to launch, and how the launch ends.
package struct ProgramLaunch: Sendable {
  /// The program, looked up in `PATH`, and its arguments.
  package var command: [String]
  /// The name of the launch in messages: the program, unless the launch is a command line of a shell.
  package var title: String
  /// Variables to set in the program's environment, in addition to this process's own.
  package var environment: [(name: String, value: String)]
  /// The working directory of the program; `nil` for the working directory of this process. A program whose name has a
  /// slash is looked up in this folder, so such a name has to be absolute.
  package var folder: String?
  /// The number of seconds after which the program's process group gets SIGTERM, and 2 s later SIGKILL.
  package var timeout: Double?
  /// The sign of readiness after which the launch is over; `nil` if the program ends by itself.
  /// After a mark the launch is over at once; after another sign, when all threads sleep
  /// (`LaunchSettling`). Then the program's process group gets the same signals as after a timeout,
  /// and the exit status of the program does not count.
  package var readiness: Readiness?
  /// Whether the program leads its own process group. Signals that end the program then also go to the processes that
  /// it started, and these end if the program fails. With a timeout or a sign of readiness the program always leads a
  /// group.
  package var leadsGroup: Bool
  /// Whether the program is a shell with a command line. If it leads its own group, it also leads a session, which has
  /// no terminal: a command that asks for a password fails at once. The group gets SIGTERM instead of SIGINT, because a
  /// shell that gets SIGINT between two commands goes on with the next.
  package var isShell = false
  package var streams = Streams()
  /// The script that types into the program's terminal; `nil` if the program has `streams`. With a script, the program
  /// leads a session, and its standard streams are the terminal. Its output also goes to `streams.output`, if that is
  /// set. When the launch is over, the program gets SIGHUP instead of SIGTERM.
  package var script: TerminalScript?

  /// The descriptors, above 2, of the program's standard streams; `nil` for a stream of this process.
  package struct Streams: Sendable {
    package var input: Int32?
    package var output: Int32?
    package var errors: Int32?

    package init(input: Int32? = nil, output: Int32? = nil, errors: Int32? = nil) {
      self.input = input
      self.output = output
      self.errors = errors
    }

    fileprivate var descriptors: cprocess_streams {
      cprocess_streams(descriptors: (input ?? -1, output ?? -1, errors ?? -1))
    }
  }

  package init(
    command: [String], environment: [(name: String, value: String)] = [], timeout: Double? = nil,
    leadsGroup: Bool = false
  ) {
    precondition(!command.isEmpty, "the command line was parsed with at least one argument")
    self.command = command
    title = command[0]
    self.environment = environment
    self.timeout = timeout
    self.leadsGroup = leadsGroup
  }

  /// The outcome of a launch: its times, and how it ended.
  package struct Result: Sendable {
    package var processNumber: UInt32
    package var end: End
    package var timedOut: Bool
    /// Whether the awaited sign came; if so, `end` is success.
    package var isReady = false
    /// Whether the program was still working when the launch was ended after the sign. The point
    /// where such a launch ends is a matter of chance.
    package var endedAtWork = false
    /// The start time of the program, in nanoseconds since boot.
    package var start: UInt64
    /// The time from the start of the program to the end of the launch, in nanoseconds.
    package var nanoseconds: UInt64
    /// Why the script could not go on, so that the launch was ended.
    package var scriptFailure: ScriptFailure?

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

    /// - Parameter waitStatus: the status of an ended process, as `wait(2)` returns it.
    package init(waitStatus status: Int32) {
      let signal = status & 0x7f
      self = signal == 0 ? .exited((status >> 8) & 0xff) : .killed(signal: signal)
    }

    /// The status that a shell reports: 128 + *n* for signal *n*.
    package var exitStatus: Int32 {
      switch self {
      case .exited(let status): status
      case .killed(let signal): 128 + signal
      }
    }
  }

  /// The reason why a program could not be started or waited for, with its number in `errno.h`.
  package struct LaunchError: Error, CustomStringConvertible {
    package var errno: Int32

    package init(errno: Int32) { self.errno = errno }

    package var description: String { errorText(errno) }
  }

  /// Starts the program and waits until it has ended.
  ///
  /// With a timeout the program leads its own process group, so that the processes that it started end with it. A
  /// process that leaves the group is not tracked.
  ///
  /// - Parameters:
  ///   - isMarked: whether the program has set the awaited mark.
  ///   - whenReady: called when the launch is over because the awaited sign has come, before any signal.
  package func run(
    isMarked: @escaping () -> Bool = { false }, whenReady: () -> Void = {}
  ) throws(LaunchError) -> Result {
    try run(isMarked: isMarked, whenProcessIsReady: { _ in whenReady() })
  }

  /// Starts the program and waits until it has ended, as `run(isMarked:whenReady:)` does. `whenReady` gets the number
  /// of the program's process.
  package func run(
    isMarked: @escaping () -> Bool, whenProcessIsReady whenReady: (pid_t) -> Void
  ) throws(LaunchError) -> Result {
    try run(
      heldFor: nil, isMarked: isMarked,
      { _ throws(LaunchError) in
      }, whenReady: whenReady, meanwhile: { _ in false })
  }

  /// Starts the program, lets another process attach to it before it begins, and waits until it has ended.
  ///
  /// - Parameters:
  ///   - tracer: the number of that process; `nil` if the program begins at once.
  ///   - attach: throws if the program may not begin.
  ///   - work: called while the program runs, until it returns false. Its argument is the number of milliseconds after
  ///     which it is to return; `nil` if there is no limit.
  package func run(
    heldFor tracer: pid_t?, isMarked: @escaping () -> Bool,
    _ attach: (pid_t) throws(LaunchError) -> Void, whenReady: (pid_t) -> Void,
    meanwhile work: (_ milliseconds: Int64?) -> Bool
  ) throws(LaunchError) -> Result {
    var result = Result(processNumber: 0)
    let terminal = try script.map { script throws(LaunchError) in
      try Terminal(
        script, output: streams.output, awaitsEnd: readiness == nil, tracer: tracer)
    }
    let probe = readiness.map {
      ReadinessProbe($0, isMarked: isMarked, isScriptReady: { terminal?.isReady ?? false })
    }
    let pid: pid_t
    if let terminal {
      defer { terminal.hasStarted() }
      let end = terminal.programEnd
      let all = Streams(input: end, output: end, errors: end).descriptors
      pid = try start(all, heldFor: tracer, &result.start)
    } else if let probe {
      pid = try probe.starting(streams.descriptors) { streams throws(LaunchError) in
        try start(streams, heldFor: tracer, &result.start)
      }
    } else {
      pid = try start(streams.descriptors, heldFor: tracer, &result.start)
    }
    result.processNumber = UInt32(bitPattern: pid)
    if tracer != nil {
      do { try attach(pid) } catch {
        _ = cprocess_let_go(false)
        throw error
      }
      let error = cprocess_let_go(true)
      guard error == 0 else { throw LaunchError(errno: error) }
    }

    var timing = Timing(timeout, start: result.start, first: script == nil ? SIGTERM : SIGHUP)
    var settling: LaunchSettling?
    var isOver = false
    func endNow() {
      isOver = true
      whenReady(pid)
      timing.endNow()
    }
    var isWorking = true
    var status: Int32 = 0
    var waited: Int32 = 0
    while waited == 0 {
      // Signs of readiness and terminals are watched, so the wait ends every millisecond.
      let isWatched = probe != nil || terminal != nil
      let limit = isWatched ? min(timing.millisecondsToNext ?? 1, 1) : timing.millisecondsToNext
      if isWorking {
        isWorking = work(limit)
      } else {
        terminal?.wait(for: pid, milliseconds: limit ?? 1)
        waited = cprocess_wait(pid, terminal == nil ? limit ?? -1 : 0, &status)
      }
      terminal?.advance(pid, hasEnded: waited != 0)
      if let failure = terminal?.failure, result.scriptFailure == nil, !isOver, !result.isReady,
        !result.timedOut
      {
        result.scriptFailure = failure
        isOver = true
        timing.endNow()
      }
      if let probe, probe.look(at: pid), !result.isReady, !result.timedOut, !isOver {
        result.isReady = true
        settling = LaunchSettling(pid, tracer: tracer)
        // A mark is a place in the program. Nothing after the mark counts.
        if readiness?.mark != nil || waited != 0 { endNow() }
      }
      if !isOver, let state = settling?.look() {
        result.endedAtWork = state == .works
        endNow()
      }
      guard waited == 0, isOver || !result.isReady, let signal = timing.next() else { continue }
      if !isOver { result.timedOut = true }
      _ = cprocess_signal_group(pid, signal)
    }
    guard waited == 1 else { throw LaunchError(errno: -waited) }
    if result.isReady, !isOver { endNow() }
    result.end = result.isReady ? .exited(0) : End(waitStatus: status)
    result.nanoseconds = ClockReading.now().nanoseconds - result.start
    if result.timedOut || isOver || leadsGroup && result.end != .exited(0) {
      // The group may have processes that the program left behind, and these take a moment to end.
      let hasOthers = cprocess_signal_group(pid, SIGKILL)
      for _ in 0..<100 where hasOthers && cprocess_signal_group(pid, 0) { usleep(5000) }
    }
    return result
  }

  private var group: cprocess_group {
    if script != nil { return CPROCESS_TERMINAL_SESSION }
    if isShell && leadsGroup { return CPROCESS_SHELL_SESSION }
    let isOwn = leadsGroup || timeout != nil || readiness != nil
    return isOwn ? CPROCESS_OWN_GROUP : CPROCESS_SHARED_GROUP
  }

  private func start(
    _ streams: cprocess_streams, heldFor tracer: pid_t?, _ time: inout UInt64
  ) throws(LaunchError) -> pid_t {
    var pid: pid_t = 0
    var streams = streams
    let terminal = script.map { _ in [(name: "TERM", value: TerminalScript.terminalName)] } ?? []
    let error = Self.withArguments(command) { arguments in
      withCStrings((environment + terminal).map { "\($0.name)=\($0.value)" }) { variables in
        cprocess_start(arguments, variables, folder, &streams, group, tracer ?? 0, &pid, &time)
      }
    }
    guard error == 0 else { throw LaunchError(errno: error) }
    return pid
  }

  /// The signals that the process group gets, and when.
  private struct Timing {
    private var signals: [(nanoseconds: UInt64, signal: Int32)] = []
    private let first: Int32

    init(_ timeout: Double?, start: UInt64, first: Int32) {
      self.first = first
      if let timeout { end(at: start + UInt64(timeout * 1e9)) }
    }

    mutating func endNow() { end(at: ClockReading.now().nanoseconds) }

    private mutating func end(at time: UInt64) {
      signals = [(time, first), (time + 2_000_000_000, SIGKILL)]
    }

    /// The time until the next signal, in milliseconds; `nil` if no signal is left.
    var millisecondsToNext: Int64? {
      guard let next = signals.first?.nanoseconds else { return nil }
      let now = ClockReading.now().nanoseconds
      return next > now ? Int64(clamping: (next - now + 999_999) / 1_000_000) : 0
    }

    /// Returns the signal whose time has come; `nil` if there is none.
    mutating func next() -> Int32? {
      guard let next = signals.first, next.nanoseconds <= ClockReading.now().nanoseconds else {
        return nil
      }
      signals.removeFirst()
      return next.signal
    }
  }
}

extension ProgramLaunch {
  /// Whether the process with that number is still running, and is the one that started at `startTime`
  /// according to `/proc/PID/stat`.
  package static func isRunning(processNumber: UInt32, startTime: UInt64) -> Bool {
    cprocess_is_running(pid_t(bitPattern: processNumber), startTime)
  }

  /// The start time of the process with this number, as `/proc/PID/stat` states it; `nil` if it is gone.
  package static func startTime(processNumber: pid_t) -> UInt64? {
    let time = cprocess_start_time(processNumber)
    return time == 0 ? nil : time
  }

  /// Makes writing to a closed standard stream, or to a pipe without a reader, an error of the write, instead
  /// of ending this process or overwriting a file. Launched programs don't inherit this.
  package static func guardStandardStreams() {
    cprocess_keep_closed_streams()
    cprocess_survive_closed_pipes()
  }
}

/// The values of the machine's counter and of the kernel's clock at the same instant.
package struct ClockReading: Sendable {
  package var ticks: UInt64
  /// The kernel's clock in nanoseconds since boot, sleep included.
  package var nanoseconds: UInt64

  package static func now() -> ClockReading {
    var reading = ClockReading(ticks: 0, nanoseconds: 0)
    cprocess_clock_pair(&reading.ticks, &reading.nanoseconds)
    return reading
  }
}

extension ProgramLaunch {
  /// From now on this process, and what it starts, can create, change and remove files only below `folder`, and write to
  /// devices.
  ///
  /// - Throws: if the system can't do that.
  package static func confineWrites(to folder: [UInt8]) throws(LaunchError) {
    let error = cprocess_confine_writes(folder.map { CChar(bitPattern: $0) } + [0])
    guard error == 0 else { throw LaunchError(errno: error) }
  }

  /// Runs the program at the path `words[0]` in this process, with its standard streams, signals and environment.
  ///
  /// - Returns: only if that fails.
  package static func replaceProcess(_ words: [[UInt8]]) -> LaunchError {
    let copies = words.map { strdup($0.map { CChar(bitPattern: $0) } + [0]) }
    defer { for copy in copies { free(copy) } }
    return copies.isEmpty
      ? LaunchError(errno: ENOENT) : LaunchError(errno: cprocess_replace(copies + [nil]))
  }
}
