import ByteReading
import CommandSupport
import ImageModel
import ProcessLaunch
import Rendering

/// A launch on another machine, by the system's `ssh`: `record --on`.
///
/// Three commands run there. The first checks the launch and makes a temporary folder. The second runs the program,
/// with the standard streams of the launch. The third ends the launch if it goes on, sends the traces, and removes the
/// folder.
package struct RemoteLaunch: Sendable {
  package var host: RemoteHost
  /// The program, with its arguments, variables, folder, streams and time limit. Paths are those of the host.
  package var program: ProgramLaunch
  /// The options of `orderfile record` on the host, which then records the program; `nil` if the program records
  /// itself.
  package var options: [String]?

  package init(_ program: ProgramLaunch, on host: RemoteHost, options: [String]?) {
    self.program = program
    self.host = host
    self.options = options
  }

  /// The most seconds that the host may take to prepare the launch.
  private static let preparationLimit = 60.0

  /// Runs the launch.
  ///
  /// - Parameters:
  ///   - traceName: the name of the program's trace, which has no slash.
  ///   - settings: variables for the recorder in the program.
  /// - Throws: an error if the host can't be reached, lacks something, or if the connection ends before the launch.
  func run(
    traceName: String, settings: [(name: String, value: String)], in environment: LaunchEnvironment
  ) throws -> (result: ProgramLaunch.Result, traces: [FetchedTraces.Trace]) {
    let folder = try prepare(traceName, settings, in: environment)
    let path = shellWord("\(folder)/launch")
    var ssh = ProgramLaunch(
      command: host.words(["exec", "sh", path]), timeout: program.timeout)
    ssh.streams = program.streams
    var result = try run(ssh)
    let isFailed = result.end.isOfSSH && !result.timedOut && !Interruption.hasCome
    let fetched: FetchedTraces
    do {
      fetched = try fetch(from: folder, traceName, in: environment)
    } catch {
      if isFailed { throw lost(folder) }
      throw error
    }
    if isFailed, fetched.wasEnded || fetched.status == nil { throw lost(nil) }
    if let status = fetched.status { result.end = .exited(status) }
    return (result, fetched.traces)
  }

  /// Checks the launch, and makes a folder.
  ///
  /// - Returns: the path of the folder on the host.
  private func prepare(
    _ traceName: String, _ settings: [(name: String, value: String)],
    in environment: LaunchEnvironment
  ) throws -> String {
    let words = ProgramLaunch.bytes(of: program.command)
    let launch = RemoteScript.launching(
      words, folder: program.folder, variables: program.environment,
      recorder: options.map { ["orderfile", "record"] + $0 } ?? [], traceName: traceName,
      settings: settings)
    let script = RemoteScript.preparing(
      words[0], folder: program.folder, needsCommand: options != nil, launch: launch)
    let limit = min(program.timeout ?? Self.preparationLimit, Self.preparationLimit)
    let (result, output, problem) = try run(script, limit: limit, in: environment)
    let answer = output.text(0..<output.count).split(separator: "\n")
      .last { $0.hasPrefix(RemoteScript.answer) }?.dropFirst(RemoteScript.answer.count)
    if let folder = answer?.trimmingPrefix("folder "), folder != answer ?? "" {
      return String(folder)
    }
    if let answer { throw refusal(answer) }
    if Interruption.hasCome { throw Diagnostic("interrupted", context: [host.destination]) }
    guard !result.timedOut else {
      throw Diagnostic(
        "no answer: expected a shell within \(Decimal.text(limit, places: 0)) s",
        context: [host.destination], hint: tryOut)
    }
    guard result.end == .exited(255) else {
      throw Diagnostic(
        "expected a POSIX shell, found a host that does not run 'sh' (\(result.end)): \(problem)",
        context: [host.destination], hint: tryOut)
    }
    throw Diagnostic("unable to connect: \(problem)", context: [host.destination], hint: tryOut)
  }

  /// Ends the launch unless it has ended, and fetches its traces.
  private func fetch(
    from folder: String, _ traceName: String, in environment: LaunchEnvironment
  ) throws -> FetchedTraces {
    let script = RemoteScript.fetching(folder, traceName: traceName)
    let (result, output, problem) = try run(script, limit: nil, in: environment)
    guard let fetched = FetchedTraces(parsing: output), result.end == .exited(0) else {
      throw Diagnostic(
        "unable to fetch the trace\(problem.isEmpty ? "" : ": \(problem)")",
        context: [host.destination, folder],
        hint: "the launch itself has ended there: record again")
    }
    return fetched
  }

  /// Runs a script on the host.
  ///
  /// - Returns: also the standard output, and the last line of the standard error.
  private func run(
    _ script: RemoteScript, limit: Double?, in environment: LaunchEnvironment
  ) throws -> (ProgramLaunch.Result, output: FileBytes, problem: String) {
    let folder = try TemporaryFolder(in: environment)
    let (path, output) = (folder.path("script"), folder.path("output"))
    try OutputFile(path).finish(script.bytes)
    let errors = ProgramLog(folder.path("errors"))
    let ssh = ProgramLaunch(
      command: host.words(["sh"], isCompressed: limit == nil), timeout: limit)
    let result = try errors.streams(input: path) { streams in
      try ProgramLog(output).outputStream { out in
        var ssh = ssh
        ssh.streams = streams
        ssh.streams.output = out.output
        return try run(ssh)
      }
    }
    return (result, try InputFile.bytes(output), printable(errors.lastLine))
  }

  private func run(_ ssh: ProgramLaunch) throws(Diagnostic) -> ProgramLaunch.Result {
    do { return try ssh.run() } catch {
      throw Diagnostic(
        "unable to run: \(error)", context: ["ssh"],
        hint: "--on needs the command ssh: install OpenSSH's client", kind: .failedLaunch)
    }
  }

  private var tryOut: String {
    "this command has to succeed without a password: ssh -o BatchMode=yes \(shellWord(host.destination)) true"
  }

  /// Returns the error for an answer of the host that is not the folder.
  private func refusal(_ answer: Substring) -> Diagnostic {
    switch answer {
    case "no folder":
      return Diagnostic(
        "expected a folder, found none on this host",
        context: [host.destination, program.folder ?? ""])
    case "no program":
      return Diagnostic(
        "unable to run: no such program on this host", context: [host.destination, program.title],
        hint:
          "give its path on the host, absolute or from the folder in which ssh begins; copy it there with scp",
        kind: .failedLaunch)
    case _ where answer.hasPrefix("version"):
      let found = answer.dropFirst("version ".count)
      return Diagnostic(
        "expected orderfile \(toolVersion) on this host, found "
          + (found.isEmpty ? "no command orderfile" : printable(String(found))),
        context: [host.destination],
        hint:
          "--breakpoints, --until-ready and --reads need orderfile in the PATH of 'ssh \(shellWord(host.destination)) orderfile --version': install the same version there"
      )
    default:
      return Diagnostic(
        "unable to make a temporary folder on this host", context: [host.destination])
    }
  }

  /// - Parameter folder: the folder that is still on the host; `nil` if it was removed.
  private func lost(_ folder: String?) -> Diagnostic {
    Diagnostic(
      "the connection ended before the program did", context: [host.destination],
      hint: folder.map {
        "the host ends the program when it notices, and then removes \($0) within a minute"
      })
  }
}

extension ProgramLaunch.End {
  /// Whether `ssh` itself failed. Also `true` for a program with the exit status 255.
  fileprivate var isOfSSH: Bool {
    switch self {
    case .exited(let status): status == 255
    case .killed: true
    }
  }
}
