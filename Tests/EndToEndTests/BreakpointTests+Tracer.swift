import Foundation
import TestSupport
import Testing

/// The tracer process: the program continues whichever of the command and the tracer ends first.
extension BreakpointTests {
  /// The command is ended in each way and at each time, also before the program has begun.
  @Test func theProgramOutlivesTheCommandAndTheTraceIsThere() throws {
    let workshop = try Self.workshop()
    var random = SeededRandom(seed: 50)
    var traces = 0
    // The time of a whole launch on this machine, from which instants during the start are chosen. Every other instant
    // is when the program runs, however busy this machine is.
    let start = ContinuousClock.now
    let whole = try workshop.start(
      Built.orderfile, ["record", "--breakpoints", "-o", "t", "--", "./app", "wait"])
    try whole.waitForOutput("waiting")
    let longest = UInt32((ContinuousClock.now - start) / .microseconds(1)) * 3 / 2
    whole.send(SIGTERM)
    _ = whole.end()
    for round in 0..<20 {
      let recording = try workshop.start(
        Built.orderfile, ["record", "--breakpoints", "-o", "t", "--", "./app", "wait"])
      if round % 2 == 0 { try recording.waitForOutput("waiting") }
      usleep(UInt32.random(in: 0..<(round % 2 == 0 ? 5000 : longest), using: &random))
      recording.send(SIGKILL)
      _ = recording.endAlone()
      if round % 2 == 0 || recording.output.contains("waiting") {
        let app = try #require(Self.processes(in: workshop).first)
        Self.waitUntilTraced(app, false)
        kill(app, SIGUSR1)
        #expect(holdsInTheEnd { recording.output.contains("fresh") })
      }
      recording.stop()
      for folder in files(workshop).filter({ $0.hasPrefix("t.recording") }) {
        if FileManager.default.fileExists(atPath: workshop.path("\(folder)/trace")) {
          traces += 1
          let found = try functions(workshop, in: "\(folder)/trace")
          #expect(["begin", "early", "main", "work", "late"].starts(with: found))
        }
        try FileManager.default.removeItem(atPath: workshop.path(folder))
      }
    }
    #expect(traces >= 10)
  }

  /// Returns the processes whose current folder is the folder of `workshop`.
  static func processes(in workshop: Workshop) -> [pid_t] {
    let files = FileManager.default
    let folder = workshop.folder.resolvingSymlinksInPath().path
    return ((try? files.contentsOfDirectory(atPath: "/proc")) ?? []).filter { name in
      (try? files.destinationOfSymbolicLink(atPath: "/proc/\(name)/cwd")) == folder
    }.compactMap { pid_t($0) }
  }

  @Test(arguments: [SIGKILL, SIGALRM, SIGTERM])
  func aRunningProcessIsLeftAsItWasHoweverTheCommandEnds(signal: Int32) throws {
    let workshop = try Self.workshop()
    let app = try workshop.start(workshop.path("app"), ["wait"])
    try app.waitForOutput("waiting")
    let before = try Self.text(of: app.number)
    let recording = try workshop.start(
      Built.orderfile,
      ["record", "--breakpoints", "--all-images", "-o", "t", "--pid", "\(app.number)"])
    try waitForTrace(workshop, recording)
    recording.send(signal)
    #expect(recording.endAlone().status == (signal == SIGTERM ? 0 : 128 + signal))
    Self.waitUntilTraced(app.number, false)
    #expect(try Self.text(of: app.number) == before && !before.isEmpty)
    app.send(SIGUSR1)
    try app.waitForOutput("fresh")
    app.send(SIGTERM)
    #expect(app.end().status == 143)
  }

