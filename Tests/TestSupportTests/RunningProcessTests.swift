import Foundation
import TestSupport
import Testing

/// Nothing that a test starts outlives it.
@Suite(.needs(.processes)) struct RunningProcessTests {
  /// Starts a shell with children in a group and in a session of their own, and a daemon; ignores all signals
  /// that can be ignored, and never ends.
  static let script = """
    trap '' HUP INT TERM
    set -m
    sleep infinity & echo child $!
    setsid sh -c 'trap "" HUP INT TERM; echo session $$; while :; do sleep 1; done' &
    (setsid sh -c 'echo daemon $$; exec sleep infinity' &)
    while :; do sleep 1; done
    """
  static let kinds = ["child", "session", "daemon"]

  /// Returns the running script, and the process numbers that it has printed, including its own.
  private static func start() throws -> (RunningProcess, numbers: [pid_t]) {
    let shell = try RunningProcess("/bin/sh", ["-c", script])
    for kind in kinds { try shell.waitForOutput(kind) }
    try shell.wait(for: "a whole line") { shell.output.last == "\n" }
    let numbers = shell.output.split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
    #expect(numbers.count == kinds.count)
    #expect((numbers + [shell.number]).allSatisfy(isRunning))
    return (shell, numbers + [shell.number])
  }

  @Test func aTestThatFailsLeavesNothingRunning() throws {
    var started: [pid_t] = []
    withKnownIssue {
      let (shell, numbers) = try Self.start()
      started = numbers
      try #require(shell.output.isEmpty, "fails here, with all of them running")
    }
    #expect(started.count == 4)
    #expect(started.filter(isRunning) == [])
  }

  @Test func theRestGoesOnUntilItIsStopped() throws {
    let parent = try RunningProcess("/bin/sh", ["-c", "setsid sleep infinity & echo $!"])
    let run = parent.endAlone()
    let child = try #require(pid_t(run.text.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(run.status == 0 && !isRunning(parent.number))
    #expect(parent.family == [child])
    #expect(parent.end().status == 0, "the same as before")
    #expect(!isRunning(child) && parent.family == [])
  }

  /// The other end of the reaper's descriptor 3 is closed, as if the test run were killed.
  @Test(.needs("setsid")) func theReaperEndsAllWhenTheTestRunIsGone() throws {
    let folder = try TemporaryFolder()
    let script = try folder.write(Array(Self.script.utf8), "script")
    let output = folder.path("output")
    let shell = try RunningProcess(
      "/bin/sh",
      [
        "-c",
        "sh -c 'echo run $$; exec sleep infinity' 4>&1 >\(output).run | "
          + "exec '\(RunningProcess.reaper)' / /bin/sh \(script) 3<&0 </dev/null >\(output)",
      ])
    func words(_ name: String) -> [String] {
      ((try? String(contentsOfFile: folder.path(name), encoding: .utf8)) ?? "")
        .split(whereSeparator: \.isWhitespace).map(String.init)
    }
    try shell.wait(for: "all to run") {
      words("output.run").count == 2 && words("output").count == 2 * Self.kinds.count
    }
    let numbers = words("output").compactMap { pid_t($0) }
    #expect(numbers.count == 3 && numbers.allSatisfy(isRunning))
    kill(try #require(words("output.run").last.flatMap { pid_t($0) }), SIGKILL)
    #expect(shell.endAlone().status == 0)
    #expect(numbers.filter(isRunning) == [])
  }

  @Test func howItEndedAndWhatItWroteIsKnown() throws {
    for (script, status) in [("exit 7", 7), ("kill -9 $$", 137), ("exit 0", 0)] as [(String, Int32)]
    {
      let run = try RunningProcess("/bin/sh", ["-c", "echo out; echo err >&2; \(script)"]).end()
      #expect(run.status == status && run.text == "out\n" && run.errors == "err\n")
    }
    let together = try RunningProcess(
      "/bin/sh", ["-c", "echo out; echo err >&2"], errors: .withOutput
    ).end()
    #expect(together.text == "out\nerr\n" && together.errors == "")
    let error = #expect(throws: Tool.Failure.self) { try RunningProcess("/no/program", []) }
    #expect(error?.description == "/no/program: No such file or directory")
  }

  @Test func whatNeverComesIsNotWaitedForWhenItCannotCome() throws {
    let process = try RunningProcess("/bin/sh", ["-c", "echo other"])
    withKnownIssue { try process.waitForOutput("nothing") }
    #expect(process.end().text == "other\n")
  }

  @Test func itHasItsThreeStreamsAndALeadersGroupAlone() throws {
    let run = try RunningProcess("/bin/ls", ["/proc/self/fd"]).end()
    #expect(run.text == "0\n1\n2\n3\n", "and the folder that is listed")
    let process = try RunningProcess("/bin/sh", ["-c", "ps -o pgid= -p $$; echo $$"])
    let numbers = process.end().text.split(whereSeparator: \.isWhitespace)
    #expect(numbers.count == 2 && numbers.first == numbers.last)
  }
}
