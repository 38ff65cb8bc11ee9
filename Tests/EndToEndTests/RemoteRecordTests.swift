import Foundation
import TestSupport
import Testing

/// `orderfile record --on`, with a command `ssh` that runs the words in a shell of this machine. `RemoteRecordIntegrations`
/// has a real server.
@Suite(.needs(.recording, "setsid")) struct RemoteRecordTests {
  /// The shells that may be `sh` on another machine.
  static let shells = ["dash", "bash", "busybox sh", "mksh"].filter {
    Requirement.tool(String($0.prefix { $0 != " " })).keepsArguments
  }

  /// A folder with the instrumented program `app` of `RecordTests`, and a folder `bin` with `ssh`, and with `shell` as
  /// `sh`.
  static func workshop(shell: String = "sh", ssh: String? = nil) throws -> Workshop {
    let workshop = try RecordTests.workshop()
    try workshop.must("mkdir", ["bin"])
    try workshop.writeProgram(
      (ssh ?? """
        #!/bin/sh
        echo "$@" >>calls
        while [ "$1" != -- ]; do shift; done
        shift 2
        exec setsid -w sh -c "$*"

        """).utf8, "bin/ssh")
    if shell != "sh" {
      // The variable PATH stays, so that each `sh` of the scripts is this shell, too.
      try workshop.writeProgram("#!/bin/sh\nexec \(shell) \"$@\"\n".utf8, "bin/sh")
    }
    return workshop
  }

  static func record(
    _ workshop: Workshop, _ arguments: String..., input: [UInt8] = []
  ) throws -> Run {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return try workshop.orderfile(
      ["record", "--on", "ssh:device"] + arguments, input: input,
      environment: [
        "PATH": "\(workshop.path("bin")):\(path)", "TMPDIR": workshop.path("bin"),
      ])
  }

  /// Whether nothing is left in the temporary folder.
  static func isClean(_ workshop: Workshop) -> Bool {
    !((try? FileManager.default.contentsOfDirectory(atPath: workshop.path("bin"))) ?? [])
      .contains { $0.hasPrefix("orderfile.") }
  }

  @Test(arguments: shells) func argumentsStreamsAndStatusPassThrough(shell: String) throws {
    let workshop = try Self.workshop(shell: shell)
    let words = ["a b", "it's", "\"$HOME\"", "`x`", "*", "", "-o", "--", "\\", "a\nb", "!x"]
    let app = workshop.path("app")
    let run = try workshop.orderfile(
      ["record", "--on", "ssh:device", "-o", "t", "--", app, "arguments"] + words,
      environment: [
        "PATH":
          "\(workshop.path("bin")):\(ProcessInfo.processInfo.environment["PATH"] ?? "")",
        "TMPDIR": workshop.path("bin"),
      ])
    #expect(run.status == 0 && run.text == words.map { $0 + "|" }.joined(), "\(run.errors)")
    #expect(
      run.errors.hasPrefix("orderfile: recorded 2 first hits of 4 instrumented functions"),
      "\(run.errors)")
    #expect(try RecordTests.functions(workshop, in: "t") == ["main", "work"])
    #expect(try RecordTests.isSealed(workshop, "t"))
    let binary = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let copy = try Self.record(workshop, "-o", "t", "--", app, "copy", input: binary)
    #expect(copy.output == binary, "\(copy.errors)")
    for (arguments, status) in [(["exit", "7"], 7), (["exit", "255"], 255), (["abort"], 134)] {
      let run = try workshop.orderfile(
        ["record", "--on", "ssh:device", "-o", "t", app] + arguments,
        environment: [
          "PATH":
            "\(workshop.path("bin")):\(ProcessInfo.processInfo.environment["PATH"] ?? "")",
          "TMPDIR": workshop.path("bin"),
        ])
      #expect(run.status == status, "\(run.errors)")
      #expect(run.errors.hasPrefix("orderfile: recorded 2 first hits"), "\(run.errors)")
    }
    #expect(Self.isClean(workshop))
  }

  @Test func bytesThatAreNoTextArriveAsTheyAre() throws {
    let workshop = try Self.workshop()
    let script =
      "PATH=\"$PWD/bin:$PATH\" \"$0\" record --on ssh:d -o t \"$PWD/app\" arguments \"$(printf 'a\\377b')\""
    let run = try workshop.start("/bin/sh", ["-c", script, Built.orderfile]).end()
    #expect(run.status == 0 && run.output == [0x61, 0xff, 0x62, 0x7c], "\(run.errors)")
  }

  @Test(arguments: shells) func theTracesOfChildrenAreFetchedToo(shell: String) throws {
    let workshop = try Self.workshop(shell: shell)
    let run = try Self.record(workshop, "-o", "t", "--", workshop.path("app"), "fork")
    #expect(run.status == 0, "\(run.errors)")
    let traces = workshop.fileNames.filter { $0.hasPrefix("t.") }
    #expect(traces.count == 1 && run.errors.contains("over 2 processes"), "\(run.errors)")
    #expect(try RecordTests.functions(workshop, in: traces.first ?? "") == ["in_child"])
    #expect(Self.isClean(workshop))
  }

  @Test(arguments: shells) func aTimeLimitEndsTheProgramThere(shell: String) throws {
    let workshop = try Self.workshop(shell: shell)
    for what in ["wait", "stubborn"] {
      let run = try Self.record(
        workshop, "-o", "t", "--timeout", "1", "--", workshop.path("app"), what)
      #expect(run.status == (what == "wait" ? 143 : 137), "\(run.errors)")
      #expect(run.errors.contains("ran longer than 1.0 s and was ended"), "\(run.errors)")
      #expect(try RecordTests.functions(workshop, in: "t") == ["main", "work"])
    }
    #expect(Self.isClean(workshop))
  }

  @Test func aMarkEndsTheRecordingThere() throws {
    let workshop = try Self.workshop()
    // The recorder's unfinished traces end in `.new`, too.
    let run = try Self.record(
      workshop, "-o", "t.new", "--stop-at", "ready", "--", workshop.path("app"), "mark")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try RecordTests.functions(workshop, in: "t.new") == ["main", "work"])
  }

  /// The folder of a launch and its variables, which may have names of the scripts. A program's path counts from the folder
  /// in which ssh begins.
  @Test(arguments: shells) func launchesOfAFileKeepTheirFoldersAndVariables(shell: String) throws {
    let workshop = try Self.workshop(shell: shell)
    try workshop.must("mkdir", ["a folder"])
    try workshop.write(
      """
      {"schema": "orderfile.launches/1", "launches": [{"name": "one", "folder": "a folder",
        "environment": ["TEXT=it's $HOME \\"x\\"", "folder=/nowhere", "name=x"],
        "command": ["sh", "-c", "printf '%s\\\\n' \\"$TEXT\\" \\"$folder\\" >said; exec ../app"]},
        {"name": "two", "folder": "a folder", "command": ["./app", "exit", "0"]}]}
      """.utf8, "launches.json")
    let run = try Self.record(workshop, "-o", "traces", "--launches", "launches.json")
    #expect(run.status == 0, "\(run.errors)")
    #expect(workshop.text("a folder/said") == "it's $HOME \"x\"\n/nowhere\n")
    for name in ["one", "two"] {
      #expect(
        try RecordTests.functions(workshop, in: "traces/\(name).oftrace") == ["main", "work"])
    }
  }

  /// With breakpoints, the command there records, and its warnings arrive. Its summary, which names a path there, does not.
  @Test(.needs(.time)) func breakpointsAreSetByTheCommandThere() throws {
    let workshop = try Self.workshop()
    try workshop.must("ln", ["-s", Built.orderfile, "bin/orderfile"])
    let run = try Self.record(
      workshop, "--breakpoints", "--also", "/bin/true", "-o", "t", "--", workshop.path("app"),
      "exit", "3")
    #expect(run.status == 3, "\(run.errors)")
    let lines = run.errors.split(separator: "\n")
    #expect(
      lines.count { $0.contains(": recorded ") } == 1 && !run.errors.contains("/traces/")
        && run.errors.contains("no process loaded this image"), "\(run.errors)")
    #expect(try RecordTests.functions(workshop, in: "t").contains("work"))
    let ready = try Self.record(
      workshop, "--until-ready", "line=waiting", "-o", "r", "--", workshop.path("app"), "wait")
    #expect(ready.status == 0, "\(ready.errors)")
    #expect(try RecordTests.functions(workshop, in: "r") == ["main", "work"])
    #expect(Self.isClean(workshop))
  }

  /// What the host lacks is said before the program runs.
  @Test func whatIsMissingThereIsSaid() throws {
    let workshop = try Self.workshop()
    func expect(
      _ message: String, _ hint: String, _ arguments: String...,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let path = "\(workshop.path("bin")):/usr/bin:/bin"
      let run = try workshop.orderfile(
        ["record", "--on", "ssh:device", "-o", "t"] + arguments, environment: ["PATH": path])
      #expect(
        run.status == 1 && run.errors.contains(message) && run.errors.contains("hint: \(hint)"),
        "\(run.errors)", sourceLocation: sourceLocation)
      #expect(!workshop.fileNames.contains("t"), sourceLocation: sourceLocation)
    }
    try expect(
      "device: /nowhere/app: unable to run: no such program", "give its path", "/nowhere/app")
    try expect("device: bin: unable to run: no such program", "give its path", "bin")
    try workshop.writeProgram("#!/bin/sh\necho 'orderfile 0.0.1 (abc)'\n".utf8, "bin/orderfile")
    try expect(
      "on this host, found orderfile 0.0.1 (abc)", "--breakpoints, --until-ready", "--breakpoints",
      "true")
    try expect(
      "on this host, found orderfile 0.0.1 (abc)", "--breakpoints, --until-ready", "--reads", "x",
      "true")
    try workshop.writeProgram("#!/bin/sh\nexit 127\n".utf8, "bin/orderfile")
    try expect(
      "found no command orderfile", "--breakpoints, --until-ready", "--breakpoints", "true")
  }

  /// Runs the command of `ssh` in a shell of this machine.
  private static let runs =
    "while [ \"$1\" != -- ]; do shift; done; shift 2; setsid -w sh -c \"$*\""

  /// A host that fails, that has no shell, that breaks off, or that sends a part.
  @Test(arguments: [
    (
      "echo 'ssh: connect to host x port 22: Connection refused' >&2; exit 255",
      "device: unable to connect: ssh: connect to host x port 22: Connection refused"
    ),
    (
      "echo 'This account is currently not available.' >&2; exit 1", "expected a POSIX shell, found"
    ),
    ("case $* in *launch*) exit 255;; esac; \(runs)", "the connection ended before"),
    ("case $* in *-C*) echo broken; exit 0;; esac; \(runs)", "unable to fetch the trace"),
    (
      "case $* in *-C*) (\(runs)) | head -c 4000; exit 0;; esac; \(runs)",
      "unable to fetch the trace"
    ),
  ])
  func aHostThatFailsLeavesNothing(ssh: String, message: String) throws {
    try Self.expectNothing(of: ssh, message)
  }

  @Test func aHostThatHangsLeavesNothing() throws {
    try Self.expectNothing(
      of: "exec sleep 1000", "device: no answer: expected a shell within 1 s", "--timeout", "1")
  }

  private static func expectNothing(of ssh: String, _ message: String, _ options: String...) throws
  {
    let workshop = try Self.workshop(ssh: "#!/bin/sh\n\(ssh)\n")
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let run = try workshop.orderfile(
      ["record", "--on", "ssh:device", "-o", "t"] + options
        + ["--", workshop.path("app"), "exit", "0"],
      environment: [
        "PATH": "\(workshop.path("bin")):\(path)", "TMPDIR": workshop.path("bin"),
      ])
    #expect(run.status == 1 && run.errors.contains(message), "\(run.errors)")
    #expect(!workshop.fileNames.contains { $0.hasPrefix("t") }, "\(workshop.fileNames)")
  }

  /// The login shell prints the beginning of a line before it runs the command.
  @Test func whatTheLoginShellPrintsIsSkipped() throws {
    let workshop = try Self.workshop(
      ssh: "#!/bin/sh\ncase $* in *launch*) ;; *) printf Welcome;; esac; \(Self.runs)\n")
    let run = try Self.record(workshop, "-o", "t", "--", workshop.path("app"), "exit", "0")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try RecordTests.functions(workshop, in: "t") == ["main", "work"])
  }

  @Test func optionsOfThisMachineAreRefused() throws {
    let workshop = try Self.workshop()
    for (arguments, message) in [
      (["--on", "device"], "expected ssh:HOST, such as ssh:me@device"),
      (["--on", "ssh:"], "expected ssh:HOST"),
      (["--on", "ssh:-oProxyCommand=x"], "expected ssh:HOST"),
      (["--on", "ssh://-x"], "expected ssh:HOST"),
      (["--on", "ssh:device", "--qemu"], "--qemu is for launches on this machine"),
      (["--on", "ssh:device", "--script", "s"], "--script is for launches on this machine"),
    ] {
      let run = try workshop.orderfile(["record"] + arguments + ["--", "./app"])
      #expect(run.status == 64 && run.errors.contains(message), "\(run.errors)")
    }
    let pid = try workshop.orderfile(
      "record", "--on", "ssh:device", "--breakpoints", "--pid", "1")
    #expect(pid.status == 64 && pid.errors.contains("--pid is for launches on this machine"))
  }
}
