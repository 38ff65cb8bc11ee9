import ArgumentParser
import CommandSupport
import ImageModel
import ProcessLaunch
import Recording

/// `--on`: launches on another machine.
extension RecordCommand {
  @Sendable static func host(_ text: String) throws -> RemoteHost {
    guard let host = RemoteHost(text) else {
      throw ValidationError("expected ssh:HOST, such as ssh:me@device")
    }
    return host
  }

  /// - Throws: if another option needs this machine.
  func checkRemote() throws {
    guard on != nil else { return }
    let others = [
      ("--qemu", qemu), ("--pid", pid != nil), ("--script", launched.limits.script != nil),
    ]
    if let option = others.first(where: \.1)?.0 {
      throw ValidationError("\(option) is for launches on this machine: it can't be used with --on")
    }
  }

  /// The files that this machine hashes. Another machine hashes its own files.
  var localReads: [String] { on == nil ? reads : [] }

  /// Returns the launch of a file as a launch on another machine.
  ///
  /// - Throws: if the launch has a script, which only a launch on this machine can have.
  func remote(_ launch: DescribedLaunch) throws(Diagnostic) -> DescribedLaunch {
    guard launch.script == nil else {
      throw Diagnostic(
        "a launch with a script is for this machine: it can't be used with --on",
        context: launch.place + ["script"], severity: .usage)
    }
    var launch = launch
    launch.isRemote = true
    return launch
  }

  /// Returns the launch with the options of `orderfile record` on the other machine, if the command is needed there: it
  /// sets breakpoints, watches for readiness, and hashes files.
  func remote(_ launch: ProgramLaunch, on host: RemoteHost) -> RemoteLaunch {
    guard breakpoints || launch.readiness != nil || !reads.isEmpty else {
      return RemoteLaunch(launch, on: host, options: nil)
    }
    var options = ["--omit-summary"]
    func add(_ option: String, _ value: String?) {
      if let value { options += [option, value] }
    }
    for (option, isGiven) in [
      ("--quiet", messages.quiet), ("--breakpoints", breakpoints), ("--blocks", blocks),
      ("--all-images", allImages),
    ] where isGiven {
      options.append(option)
    }
    for path in also { add("--also", path) }
    for path in reads { add("--reads", path) }
    add("--stop-at", stopAt)
    add("--stop-at-symbol", stopAtSymbol)
    add("--stop-after", stopAfter.map { "\($0)" })
    add("--until-ready", launch.readiness?.option)
    add("--timeout", launch.timeout.map { "\($0)" })
    var program = launch
    (program.readiness, program.timeout) = (nil, nil)
    return RemoteLaunch(program, on: host, options: options)
  }
}