  /// The tracer removes the breakpoint when the first thread stops. Other threads that have hit the same breakpoint
  /// begin the function again.
  @Test func whatWasHitWhileTheTracerLeavesIsUndone() throws {
    let workshop = try Self.workshop()
    let recording = try workshop.start(
      Built.orderfile, ["record", "--breakpoints", "-o", "t", "--", "./app", "at once"])
    try recording.waitForOutput("waiting")
    let app = try #require(Self.processes(in: workshop).first { Self.tracer(of: $0) != nil })
    let tracer = try #require(Self.tracer(of: app))
    func states(of pid: pid_t) -> [Character] {
      let threads =
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
      return threads.compactMap { thread in
        let stat = try? String(contentsOfFile: "/proc/\(pid)/task/\(thread)/stat", encoding: .utf8)
        return stat?.split(separator: ")").last?.dropFirst().first
      }
    }
    kill(tracer, SIGSTOP)
    #expect(holdsInTheEnd { states(of: tracer) == ["T"] })
    try workshop.write([], "go")
    #expect(holdsInTheEnd { states(of: app).filter { $0 == "t" }.count == 8 })
    recording.send(SIGKILL)
    _ = recording.endAlone()
    kill(tracer, SIGCONT)
    #expect(holdsInTheEnd { recording.output.contains("12345678") }, "\(recording.output)")
    recording.stop()
  }

  @Test func theProcessThatTracesCanBeToldToEnd() throws {
    let workshop = try Self.workshop()
    let app = try workshop.start(workshop.path("app"), ["wait"])
    try app.waitForOutput("waiting")
    let before = try Self.text(of: app.number)
    let recording = try workshop.start(
      Built.orderfile, ["record", "--breakpoints", "-o", "t", "--pid", "\(app.number)"])
    try waitForTrace(workshop, recording)
    let tracer = try #require(Self.tracer(of: app.number))
    #expect(tracer != recording.number)
    let other = try workshop.orderfile(
      "record", "--breakpoints", "-o", "other", "--pid", "\(app.number)")
    #expect(
      other.errors
        == "orderfile: error: process \(app.number): unable to trace: process \(tracer) already traces this process\n"
    )
    kill(tracer, SIGTERM)
    #expect(recording.end().status == 0)
    #expect(try functions(workshop) == ["late"])
    #expect(try Self.text(of: app.number) == before && !before.isEmpty)
    app.send(SIGTERM)
    #expect(app.end().status == 143)
  }

  /// Waits until the trace has a hit.
  private func waitForTrace(_ workshop: Workshop, _ recording: RunningProcess) throws {
    try recording.wait(for: "something to be recorded") {
      let folder = files(workshop).first { $0.hasPrefix("t.recording") }
      return folder.map { FileManager.default.fileExists(atPath: workshop.path("\($0)/trace")) }
        ?? false
    }
  }

  /// Containers may refuse `kcmp(2)`, which distinguishes threads from processes.
  @Test func threadsAreNoProcessesWhereKcmpIsRefused() throws {
    let workshop = try Self.workshop()
    try workshop.write(
      """
      #include <linux/filter.h>
      #include <linux/seccomp.h>
      #include <stddef.h>
      #include <sys/prctl.h>
      #include <sys/syscall.h>
      #include <unistd.h>
      int main(int n, char **v) {
        struct sock_filter filter[] = {
          BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kcmp, 0, 1),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
        struct sock_fprog program = {4, filter};
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 99;
        return execv(v[1], v + 1);
      }
      """.utf8, "refuse.c")
    try workshop.must("clang", ["refuse.c", "-o", "refuse"])
    for (words, expected) in [
      (["threads"], ["in_thread", "late"]), (["spawn", workshop.path("app")], ["late"]),
    ] {
      let run = try workshop.start(
        "./refuse", [Built.orderfile, "record", "--breakpoints", "-o", "t", "--", "./app"] + words
      ).end()
      #expect(run.status == (words.count == 1 ? 0 : 3), "\(run.errors)")
      #expect(try functions(workshop) == ["begin", "early", "main", "work"] + expected)
      #expect(files(workshop).filter { $0.hasPrefix("t.") }.count == words.count - 1)
    }
  }
}
