import Foundation
import TestSupport
import Testing

/// `orderfile record --breakpoints` of unmodified programs.
@Suite(.needs(.recording)) struct BreakpointTests {
  @Test(arguments: [
    (["exit", "0"], 0), (["exit", "7"], 7), (["kill", "15"], 143), (["kill", "9"], 137),
    (["crash"], 139),
  ])
  func theEndIsTheProgramsAndTheOrderItsOwn(arguments: [String], status: Int) throws {
    let workshop = try Self.workshop()
    #expect(try record(workshop, arguments).status == Int32(status))
    #expect(try functions(workshop) == ["begin", "early", "main", "work"])
  }

  @Test(arguments: [["-static"], ["-no-pie"], ["-fcf-protection=full"], ["-Wl,-z,now", "-s"]])
  func howItWasLinkedDoesNotMatter(flags: [String]) throws {
    let workshop = try Self.workshop(flags)
    let run = try record(workshop, ["exit", "0"])
    #expect(run.status == 0, "\(run.errors)")
    if flags.contains("-s") {
      // The functions of the stripped program have no names, and are recorded nevertheless.
      let show = try workshop.mustOrderfile("show", "--json", "t")
      #expect((show.json["hits"] as? [Any] ?? []).count >= 5)
    } else {
      #expect(try functions(workshop) == ["begin", "early", "main", "work"])
    }
  }

  @Test func whatWasStrippedIsInTheDebugFile() throws {
    let workshop = try Workshop()
    try workshop.write(
      """
      void assembled(void);
      __asm__(".text; .type assembled, @function; assembled: ret; .size assembled, . - assembled");
      int main(void) { assembled(); return 0; }
      """.utf8, "main.c")
    try workshop.must("clang", ["-fuse-ld=lld", "-Wl,--build-id", "main.c", "-o", "app"])
    try workshop.must("objcopy", ["--only-keep-debug", "app", "app.debug"])
    try workshop.must("strip", ["app"])
    func names() throws -> [String] {
      try record(workshop, [])
      return try RecordTests.functions(workshop, in: "t")
    }
    #expect(try !names().contains("assembled"))
    try workshop.must("objcopy", ["--add-gnu-debuglink=app.debug", "app"])
    #expect(try names().contains("assembled"))
  }

  @Test(.needs(.x8664Machine)) func assemblyWithoutTypesIsRecordedOrNamed() throws {
    let workshop = try Workshop()
    try workshop.write(
      """
      __asm__(".text; .globl assembled, squares, unknown; assembled: lea squares(%rip), %rax;"
              "mov (%rax, %rdi, 8), %rax; ret; squares: .quad 0, 1, 4, 9; unknown: ret");
      long assembled(long);
      int main(int count, char **arguments) { return assembled(count + 2); }
      """.utf8, "main.c")
    try workshop.must("clang", ["-fuse-ld=lld", "-Wl,--build-id", "main.c", "-o", "app"])
    let run = try record(workshop, [])
    #expect(run.status == 9, "what the program reads is unchanged")
    #expect(
      run.errors.contains("no breakpoint at 2 symbols without a type: squares, unknown\n"),
      "\(run.errors)")
    let names = try RecordTests.functions(workshop, in: "t")
    #expect(names.contains("assembled") && !names.contains("squares"), "\(names)")
  }

  @Test func aTrapOfTheProgramsOwnIsItsOwn() throws {
    let workshop = try Self.workshop()
    let run = try record(workshop, ["trap"])
    #expect(run.text == "alive" && run.status == 0)
    #expect(
      try functions(workshop)
        == ["begin", "early", "main", "work", "on_trap", "handled", "late"])
  }

  @Test func aBlockedTrapStaysBlocked() throws {
    let workshop = try Self.workshop()
    #expect(try record(workshop, ["blocked"]).text == "01")
  }

  @Test func threadsComeToOneBreakpointAtOnce() throws {
    let workshop = try Self.workshop()
    #expect(try record(workshop, ["threads"]).status == 0)
    #expect(
      try functions(workshop) == ["begin", "early", "main", "work", "in_thread", "late"])
  }

  @Test func aForkedChildHasATraceOfWhatItsParentHadNotUsed() throws {
    let workshop = try Self.workshop()
    #expect(try record(workshop, ["fork"]).status == 0)
    #expect(try functions(workshop) == ["begin", "early", "main", "work", "late"])
    let traces = files(workshop).filter { $0.hasPrefix("t.") }
    #expect(traces.count == 1)
    #expect(try functions(workshop, in: traces[0]) == ["in_child"])
  }

  @Test func aThousandChildrenComeAndGo() throws {
    let workshop = try Self.workshop()
    let run = try workshop.must(
      "sh",
      [
        "-c", "ulimit -n 64; exec \"$@\"", "sh", Built.orderfile, "record", "--breakpoints", "-o",
        "t",
        "--", "./app", "children", "1000",
      ])
    #expect(run.errors.contains("the sum over 1001 processes"), "\(run.errors)")
  }

  @Test func aSpawnedProgramIsRecordedIfItIsNamed() throws {
    let workshop = try Self.workshop()
    let path = workshop.path("app")
    #expect(try record(workshop, ["spawn", path]).status == 3)
    #expect(files(workshop).filter { $0.hasPrefix("t.") }.count == 1)
    #expect(
      try functions(workshop, in: files(workshop).first { $0.hasPrefix("t.") } ?? "")
        == ["begin", "early", "main", "work"])
    #expect(try record(workshop, ["again"]).status == 4)
  }

  @Test(arguments: [true, false]) func aPluginIsRecordedIfItIsNamed(isNamed: Bool) throws {
    let workshop = try Self.workshop()
    try workshop.write(
      """
      __attribute__((noinline)) void plugin_inner(void) { __asm__ volatile(""); }
      __attribute__((constructor)) static void at_load(void) { plugin_inner(); }
      void plugin_entry(void) { plugin_inner(); }
      """.utf8, "plugin.c")
    let built = try workshop.run(
      "clang", ["-O1", "-shared", "-fPIC", "plugin.c", "-o", "plugin.so"])
    #expect(built.status == 0)
    try FileManager.default.copyItem(
      atPath: workshop.path("plugin.so"), toPath: workshop.path("unused.so"))
    let run = try record(
      workshop, ["plugin", workshop.path("plugin.so")],
      options: isNamed ? ["--also", "plugin.so"] : ["--also", "unused.so"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("unused.so: no process loaded this image") != isNamed)
    #expect(
      try functions(workshop) == ["begin", "early", "main", "work"]
        + (isNamed ? ["plugin_inner", "plugin_entry"] : []) + ["late"])
  }

  @Test func aProgramMayRewriteItsText() throws {
    let workshop = try Self.workshop()
    #expect(try record(workshop, ["unmap"]).status == 0)
    #expect(try functions(workshop).contains("late"))
  }

  @Test func theProgramGoesOnWhenTheLaunchIsOver() throws {
    let workshop = try Self.workshop()
    try withGrowingTime { milliseconds in
      let run = try record(workshop, ["slow"], options: ["--stop-after", "\(milliseconds)"])
      #expect(run.text == "done")
      // No function has a first hit at the entry of the program.
      if run.status == 4 { return false }
      #expect(run.status == 0)
      let found = try functions(workshop)
      #expect(["begin", "early", "main", "work"].starts(with: found))
      return found.count == 4
    }
  }

  @Test func theLaunchEndsAtAMark() throws {
    let workshop = try RecordTests.workshop()
    for (mark, last) in [("ready", "main"), ("never said", "late")] {
      let run = try record(workshop, ["mark"], options: ["--stop-at", mark])
      #expect(run.status == 0, "\(run.errors)")
      let show = try workshop.mustOrderfile("show", "--json", "t").json
      #expect(show["end"] as? String == (last == "main" ? "stopped by mark" : "exit"))
      let marks = show["marks"] as? [[String: Any]] ?? []
      #expect(marks.compactMap { $0["name"] as? String } == ["ready"])
      #expect(try RecordTests.functions(workshop, in: "t").contains("late") == (last == "late"))
      #expect(try RecordTests.functions(workshop, in: "t").contains("orderfile_rt_mark"))
    }
  }

  @Test func theLaunchEndsWhereAFunctionIsFirstCalled() throws {
    let workshop = try Self.workshop()
    let run = try record(workshop, ["fork"], options: ["--stop-at-symbol", "in_child"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try functions(workshop) == ["begin", "early", "main", "work"])
    #expect(
      try workshop.mustOrderfile("show", "--json", "t").json["end"] as? String
        == "stopped by function")
    let other = try record(workshop, ["exit", "0"], options: ["--stop-at-symbol", "nowhere"])
    #expect(
      other.errors.contains("warning: nowhere: missing function: no recorded image has a symbol"))
  }

  /// A thread in vfork can't stop, and its child shares its memory.
  @Test func theLaunchEndsWhileAThreadWaitsInVfork() throws {
    let workshop = try Self.workshop()
    let run = try record(workshop, ["vfork"], options: ["--stop-at-symbol", "in_child"])
    #expect(run.status == 0 && run.text == "child parent", "\(run.errors)")
    #expect(try functions(workshop) == ["begin", "early", "main", "work"])
  }

  @Test func aRunningProcessIsLeftWhileAThreadWaitsInVfork() throws {
    let workshop = try Self.workshop()
    let app = try workshop.start(workshop.path("app"), ["vforks"])
    try app.waitForOutput("waiting")
    let before = try Self.text(of: app.number)
    let run = try workshop.orderfile(
      [
        "record", "--breakpoints", "-o", "t", "--pid", "\(app.number)", "--stop-at-symbol",
        "in_child",
      ]
    )
    #expect(run.status == 0 || run.status == 4, "\(run.errors)")
    #expect(try Self.text(of: app.number) == before && !before.isEmpty)
    app.send(SIGTERM)
    #expect(app.end().status == 143)
  }

  /// The child of the thread is not traced, and may never end.
  @Test func attachingToAThreadInVforkCanBeGivenUp() throws {
    let workshop = try Self.workshop()
    let app = try workshop.start(workshop.path("app"), ["in vfork"])
    try app.waitForOutput("waiting")
    let recording = try workshop.start(
      Built.orderfile, ["record", "--breakpoints", "-o", "t", "--pid", "\(app.number)"])
    Self.waitUntilTraced(app.number)
    recording.send(SIGINT)
    #expect(recording.end().status == 4)
    let child = try workshop.must("pgrep", ["-P", "\(app.number)"]).text
    kill(try #require(pid_t(child.dropLast())), SIGTERM)
    let end = app.end()
    #expect(end.status == 0 && end.text == "waiting\n1")
  }

  /// Returns the tracer of a process; `nil` if no process traces it, or if it is gone.
  static func tracer(of pid: pid_t) -> pid_t? {
    let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("TracerPid:") }
    return line.flatMap { pid_t($0.dropFirst("TracerPid:\t".count)) }.flatMap { $0 == 0 ? nil : $0 }
  }

  /// Waits until a tracer is attached, or until none is.
  static func waitUntilTraced(_ pid: pid_t, _ isTraced: Bool = true) {
    #expect(holdsInTheEnd { (tracer(of: pid) != nil) == isTraced })
  }

  @Test func aProgramOfAnotherKindIsLeftAlone() throws {
    let workshop = try Self.workshop()
    // The program calls exit(5) by a 32-bit system call.
    try workshop.write(
      ".globl _start\n_start: movl $1,%eax\n movl $5,%ebx\n int $0x80\n".utf8, "small.s")
    try workshop.must(
      "clang", ["-m32", "-nostdlib", "-static", "-fuse-ld=lld", "small.s", "-o", "small"])
    let run = try workshop.orderfile("record", "--breakpoints", "-o", "t", "--", "./small")
    #expect(run.status == 5)
    #expect(
      run.errors.contains(
        "small: no function of this image is recorded: unsupported e_ident: found 32 bits or another format; "
      )
    )
    #expect(try record(workshop, ["spawn", workshop.path("small")]).status == 5)
    #expect(try functions(workshop) == ["begin", "early", "main", "work", "late"])
  }

  /// LeakSanitizer traces the program at its end. Under another tracer the program would never end.
  @Test func aProgramWithLeakSanitizerIsRefusedUnlessThatIsOff() throws {
    let workshop = try Workshop()
    try workshop.write("int main(void) { return 3; }".utf8, "main.c")
    for flags in [["-fsanitize=address"], ["-fsanitize=leak"]] {
      try workshop.must(Tool.sanitizingClang, ["main.c", "-o", "app"] + flags)
      let refused = try record(workshop, [])
      #expect(refused.status == 1)
      #expect(
        refused.errors.contains(
          "/app: unable to trace the program: it contains LeakSanitizer")
          && refused.errors.contains("set ASAN_OPTIONS=detect_leaks=0"), "\(refused.errors)")
      let pages = try workshop.orderfile("pages", "--method", "ptrace", "--", "./app")
      #expect(pages.status == 1 && pages.errors == refused.errors)

      let allowed = try workshop.start(
        Built.orderfile, ["record", "--breakpoints", "-o", "t", "--", "./app"],
        environment: ["LSAN_OPTIONS": "detect_leaks=1,verbosity=0:detect_leaks=false"]
      ).end()
      #expect(allowed.status == 3, "\(allowed.errors)")
      #expect(try RecordTests.functions(workshop, in: "t").contains("main"))

      // If the launched program starts a program with LeakSanitizer, LeakSanitizer itself reports that it can't trace.
      let started = try workshop.orderfile(
        "record", "--breakpoints", "--all-images", "-o", "t", "--", "sh", "-c", "./app; exit 5")
      #expect(started.status == 5, "\(started.errors)")
      #expect(
        started.errors.contains(
          "/app: no function of this image is recorded, because it contains LeakSanitizer"
        ))
    }
  }

  @Test func aProgramThatRunsTooLongIsEnded() throws {
    let workshop = try Self.workshop()
    try withGrowingTime(from: 500) { milliseconds in
      let run = try record(
        workshop, ["wait"], options: ["--timeout", "\(Double(milliseconds) / 1000)"])
      #expect(run.status == 143)
      return try files(workshop).contains("t") && functions(workshop).last == "late"
    }
  }

  @Test func jobControlIsTheProgramsOwn() throws {
    let workshop = try Self.workshop()
    let recording = try workshop.start(
      Built.orderfile, ["record", "--breakpoints", "-o", "t", "--", "./app", "stop"])
    try recording.waitForOutput("waiting")
    // The program stops itself some time after the mark.
    #expect(
      holdsInTheEnd {
        recording.sendToGroup(SIGCONT)
        return !isRunning(recording.number)
      })
    #expect(recording.end().status == 0)
    #expect(try functions(workshop).last == "late")
  }

  @Test func aRunningProcessIsRecordedAndLeftAsItWas() throws {
    let workshop = try Self.workshop()
    let app = try workshop.start(workshop.path("app"), ["attached"])
    try app.waitForOutput("waiting")
    let pid = app.number
    let before = try Self.text(of: pid)
    let run = try workshop.orderfile(
      [
        "record", "--breakpoints", "--all-images", "-o", "t", "--pid", "\(pid)",
        "--stop-at-symbol", "handled",
      ])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try functions(workshop) == ["late"])
    #expect(try Self.text(of: pid) == before && !before.isEmpty)
    #expect(try RecordTests.isSealed(workshop, "t"))
    app.send(SIGTERM)
    #expect(app.end().status == 143)
  }

  @Test func whatOnlyAChildDidIsNotSaidOfTheProcess() throws {
    let workshop = try Self.workshop()
    let app = try workshop.start(workshop.path("app"), ["forks"])
    try app.waitForOutput("waiting")
    let run = try workshop.orderfile(
      "record", "--breakpoints", "-o", "t", "--pid", "\(app.number)", "--stop-at-symbol", "in_child"
    )
    #expect(run.status == 0, "\(run.errors)")
    let traces = files(workshop).filter { $0 == "t" || $0.hasPrefix("t.") }
    #expect(traces.count == 1 && traces.first != "t")
    #expect(try functions(workshop, in: traces.first ?? "") == ["late"])
    #expect(run.errors.contains(" in 1 image: \(traces.first ?? "");"), "\(run.errors)")
  }

  /// The reasons are not about permissions.
  @Test func aProcessThatHasEndedOrIsTheKernelsIsAnErrorOfItsOwn() throws {
    let workshop = try Workshop()
    // The parent is no shell, because a shell may ask for the child's status in between.
    let source = """
      #include <stdio.h>
      #include <unistd.h>
      int main(void) {
        int child = fork();
        if (!child) _exit(0);
        printf("%d\\n", child);
        fflush(stdout);
        for (;;) pause();
      }
      """
    try workshop.write(source.utf8, "parent.c")
    try workshop.must("clang", ["parent.c", "-o", "parent"])
    let parent = try workshop.start(workshop.path("parent"), [])
    try parent.waitForOutput("\n")
    let child = try #require(pid_t(parent.output.dropLast()))
    #expect(
      holdsInTheEnd {
        (try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8))?.contains(") Z ")
          ?? false
      })
    var cases = [(child, "the process has ended")]
    // Containers have none.
    let second = (try? String(contentsOfFile: "/proc/2/comm", encoding: .utf8)) ?? ""
    if second == "kthreadd\n" { cases.append((2, "the process is a kernel thread")) }
    for (number, reason) in cases {
      let run = try workshop.orderfile("record", "--breakpoints", "--pid", "\(number)", "-o", "t")
      #expect(run.status == 1)
      #expect(run.errors == "orderfile: error: process \(number): unable to trace: \(reason)\n")
    }
  }

  @Test func aProcessThatIsNotThereIsAnError() throws {
    let workshop = try Workshop()
    let run = try workshop.orderfile(["record", "--breakpoints", "--pid", "4194304", "-o", "t"])
    #expect(run.status == 1)
    #expect(run.errors == "orderfile: error: process 4194304: unable to run: No such process\n")
  }

  /// Returns the code of the program that process `pid` runs and of its libraries, as it is in memory.
  ///
  /// - Parameter name: selects the images whose paths contain it.
  static func text(of pid: pid_t, in name: String = "/") throws -> [UInt8] {
    let maps = try String(contentsOfFile: "/proc/\(pid)/maps", encoding: .utf8)
    var text: [UInt8] = []
    for line in maps.split(separator: "\n")
    where line.contains(" /") && line.contains("r-xp") && line.contains(name) {
      let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap {
        UInt64($0, radix: 16)
      }
      let memory = try #require(FileHandle(forReadingAtPath: "/proc/\(pid)/mem"))
      try memory.seek(toOffset: ends[0])
      text += [UInt8](try memory.read(upToCount: Int(ends[1] - ends[0])) ?? Data())
    }
    return text
  }

  /// Breakpoints and the recorder report the same functions in the same order.
  @Test func theOrderIsThatOfTheInstrumentedBuild() throws {
    let workshop = try RecordTests.workshop()
    try workshop.mustOrderfile("record", "-o", "instrumented", "--", "./app", "fork")
    try workshop.mustOrderfile("record", "--breakpoints", "-o", "t", "--", "./app", "fork")
    let expected = try RecordTests.functions(workshop, in: "instrumented")
    let found = try RecordTests.functions(workshop, in: "t").filter(Set(expected).contains)
    #expect(found == expected && !expected.isEmpty)
  }
}
