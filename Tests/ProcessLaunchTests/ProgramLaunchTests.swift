import Foundation
import ProcessLaunch
import TestSupport
import Testing

/// A process has one launch at a time: signals to it are passed on to one program.
@Suite(.serialized, .needs(.processes)) struct ProgramLaunchTests {
  let workshop: Workshop
  init() throws { workshop = try Workshop() }

  /// Launches from a thread that blocks no signals, as the command does. The threads of tests block SIGTERM, and a program
  /// inherits what its launcher blocks.
  static func run(
    _ launch: ProgramLaunch, isMarked: Bool = false, whenReady: () -> Void = {}
  ) throws -> ProgramLaunch.Result {
    var (none, before) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return try launch.run(isMarked: { isMarked }, whenReady: whenReady)
  }

  static func shell(_ script: String, _ words: [String] = []) -> ProgramLaunch {
    ProgramLaunch(command: ["sh", "-c", script] + words)
  }

  /// The texts that the program of `launch` writes to its standard output and to its standard error.
  private func texts(
    _ launch: ProgramLaunch, input: String = ""
  ) throws -> (output: String, errors: String, result: ProgramLaunch.Result) {
    try workshop.write(input.utf8, "input")
    try workshop.write([], "output")
    try workshop.write([], "errors")
    func path(_ name: String) -> String { workshop.folder.appendingPathComponent(name).path }
    let input = try FileHandle(forReadingFrom: URL(fileURLWithPath: path("input")))
    let output = try #require(FileHandle(forWritingAtPath: path("output")))
    let errors = try #require(FileHandle(forWritingAtPath: path("errors")))
    var launch = launch
    launch.streams = .init(
      input: input.fileDescriptor, output: output.fileDescriptor, errors: errors.fileDescriptor)
    let result = try Self.run(launch)
    func text(_ name: String) throws -> String {
      try String(contentsOfFile: path(name), encoding: .utf8)
    }
    return (try text("output"), try text("errors"), result)
  }

  @Test(
    arguments: [
      ("exit 0", ProgramLaunch.End.exited(0), 0), ("exit 3", .exited(3), 3),
      ("kill -9 $$", .killed(signal: SIGKILL), 137),
      ("kill -TERM $$", .killed(signal: SIGTERM), 143),
    ] as [(String, ProgramLaunch.End, Int32)])
  func theEndIsToldAsAShellTellsIt(script: String, end: ProgramLaunch.End, status: Int32) throws {
    let result = try Self.run(Self.shell(script))
    #expect(result.end == end && result.end.exitStatus == status && !result.timedOut)
  }

  @Test(
    arguments: [("/nowhere/program", ENOENT), ("no-such-program", ENOENT), ("/", EACCES)]
      as [(String, Int32)])
  func aProgramThatCannotStartIsAnErrorOfTheSystem(path: String, number: Int32) {
    let error = #expect(throws: ProgramLaunch.LaunchError.self) {
      try Self.run(ProgramLaunch(command: [path, "--help"]))
    }
    #expect(error?.errno == number && error?.description == String(cString: strerror(number)))
  }

  @Test func wordsAndVariablesArriveByteByByte() throws {
    let words = ["", "a b", "'\"$HOME`", "line\nfeed", "ä\u{1F600}", "-n"]
    var launch = Self.shell(#"printf '<%s>' "$@" "$OF_TEST""#, ["sh"] + words)
    launch.environment = [(name: "OF_TEST", value: "x = 'y'\nz")]
    #expect(try texts(launch).output == (words + ["x = 'y'\nz"]).map { "<\($0)>" }.joined())
  }

  @Test func eachStreamIsItsOwn() throws {
    let (output, errors, _) = try texts(Self.shell("cat; echo wrong >&2"), input: "in\n")
    #expect(output == "in\n" && errors == "wrong\n")
  }

  @Test func aLaunchThatTakesTooLongIsEnded() throws {
    var launch = Self.shell("while :; do sleep 1000; done")
    launch.timeout = 0.01
    let result = try Self.run(launch)
    #expect(result.timedOut && result.end == .killed(signal: SIGTERM))
    #expect(result.nanoseconds >= 10_000_000)
  }

  /// A shell that ignores SIGTERM gets SIGKILL.
  @Test func aLaunchThatDoesNotEndIsKilled() throws {
    var launch = Self.shell("trap '' TERM; while :; do sleep 1000; done")
    launch.timeout = 0.1
    let result = try Self.run(launch)
    #expect(result.timedOut && result.end == .killed(signal: SIGKILL))
  }

  @Test(arguments: [true, false])
  func whatAFailedLaunchHasStartedEndsWithItsGroup(leadsGroup: Bool) throws {
    var launch = Self.shell("sleep 1000 >/dev/null 2>&1 & echo $!; exit 1")
    launch.leadsGroup = leadsGroup
    let number = try texts(launch).output.trimmingCharacters(in: .whitespacesAndNewlines)
    let child = try #require(UInt32(number))
    let start = ProgramLaunch.startTime(processNumber: pid_t(bitPattern: child))
    let runs = start.map { ProgramLaunch.isRunning(processNumber: child, startTime: $0) } ?? false
    #expect(runs == !leadsGroup)
    if runs { kill(pid_t(bitPattern: child), SIGKILL) }
  }

  @Test func aProcessIsKnownByItsStart() throws {
    let own = getpid()
    let start = try #require(ProgramLaunch.startTime(processNumber: own))
    let number = UInt32(bitPattern: own)
    #expect(ProgramLaunch.isRunning(processNumber: number, startTime: start))
    #expect(!ProgramLaunch.isRunning(processNumber: number, startTime: start + 1))
    #expect(ProgramLaunch.startTime(processNumber: -1) == nil)
  }

  @Test func aServerIsOverWhenItHasSaidItsWord() throws {
    var launch = Self.shell("echo starting; echo 'is ready now'; while :; do sleep 1000; done")
    launch.readiness = .output("ready")
    var calls = 0
    let result = try Self.run(launch, whenReady: { calls += 1 })
    #expect(result.isReady && !result.timedOut && result.end == .exited(0) && calls == 1)
  }

  @Test func aProgramThatEndsWithoutItsSignIsNotReady() throws {
    var launch = Self.shell("echo starting; exit 4")
    launch.readiness = .output("ready")
    let result = try Self.run(launch)
    #expect(!result.isReady && result.end == .exited(4))
  }

  @Test func aMarkEndsTheLaunchAtOnce() throws {
    var launch = Self.shell("while :; do sleep 1000; done")
    launch.readiness = .mark("main")
    let result = try Self.run(launch, isMarked: true)
    #expect(result.isReady && !result.endedAtWork && result.end == .exited(0))
  }

  @Test(
    arguments: [
      (0x0000, ProgramLaunch.End.exited(0)), (0x0100, .exited(1)), (0xff00, .exited(255)),
      (0x0009, .killed(signal: 9)), (0x008b, .killed(signal: 11)),
    ] as [(Int32, ProgramLaunch.End)])
  func aWaitStatusIsAnEnd(status: Int32, end: ProgramLaunch.End) {
    #expect(ProgramLaunch.End(waitStatus: status) == end)
  }
}
