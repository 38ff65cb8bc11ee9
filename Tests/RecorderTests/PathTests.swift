import Foundation
import TestSupport
import Testing
import TraceFormat

@Suite(.needs(.compiling)) struct PathTests {
  private static let built = PreparedFolder<Workshop> {
    try $0.build("program", from: ["paths/waiter.c"])
  }

  private func stage() throws -> (workshop: Workshop, program: String) {
    let workshop = try Self.built.copy()
    return (workshop, workshop.path("program"))
  }

  /// The program `vanishing`, in which other processes seem to interfere with the recorder's steps.
  private static let disturbed = PreparedFolder<Workshop> { workshop in
    try workshop.build(
      "vanishing", from: ["paths/vanishing.c"],
      links: workshop.compileRecorder("clang", flags: ["-O2"])
        + ["-Wl,--wrap=of_file_kind,--wrap=of_publish"],
      recorder: nil)
    try workshop.build("program", from: ["paths/waiter.c"])
  }

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  @Test(arguments: [
    ("trace", "trace"), ("trace.%p", "trace.PID"), ("trace.%n", "trace.program"),
    ("trace.%%", "trace.%"), ("trace.%x%", "trace.%x%"), ("trace.%%p", "trace.%p"),
    ("trace.%n.%p.%n", "trace.program.PID.program"),
  ])
  func aTemplateIsExpanded(template: String, name: String) throws {
    let (workshop, program) = try stage()
    for prefix in [workshop.folder.path + "/", ""] {
      let ended = try workshop.record(program, environment: ["ORDERFILE_TRACE": prefix + template])
      #expect(ended.status == 0 && ended.errors == "")
      let file = name.replacingOccurrences(of: "PID", with: "\(ended.pid)")
      #expect(try workshop.files() == [file])
      #expect(try workshop.trace(file).header.pid == UInt32(ended.pid))
      try FileManager.default.removeItem(atPath: workshop.path(file))
    }
  }

  /// The program runs on, with one line that gives the reason.
  private func expectRefusal(
    _ path: String, _ reason: String, sourceLocation: SourceLocation = #_sourceLocation,
    prepare: (Workshop) throws -> Void = { _ in }
  ) throws {
    let (workshop, program) = try stage()
    try prepare(workshop)
    let ended = try workshop.record(
      program,
      environment: [
        "ORDERFILE_TRACE": path.replacingOccurrences(of: "FOLDER", with: workshop.folder.path)
      ])
    #expect(ended.status == 0 && ended.text == "r", sourceLocation: sourceLocation)
    let lines = ended.errors.split(separator: "\n")
    #expect(lines.count == 1, sourceLocation: sourceLocation)
    #expect(
      ended.errors.hasPrefix("orderfile: cannot record to '") && ended.errors.contains(reason),
      "\(ended.errors)", sourceLocation: sourceLocation)
  }

  @Test func aPathThatCannotBeIsOneLineOnStandardError() throws {
    try expectRefusal("FOLDER/missing/trace", "no such directory")
    try expectRefusal("/dev/null", "not a trace")
    try expectRefusal("FOLDER", "not a trace")
    try expectRefusal("FOLDER/program/trace", "not a directory")
    try expectRefusal("FOLDER/" + String(repeating: "n", count: 300), "file name too long")
    try expectRefusal("/tmp/" + String(repeating: "n/", count: 3000), "file name too long")
    try expectRefusal("/proc/trace", "no such directory")
    try expectRefusal("FOLDER/link/trace", "too many symbolic links") { workshop in
      try FileManager.default.createSymbolicLink(
        atPath: workshop.path("link"), withDestinationPath: workshop.path("link"))
    }
  }

  @Test func aForeignFileIsNotTouched() throws {
    let text = String(repeating: "not a trace\n", count: 1000)
    let (workshop, program) = try stage()
    for content in [text, "short"] {
      try write(content, to: workshop.path("trace"))
      let ended = try workshop.record(program)
      #expect(ended.status == 0 && ended.errors.contains("the file there is not a trace"))
      #expect(try String(contentsOfFile: workshop.path("trace"), encoding: .utf8) == content)
    }
    #expect(try workshop.files() == ["trace"])
  }

  @Test(.needs(.root)) func aReadOnlyFolderIsNotWrittenTo() throws {
    let (workshop, program) = try stage()
    // Root may ignore permission bits, so the program runs as another user.
    let locked = try workshop.makeFolder("locked")
    chmod(locked, 0o555)
    chmod(workshop.folder.path, 0o755)
    let ended = try workshop.run(
      "setpriv", ["--reuid=65534", "--clear-groups", program],
      environment: ["ORDERFILE_TRACE": "\(locked)/trace"])
    #expect(ended.status == 0 && ended.errors.contains("permission denied"), "\(ended.errors)")
  }

  @Test func anEmptyFileAndASymbolicLinkAreReplaced() throws {
    let (workshop, program) = try stage()
    try write("", to: workshop.path("trace"))
    #expect(try workshop.record(program).errors == "")
    #expect(try workshop.trace().guards.count == 3)

    try write("precious", to: workshop.path("target"))
    try FileManager.default.removeItem(atPath: workshop.path("trace"))
    try FileManager.default.createSymbolicLink(
      atPath: workshop.path("trace"), withDestinationPath: workshop.path("target"))
    #expect(try workshop.record(program).errors == "")
    #expect(try workshop.trace().guards.count == 3)
    #expect(try String(contentsOfFile: workshop.path("target"), encoding: .utf8) == "precious")
    #expect(try workshop.files() == ["trace"])
  }

  @Test func aDeadProcessLosesItsNameUnlessItIsOfTheSameSession() throws {
    let (workshop, program) = try stage()
    let first = try workshop.record(program)
    let second = try workshop.record(program, environment: ["ORDERFILE_SESSION": "7"])
    #expect(try workshop.traces().keys.sorted() == [UInt32(second.pid)])
    let third = try workshop.record(program, environment: ["ORDERFILE_SESSION": "7"])
    #expect(try workshop.files() == ["trace", "trace.\(third.pid)"])
    let fourth = try workshop.record(program, environment: ["ORDERFILE_SESSION": "8"])
    #expect(try workshop.trace().header.pid == UInt32(fourth.pid))
    #expect(first.errors + second.errors + third.errors + fourth.errors == "")
  }

  /// An imported trace has no process, or one of another machine; nobody writes to a sealed trace.
  @Test func aSealedTraceIsReplacedWhateverItsProcessNumber() throws {
    let (workshop, program) = try stage()
    #expect(try workshop.record(program).errors == "")
    let made = try workshop.trace()
    var bytes = made.sealed(TraceFile.Seal(), names: [])
    // Process number 0: for kill(2) this means the caller's own process group, which is alive.
    for offset in [32, 36] { bytes.replaceSubrange(offset..<offset + 4, with: [0, 0, 0, 0]) }
    try Data(bytes).write(to: URL(fileURLWithPath: workshop.path("trace")))
    let ended = try workshop.record(program)
    #expect(ended.errors == "")
    #expect(try workshop.files() == ["trace"])
    #expect(try workshop.trace().header.pid == UInt32(ended.pid))
  }

  @Test func ofTwoProcessesThatStartAtOnceEachKeepsItsTrace() throws {
    let (workshop, program) = try stage()
    #expect(try workshop.record(program).status == 0)
    let dead = workshop.path("dead")
    try FileManager.default.moveItem(atPath: workshop.path("trace"), toPath: dead)
    let together = try workshop.build(
      "together", from: ["paths/together.c"], coverage: [], recorder: nil)
    let ended = try workshop.run(together, [program, workshop.folder.path, "100", dead])
    #expect(ended.status == 0)
    let traces = try workshop.traces()
    let pids = ended.text.split(whereSeparator: { " \n".contains($0) }).compactMap { UInt32($0) }
    #expect(pids.count == 200)
    #expect(pids.filter { traces[$0] == nil } == [])
    #expect(traces.values.allSatisfy { $0.guards.count == 3 })
  }

  /// What another process that wants the same path may do between the recorder's steps: remove the dead trace that both
  /// have seen, and put one of its own there. However often that happens, the process is recorded.
  @Test(arguments: [
    ["VANISHES_AT": "1"], ["VANISHES_AT": "2"], ["IN_THE_WAY": "1"], ["IN_THE_WAY": "50"],
  ])
  func whatOthersDoToThePathMeanwhileCostsNoTrace(others: [String: String]) throws {
    let workshop = try Self.disturbed.copy()
    #expect(try workshop.record(workshop.path("program")).status == 0)
    let dead = workshop.path("dead")
    try FileManager.default.copyItem(atPath: workshop.path("trace"), toPath: dead)
    let ended = try workshop.record(
      workshop.path("vanishing"), environment: others.merging(["DEAD": dead]) { $1 })
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    let traces = try workshop.files().map { try workshop.trace($0) }
    let own = traces.filter { $0.header.pid == UInt32(ended.pid) }
    #expect(own.map(\.guards.count) == [2])
  }

  @Test func aProcessKilledWhileItMakesItsTraceLeavesNothingToTheNext() throws {
    let workshop = try Self.disturbed.copy()
    let vanishing = workshop.path("vanishing")
    for _ in 0..<2 {
      #expect(try workshop.record(vanishing, environment: ["KILLED": "1"]).status == 137)
      #expect(try workshop.files() == ["trace.new"])
    }
    #expect(try workshop.record(vanishing).errors == "")
    #expect(try workshop.files() == ["trace"] && workshop.trace().guards.count == 2)
  }

  /// The first process of each namespace has number 1, so the number does not show whether the process is alive.
  @Test(.needs(.namespaces))
  func aTraceOfAnotherNamespaceIsReplacedOnlyWhenItsProcessIsGone() throws {
    let (workshop, program) = try stage()
    let apart = ["--pid", "--fork", "--kill-child", "--mount-proc", program]
    #expect(mkfifo(workshop.path("life"), 0o600) == 0)
    let life = open(workshop.path("life"), O_RDWR)
    let first = try RunningProcess(
      "/bin/sh", ["-c", "exec unshare \(apart.joined(separator: " ")) <\(workshop.path("life"))"],
      environment: ["PATH": "/usr/bin:/bin", "ORDERFILE_TRACE": workshop.path("trace")])
    try first.waitForOutput("r")
    #expect(try workshop.record("unshare", apart).text == "r")
    #expect(try workshop.files() == ["trace", "trace.1"])
    #expect(try workshop.record(program).text == "r")
    #expect(try workshop.files().count == 3)
    close(life)
    #expect(first.end().status == 0)
    #expect(try workshop.trace().guards.count == 3)
    #expect(try workshop.record("unshare", apart).text == "r")
    #expect(try workshop.files().count == 3)
  }

  /// A static program in a folder without /proc.
  @Test(.needs(.root)) func withoutProcAProgramKnowsItsPathAndALivingTraceIsKept() throws {
    let workshop = try Workshop()
    let root = try workshop.makeFolder("root")
    try workshop.build("root/program", from: ["paths/waiter.c"], flags: ["-O1", "-static"])
    let inside = [root, "/program"]
    let ended = try workshop.record(
      "chroot", inside, environment: ["ORDERFILE_TRACE": "/trace.%n"])
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    let trace = try workshop.trace("root/trace.program")
    #expect(trace.loads.map(\.path) == ["/program"] && trace.guards.count == 3)
  }

  @Test func oneFreeDescriptorIsEnough() throws {
    let (workshop, program) = try stage()
    let ended = try workshop.record("/bin/sh", ["-c", "ulimit -n 4; exec '\(program)'"])
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    #expect(try workshop.trace().guards.count == 3)
  }

  @Test func aFolderThatIsGoneIsSaidToBe() throws {
    let (workshop, program) = try stage()
    let gone = try workshop.makeFolder("gone")
    let ended = try workshop.record(
      "/bin/sh", ["-c", "cd '\(gone)' && rmdir '\(gone)' && exec '\(program)'"],
      environment: ["ORDERFILE_TRACE": "trace"])
    #expect(
      ended.errors
        == "orderfile: cannot record to 'trace': no such directory; the program continues unrecorded\n"
    )
  }

  @Test(arguments: ["000", "022", "777"])
  func aTraceIsForItsUserAlone(mask: String) throws {
    let (workshop, program) = try stage()
    let ended = try workshop.record("/bin/sh", ["-c", "umask \(mask); exec '\(program)'"])
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    let attributes = try FileManager.default.attributesOfItem(atPath: workshop.path("trace"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  /// A thread of a program that has closed a standard stream may still write to its number.
  @Test func noFileOfTheRecorderHasTheNumberOfAStandardStreamForAnInstant() throws {
    let (workshop, program) = try stage()
    let streams = try workshop.build(
      "streams", from: ["paths/streams.c"], coverage: [], recorder: nil)
    let list = workshop.path("list")
    let ended = try workshop.record(streams, [program, "descriptors", list])
    #expect(ended.status == 0 && ended.errors == "", "\(ended.status): \(ended.errors)")
    // The files that the loader opens, the one that keeps a descriptor occupied, and those that the program opens
    // itself.
    let files = Set(ended.text.split(separator: "\n").map(String.init))
    let ours = files.filter {
      !$0.hasPrefix("/etc/") && !$0.contains("/lib") && $0 != "/" && $0 != list
        && !$0.hasSuffix("/fd")
    }
    #expect(ours == [] && files.contains("/"), "\(files.sorted())")
    #expect(try workshop.trace().guards.count == 3)
  }

  @Test func noDescriptorOfTheRecorderStaysOpenOrTakesAStandardStream() throws {
    let (workshop, program) = try stage()
    for closed in ["", "<&- >&- 2>&-", "<&-", ">&- 2>&-"] {
      let list = workshop.path("list")
      let ended = try workshop.record(
        "/bin/sh", ["-c", "exec '\(program)' descriptors '\(list)' \(closed)"])
      #expect(ended.status == 0)
      let open = Set(try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n"))
      // The files that the program itself opened: the list and the folder, with the lowest free descriptors.
      let standard =
        closed.contains("<&-") ? (closed.contains(">&-") ? 0 : 2) : closed == "" ? 3 : 1
      #expect(open.count == standard + 2, "\(closed): \(open.sorted())")
      #expect(open == Set((0..<standard + 2).map { Substring("\($0)") }))
      let trace = try workshop.trace()
      #expect(trace.guards.count == 3 && trace.header.lostRecords == 0)
    }
  }
}
