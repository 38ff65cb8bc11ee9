import Addresses
import CPerf
import ImageModel
import LibC
import ProcessLaunch

/// A program that is launched repeatedly to be measured; nothing is added to it.
package struct MeasuredProgram: Hashable, Sendable {
  /// The path of the program: absolute, or relative to the current folder.
  package var path: String
  /// The program's name and its arguments.
  package var arguments: [String]
  /// The name of the launch in messages: the path, unless the launch is a command line of a shell.
  package var title: String
  /// The working directory of the program; `nil` for the working directory of this process. With a working directory,
  /// `path` has to be absolute.
  package var folder: String?
  /// The file for standard input; `nil` for none.
  package var inputPath: String?
  /// Whether the program's output goes to this process's standard error; otherwise it is discarded.
  package var showsOutput: Bool
  /// The number of seconds after which a launch fails.
  package var timeout: Double?
  /// The sign that the program is ready: the launch is measured until then, and ended. `nil` if the program ends by
  /// itself.
  package var readiness: Readiness?
  /// The script that types into the program's terminal; `nil` if the program has no terminal. The output to the
  /// terminal goes to standard error if `showsOutput` is true.
  package var script: TerminalScript?
  /// Environment variables as `NAME=value`. They replace variables of this process that have the same names, and come
  /// first in the program's environment.
  package var variables: [String] = []
  /// The identity of the file at `path`, which must not change; `nil` if there is no file.
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

  /// Launches the program and waits until it has ended. Processes that it leaves running are killed.
  ///
  /// - Parameter faults: collects the page faults of the launch, which takes time.
  /// - Throws: if it can't be started, if it runs longer than `timeout`, if it ends before it is ready, or if the file at
  ///   `path` was replaced or written.
  package func launch(_ faults: PageFaultRecording? = nil) throws(Diagnostic) -> MeasuredLaunch {
    try launchWithStart(faults).launch
  }

  /// Launches the program as `launch` does. Also returns the time just before exec, in nanoseconds of CLOCK_MONOTONIC
  /// on Linux, and the number of the process.
  package func launchWithStart(
    _ faults: PageFaultRecording? = nil
  ) throws(Diagnostic) -> (launch: MeasuredLaunch, start: UInt64, processNumber: Int32) {
    var launch = cmeasure_launch()
    let milliseconds = timeout.map { Int64($0 * 1000) } ?? -1
    var error: Int32 = 0
    var scriptFailure: ScriptFailure?
    do throws(ProgramLaunch.LaunchError) {
      (error, scriptFailure) = try run(milliseconds, faults, &launch)
    } catch { throw Diagnostic("unable to run: \(error)", context: [path]) }
    if !Self.wasInterrupted { try file?.check(path) }
    guard error == 0 else {
      throw Diagnostic(
        "unable to run: \(ProgramLaunch.LaunchError(errno: error))", context: [path],
        hint: error == ENOEXEC ? "is this file an executable image for this machine?" : nil)
    }
    let result = (MeasuredLaunch(launch), launch.start, launch.pid)
    guard !Self.wasInterrupted else { return result }
    if let scriptFailure {
      throw .scriptFailed(scriptFailure, ProgramLaunch.End(waitStatus: launch.status))
    }
    if let readiness, !launch.is_ready {
      throw .notReady(
        title, readiness, within: launch.timed_out ? timeout : nil,
        ProgramLaunch.End(waitStatus: launch.status))
    }
    if launch.timed_out { throw .ranTooLong(title, timeout) }
    return result
  }

  /// - Returns: the result of `cmeasure_run`, 0 or an errno, and why the script could not go on.
  private func run(
    _ milliseconds: Int64, _ faults: PageFaultRecording?, _ launch: inout cmeasure_launch
  ) throws(ProgramLaunch.LaunchError) -> (error: Int32, ScriptFailure?) {
    let terminal = try script.map { script throws(ProgramLaunch.LaunchError) in
      try Terminal(script, output: showsOutput ? 2 : nil, awaitsEnd: readiness == nil)
    }
    let probe = readiness.map {
      ReadinessProbe($0, isScriptReady: { terminal?.isReady ?? false })
    }
    let watch = LaunchWatch(probe: probe, terminal: terminal)
    let output = try probe?.outputPipe(isShown: showsOutput)
    let variables = variables + (script == nil ? [] : ["TERM=\(TerminalScript.terminalName)"])
    let error = ProgramLaunch.withArguments(arguments) { words in
      withCStrings(variables) { variables in
        guard probe != nil || terminal != nil else {
          return cmeasure_run(
            path, words, variables, folder, inputPath, showsOutput, milliseconds, faults?.handle,
            nil,
            &launch)
        }
        return withExtendedLifetime(watch) {
          var readiness = cmeasure_readiness(
            is_ready: { pid, context in
              Unmanaged<LaunchWatch>.fromOpaque(context).takeUnretainedValue().look(at: pid)
            }, context: Unmanaged.passUnretained(watch).toOpaque(), output: output ?? -1,
            terminal: terminal?.handle)
          return cmeasure_run(
            path, words, variables, folder, inputPath, showsOutput, milliseconds, faults?.handle,
            &readiness,
            &launch)
        }
      }
    }
    if launch.timed_out { return (error, nil) }
    if launch.is_ready { return (error, watch.failure) }
    if error == 0 { terminal?.advance(launch.pid, hasEnded: true) }
    return (error, terminal?.failure)
  }

  /// From now on, Ctrl-C, SIGTERM and SIGHUP end the measured launch and not this process.
  package static func catchInterrupts() { cmeasure_catch_interrupts() }
  package static var wasInterrupted: Bool { cmeasure_was_interrupted() }
}

/// The sign of readiness and the script of a measured program, which are watched while the program runs.
private final class LaunchWatch {
  private let probe: ReadinessProbe?
  private let terminal: Terminal?
  private var isOver = false
  /// Why the script could not go on before the launch was over. While the launch is ended, the program may close its
  /// terminal: this is no failure.
  private(set) var failure: ScriptFailure?

  init(probe: ReadinessProbe?, terminal: Terminal?) {
    self.probe = probe
    self.terminal = terminal
  }

  /// Returns whether the launch is over: the program is ready, or its script can't go on.
  func look(at pid: pid_t) -> Bool {
    terminal?.advance(pid)
    let isReady = probe?.look(at: pid) ?? false
    if isOver { return true }
    failure = terminal?.failure
    isOver = failure != nil || isReady
    return isOver
  }
}
