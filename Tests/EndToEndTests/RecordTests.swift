import Foundation
import TestSupport
import Testing

/// `orderfile record` around one program: its streams, its end, its signals, and what is left behind.
@Suite(.needs(.recording)) struct RecordTests {
  /// What the program does is its first argument.
  static let program = """
    #define _GNU_SOURCE
    #include <orderfile_runtime.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/wait.h>
    #include <unistd.h>
    __attribute__((noinline)) void work(void) { __asm__ volatile(""); }
    __attribute__((noinline)) void late(void) { __asm__ volatile(""); }
    __attribute__((noinline)) void in_child(void) { __asm__ volatile(""); }
    static void say(const char *text) { fputs(text, stdout); fflush(stdout); }
    int main(int n, char **v) {
      const char *what = n > 1 ? v[1] : "";
      work();
      if (!strcmp(what, "exit")) return atoi(v[2]);
      if (!strcmp(what, "kill")) raise(atoi(v[2]));
      if (!strcmp(what, "abort")) abort();
      if (!strcmp(what, "arguments")) for (int i = 2; i < n; i++) { say(v[i]); say("|"); }
      if (!strcmp(what, "copy")) for (int c; (c = getchar()) != EOF;) putchar(c);
      if (!strcmp(what, "mark")) { orderfile_mark("ready"); late(); }
      if (!strcmp(what, "slow")) { usleep(atoi(v[2]) * 1000); late(); }
      if (!strcmp(what, "wait")) { say("waiting\\n"); for (;;) pause(); }
      if (!strcmp(what, "stubborn")) {
        signal(SIGTERM, SIG_IGN);
        if (fork() == 0) { in_child(); for (;;) pause(); }
        for (;;) pause();
      }
      if (!strcmp(what, "fork")) {
        pid_t child = fork();
        if (child == 0) { in_child(); _exit(0); }
        waitpid(child, NULL, 0);
      }
      if (!strcmp(what, "daemon")) {
        int ready[2];
        char byte;
        if (pipe(ready)) return 9;
        if (fork() == 0) {
          in_child();
          setsid();
          if (write(ready[1], "", 1) != 1) _exit(9);
          while (access("stop", F_OK) != 0) usleep(1000);
          late();
          _exit(0);
        }
        if (read(ready[0], &byte, 1) != 1) return 9;
      }
      if (!strcmp(what, "quiet daemon") && fork() == 0) {
        setsid();
        while (access("stop", F_OK) != 0) usleep(1000);
        late();
        _exit(0);
      }
      return 0;
    }
    """

  /// A folder with the instrumented program `app`.
  static func workshop() throws -> Workshop {
    let workshop = try Workshop()
    let build = Build(testDescription: "", sources: [("main.c", program)], order: [])
    try workshop.link(build, workshop.compile(build, isRecorded: true), isRecorded: true, as: "app")
    try FileManager.default.removeItem(atPath: workshop.path("main.c"))
    try FileManager.default.removeItem(atPath: workshop.path("main.c.rec.o"))
    return workshop
  }

  /// Names of the functions in a trace, in their order.
  static func functions(_ workshop: Workshop, in trace: String) throws -> [String] {
    let show = try workshop.mustOrderfile("show", "--json", trace)
    let hits = show.json["hits"] as? [[String: Any]] ?? []
    return hits.compactMap { ($0["names"] as? [String])?.first }
  }

  static func isSealed(_ workshop: Workshop, _ trace: String) throws -> Bool {
    try workshop.mustOrderfile("show", "--json", trace).json["sealed"] as? Bool ?? false
  }

  @Test(arguments: [
    (["exit", "0"], 0), (["exit", "7"], 7), (["exit", "255"], 255), (["kill", "9"], 137),
    (["kill", "15"], 143), (["abort"], 134),
  ])
  func theExitStatusIsTheProgramsAndTheTraceIsThere(arguments: [String], status: Int) throws {
    let workshop = try Self.workshop()
    let run = try workshop.orderfile(["record", "-o", "t", "--", "./app"] + arguments)
    #expect(run.status == status, "\(run.errors)")
    #expect(
      run.errors.hasPrefix(
        "orderfile: recorded 2 first hits of 4 instrumented functions in 1 image, 0 before main, in "
      ))
    #expect(
      run.errors.hasSuffix(" ms: t; next: orderfile gen t --image RELEASE_IMAGE -o t.order\n"))
    #expect(try Self.functions(workshop, in: "t") == ["main", "work"])
    #expect(workshop.fileNames == ["app", "t"])
  }

  @Test func whatCantBeRunIsSaid() throws {
    let workshop = try Self.workshop()
    try workshop.write(Array("text".utf8), "plain.txt")
    for (program, reason) in [
      ("./nowhere", "No such file or directory"),
      ("no-such-command-at-all", "No such file or directory"),
      ("./plain.txt", "Permission denied"), (".", "Permission denied"),
    ] {
      let run = try workshop.orderfile("record", "-o", "t", "--", program)
      #expect(run.status == 1)
      #expect(run.errors == "orderfile: error: \(program): unable to run: \(reason)\n")
      #expect(workshop.fileNames == ["app", "plain.txt"])
    }
  }

  @Test func aProgramWithoutTheRecorderGetsAHint() throws {
    let workshop = try Self.workshop()
    let run = try workshop.orderfile("record", "--", "true")
    #expect(run.status == 4)
    #expect(
      run.errors == """
        orderfile: error: true: nothing was recorded: no instrumented image of this program contains \
        the recorder
          hint: compile with -fsanitize-coverage=func,trace-pc-guard,pc-table and link orderfile_rt.o

        """)
    let failing = try workshop.orderfile("record", "--", "false")
    #expect(failing.status == 1)
    #expect(failing.errors.hasPrefix("orderfile: warning: false: nothing was recorded: "))
    #expect(workshop.fileNames == ["app"])
  }

  @Test func commandsNeedNoTerminatorAndKeepTheirOwn() throws {
    let workshop = try Self.workshop()
    for arguments in [
      ["./app", "arguments", "--opt", "-o", "--", "x"],
      ["--", "./app", "arguments", "--opt", "-o", "--", "x"],
      ["-o", "t", "./app", "arguments", "--opt", "-o", "--", "x"],
    ] {
      let run = try workshop.orderfile(["record"] + arguments)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.text == "--opt|-o|--|x|")
    }
    #expect(workshop.fileNames == ["app", "app.oftrace", "t"])
  }

  @Test func argumentsThatAreNoTextArriveAsTheyAre() throws {
    let workshop = try Self.workshop()
    let run = try workshop.start(
      "/bin/sh", ["-c", "\"$0\" record ./app arguments \"$(printf 'a\\377b')\"", Built.orderfile]
    ).end()
    #expect(run.output == [0x61, 0xff, 0x62, 0x7c])
  }

  @Test func optionsOfRecordAreItsOwn() throws {
    let workshop = try Self.workshop()
    let help = try workshop.orderfile("record", "--help")
    #expect(help.status == 0)
    #expect(help.text.contains("$ orderfile record -o app.oftrace -- ./app --help"))
    let version = try workshop.orderfile("record", "--version")
    #expect(version.status == 0 && version.text.hasPrefix("orderfile "))
    let unknown = try workshop.orderfile("record", "--bogus", "--", "./app")
    #expect(unknown.status == 64)
    #expect(unknown.errors.hasPrefix("Error: unknown option '--bogus'\n"))
    for arguments in [["record"], ["record", "--"], ["record", "--timeout", "0", "./app"]] {
      #expect(try workshop.orderfile(arguments).status == 64)
    }
    #expect(workshop.fileNames == ["app"])
  }

  @Test func streamsPassThroughUntouched() throws {
    let workshop = try Self.workshop()
    let binary = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let run = try workshop.orderfile(["record", "-o", "t", "./app", "copy"], input: binary)
    #expect(run.output == binary)
    for script in [
      "printf abc | \"$0\" record -o t ./app copy | cat", "\"$0\" record -o t ./app copy <&-",
      "\"$0\" record -o t ./app exit 0 >&-", "\"$0\" record -o t ./app exit 0 2>&-",
      "\"$0\" record -o t ./app exit 0 <&- >&- 2>&-",
    ] {
      try? FileManager.default.removeItem(atPath: workshop.path("t"))
      let run = try workshop.start("/bin/sh", ["-c", script, Built.orderfile]).end()
      #expect(run.status == 0, "\(script): \(run.errors)")
      #expect(run.text == (script.hasPrefix("printf") ? "abc" : ""))
      #expect(try Self.functions(workshop, in: "t") == ["main", "work"], "\(script)")
    }
    #expect(workshop.fileNames == ["app", "t"])
  }

  @Test func aReaderThatGoesAwayStopsNothing() throws {
    let workshop = try Self.workshop()
    let run = try workshop.start(
      "/bin/bash",
      [
        "-c", "\"$0\" record -o t ./app exit 3 2>&1 >/dev/null | true; echo ${PIPESTATUS[0]}",
        Built.orderfile,
      ]
    ).end()
    #expect(run.text == "3\n")
    #expect(workshop.fileNames == ["app", "t"])
  }

  @Test(arguments: ["with blank", "100%", "größe", "%p.%n", "it's"])
  func pathsMayHoldAnything(name: String) throws {
    let workshop = try Self.workshop()
    try workshop.must("mkdir", [name])
    let run = try workshop.orderfile("record", "-o", "\(name)/\(name) trace", "./app", "fork")
    #expect(run.status == 0, "\(run.errors)")
    let quoted = name == "it's" ? "it'\\''s" : name
    #expect(
      run.errors.contains("orderfile gen '\(quoted)/\(quoted) trace' '\(quoted)/\(quoted) trace."))
    #expect(try Self.functions(workshop, in: "\(name)/\(name) trace") == ["main", "work"])
    let files = try FileManager.default.contentsOfDirectory(atPath: workshop.path(name))
    #expect(files.count == 2)
    #expect(files.allSatisfy { $0.hasPrefix("\(name) trace") })
  }

  @Test func anUnwritableOutputIsFoundBeforeTheLaunch() throws {
    let workshop = try Self.workshop()
    try workshop.must("mkdir", ["folder"])
    for (path, reason) in [
      ("missing/t", "No such file or directory"), ("folder", "Is a directory"),
      ("app/t", "Not a directory"),
    ] {
      let run = try workshop.orderfile("record", "-o", path, "./app", "arguments", "ran")
      #expect(run.status == 1)
      #expect(run.errors == "orderfile: error: \(path): unable to write: \(reason)\n")
      #expect(run.output.isEmpty, "the program was launched")
    }
    let run = try workshop.orderfile("record", "-o", "-", "./app")
    #expect(run.status == 1)
    #expect(
      run.errors == """
        orderfile: error: --output: unable to write a trace to stdout: the program uses it
          hint: name a file

        """)
    #expect(workshop.fileNames == ["app", "folder"])
  }

  @Test func marksAndTimeEndTheLaunch() throws {
    let workshop = try Self.workshop()
    try workshop.mustOrderfile("record", "-o", "all", "./app", "mark")
    #expect(try Self.functions(workshop, in: "all") == ["main", "work", "late"])
    try workshop.mustOrderfile("record", "-o", "marked", "--stop-at", "ready", "./app", "mark")
    #expect(try Self.functions(workshop, in: "marked") == ["main", "work"])
    let show = try workshop.mustOrderfile("show", "--json", "marked").json
    #expect(show["end"] as? String == "stopped by mark")
    #expect((show["marks"] as? [[String: Any]])?.first?["name"] as? String == "ready")
    try workshop.mustOrderfile("record", "-o", "other", "--stop-at", "elsewhere", "./app", "mark")
    #expect(try Self.functions(workshop, in: "other") == ["main", "work", "late"])
    try withGrowingTime { milliseconds in
      let run = try workshop.orderfile(
        "record", "-o", "timed", "--stop-after", "\(milliseconds)", "./app", "slow",
        "\(milliseconds)")
      if run.status == 4 { return false }  // not even one function
      #expect(run.status == 0, "\(run.errors)")
      let timed = try Self.functions(workshop, in: "timed")
      #expect(["main", "work"].starts(with: timed))
      return timed.count == 2
    }
  }

  /// A program that ignores SIGTERM, and its child.
  @Test func theTimeLimitEndsTheWholeGroup() throws {
    let workshop = try Self.workshop()
    try withGrowingTime(from: 500) { milliseconds in
      let seconds = Double(milliseconds) / 1000
      let running = try workshop.start(
        Built.orderfile, ["record", "-o", "t", "--timeout", "\(seconds)", "./app", "stubborn"])
      let run = running.endAlone()
      let traces = workshop.fileNames.filter { $0.hasPrefix("t") }
      defer { for trace in traces { unlink(workshop.path(trace)) } }
      #expect(running.leavesNothing(), "the child outlived the time limit")
      #expect(
        run.errors.contains(
          "orderfile: warning: ./app: the program ran longer than \(seconds) s and was ended\n"))
      guard traces.count == 2 else { return false }
      let child = try Self.functions(workshop, in: traces[1])
      guard child == ["in_child"] else { return false }
      #expect(run.status == 137)
      #expect(try Self.functions(workshop, in: "t") == ["main", "work"])
      for trace in traces { #expect(try Self.isSealed(workshop, trace)) }
      return true
    }
  }

  /// With a time limit the program has a process group of its own, which must still have the terminal.
  @Test(.needs("script"), arguments: ["", "--timeout 86400 "])
  func theTerminalIsThePrograms(option: String) throws {
    let workshop = try Self.workshop()
    // script's standard input is open until the program has read it.
    let run = try workshop.start(
      "/bin/sh",
      [
        "-c",
        """
        (printf 'typed\\n\\004'; until test -e done; do sleep 0.01; done) \
          | script -qec "'$0' record -o t \(option)./app copy; echo status $?; touch done" log
        """,
        Built.orderfile,
      ]
    ).end()
    #expect(run.text.contains("typed"), "\(run.text)")
    #expect(run.text.contains("status 0"), "\(run.text)")
    #expect(try Self.functions(workshop, in: "t") == ["main", "work"])
  }

  @Test(arguments: [[], ["--timeout", "86400"]])
  func interruptingTheGroupStillSealsTheTrace(options: [String]) throws {
    let workshop = try Self.workshop()
    let running = try workshop.start(
      Built.orderfile, ["record", "-o", "t"] + options + ["./app", "wait"])
    try running.waitForOutput("waiting")
    running.sendToGroup(SIGINT)
    let run = running.end()
    #expect(run.status == 130)
    #expect(try Self.isSealed(workshop, "t"))
    #expect(workshop.fileNames == ["app", "t"])
  }

  @Test(arguments: [SIGTERM, SIGHUP]) func signalsToTheCommandReachTheProgram(signal: Int32) throws
  {
    let workshop = try Self.workshop()
    let running = try workshop.start(Built.orderfile, ["record", "-o", "t", "./app", "wait"])
    try running.waitForOutput("waiting")
    running.send(signal)
    let run = running.end()
    #expect(run.status == 128 + signal)
    #expect(try Self.functions(workshop, in: "t") == ["main", "work"])
    #expect(workshop.fileNames == ["app", "t"])
  }

  @Test func aForkedChildHasATraceOfItsOwn() throws {
    let workshop = try Self.workshop()
    let run = try workshop.mustOrderfile("record", "-o", "t", "./app", "fork")
    let child = try #require(workshop.fileNames.first { $0.hasPrefix("t.") })
    #expect(
      run.errors.contains(
        "recorded 3 first hits, the sum over 2 processes, of 4 instrumented functions in 1 image, ")
    )
    #expect(
      run.errors.hasSuffix(
        ": t and 1 more trace; next: orderfile gen t \(child) --image RELEASE_IMAGE -o t.order\n"))
    #expect(try Self.functions(workshop, in: child) == ["in_child"])
    let gen = try workshop.mustOrderfile("gen", "t", child)
    let lines = gen.text.split(separator: "\n")
    #expect(lines.suffix(3) == ["main", "work", "in_child"])
  }

  /// What still runs keeps its trace and goes on recording into it.
  @Test func aDaemonGoesOnRecording() throws {
    let workshop = try Self.workshop()
    let running = try workshop.start(Built.orderfile, ["record", "-o", "t", "./app", "daemon"])
    #expect(running.endAlone().status == 0)
    let child = try #require(workshop.fileNames.first { $0.hasPrefix("t.") })
    #expect(try Self.isSealed(workshop, "t"))
    #expect(try !Self.isSealed(workshop, child))
    try workshop.write([], "stop")
    #expect(running.leavesNothing())
    #expect(try Self.functions(workshop, in: child) == ["in_child", "late"])
    #expect(workshop.fileNames == ["app", "stop", "t", child])
  }

  /// By then its parent's trace is sealed, and the folder is gone where both were to put theirs.
  @Test func aChildThatBeginsItsTraceAfterRecordHasEndedIsRecordedToo() throws {
    let workshop = try Self.workshop()
    let folder = workshop.path("100% new")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let running = try workshop.start(
      Built.orderfile, ["record", "-o", "100% new/t", "./app", "quiet daemon"])
    #expect(running.endAlone().status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["t"])
    try workshop.write([], "stop")
    #expect(running.leavesNothing())
    let traces = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    try #require(traces.count == 2 && traces[1].hasPrefix("t."), "\(traces)")
    #expect(try Self.functions(workshop, in: "100% new/\(traces[1])") == ["late"])
  }

  /// The first program that a script starts may be the one that stays.
  @Test func aScriptsDaemonGoesOnRecordingToo() throws {
    let workshop = try Self.workshop()
    let running = try workshop.start(
      Built.orderfile, ["record", "-o", "t", "/bin/sh", "-c", "./app daemon & wait; exit 0"])
    #expect(running.endAlone().status == 0)
    #expect(try Self.functions(workshop, in: "t") == ["main", "work"])
    try workshop.write([], "stop")
    #expect(running.leavesNothing())
  }

  /// As text it would name another file: a letter of Latin-1 in a name that is not UTF-8.
  @Test(arguments: ["record -o $N -- ./app", "record -o t -- ./$N", "show $N"])
  func aWordThatIsNotUTF8IsRefusedBeforeAnythingIsRun(words: String) throws {
    let workshop = try Self.workshop()
    let script = "N=$(printf 'd\\351mo'); cp app \"$N\"; exec \"$0\" \(words)"
    let run = try workshop.start("/bin/sh", ["-c", script, Built.orderfile]).end()
    #expect(run.status == 1)
    #expect(
      run.errors.contains("mo: unable to use this argument: expected UTF-8\n  hint: "),
      "\(run.errors)")
    #expect(workshop.fileNames.count == 2)
  }

  @Test func theProgramsOwnWordsMayBeAnyBytes() throws {
    let workshop = try Self.workshop()
    let run = try workshop.start(
      "/bin/sh",
      [
        "-c", "exec \"$0\" record -o t -- ./app arguments \"$(printf 'd\\351mo')\"",
        Built.orderfile,
      ]
    ).end()
    #expect(run.status == 0 && run.output == [0x64, 0xe9, 0x6d, 0x6f, 0x7c], "\(run.errors)")
  }

  @Test func aFolderThatIsNotUTF8IsRefusedBeforeAnythingIsRun() throws {
    let workshop = try Self.workshop()
    let script =
      "N=$(printf 'd\\351mo'); mkdir \"$N\"; cd \"$N\"; exec \"$0\" record -o t -- ../app"
    let run = try workshop.start("/bin/sh", ["-c", script, Built.orderfile]).end()
    #expect(run.status == 1)
    #expect(run.errors.contains("unable to use this path: expected UTF-8"), "\(run.errors)")
  }

  @Test func aScriptMayLaunchSeveralPrograms() throws {
    let workshop = try Self.workshop()
    let other = """
      __attribute__((noinline)) void rest(void) { __asm__ volatile(""); }
      int main(void) { rest(); return 0; }
      """
    let build = Build(testDescription: "", sources: [("second.c", other)], order: [])
    try workshop.link(
      build, workshop.compile(build, isRecorded: true), isRecorded: true, as: "second")
    try workshop.must("cp", ["app", "copy"])
    let run = try workshop.mustOrderfile(
      "record", "-o", "t", "/bin/sh", "-c", "./app mark; ./second; ./copy exit 0")
    let traces = workshop.fileNames.filter { $0 == "t" || $0.hasPrefix("t.") }
    #expect(traces.count == 3)
    #expect(run.errors.contains(", the sum over 3 processes, "))
    let programs = try traces.map { trace in
      (try workshop.mustOrderfile("show", "--json", trace).json["program"] as? String ?? "")
        .split(separator: "/").last.map(String.init)
    }
    #expect(programs[0] == "app")
    #expect(Set(programs) == ["app", "second", "copy"])
    // One order file is about one program: the other's trace is named and not used. A copy is the same program.
    let gen = try workshop.mustOrderfile("gen", traces[0], traces[1], traces[2])
    #expect(gen.errors.contains("recorded functions of 2 launches "), "\(gen.errors)")
    #expect(
      gen.errors.contains(
        ": none of 2 hits is used, no build of it in the trace: 2 in 'second' (2 functions)\n"
      ),
      "\(gen.errors)")
    try workshop.mustOrderfile(
      "gen", traces[0], traces[1], traces[2], "--all-images", "-o", "orders")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: workshop.path("orders")).sorted() == [
        "app.order", "second.order",
      ])
  }
}
