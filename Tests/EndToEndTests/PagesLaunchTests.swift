import Foundation
import TestSupport
import Testing

/// How programs run and end while `orderfile pages` counts their pages.
@Suite(.needs("ld.lld", "nm")) struct PagesLaunchTests {
  @Test(arguments: PagesTests.methods, [["crash"], ["raise"]])
  func aProgramThatFaultsDiesOfIt(method: String, arguments: [String]) throws {
    let app = try PagesWorkshop()
    #expect(try app.pages(method, arguments).status == 128 + 11)
    #expect(try app.report()["signal"] as? Int == 11)
    #expect(try app.touches() == ["f1 execute"])
  }

  @Test(arguments: PagesTests.methods) func theStatusIsTheProgramsOwn(method: String) throws {
    let app = try PagesWorkshop()
    #expect(try app.pages(method, ["exit", "7"]).status == 7)
    #expect(try app.report()["exitStatus"] as? Int == 7)
  }

  @Test(arguments: PagesTests.methods) func aProgramThatNeverEndsIsEnded(method: String) throws {
    let app = try PagesWorkshop()
    try withGrowingTime(from: 500) { milliseconds in
      let seconds = Double(milliseconds) / 1000
      let run = try app.pages(method, ["sleep"], options: ["--timeout", "\(seconds)"])
      #expect(run.status == 143)
      #expect(
        run.errors
          == "orderfile: warning: ./app: the program ran longer than \(seconds) s and was ended\n")
      let touches = try app.touches()
      #expect(["f1 execute"].starts(with: touches))
      return !touches.isEmpty
    }
  }

  @Test(arguments: PagesTests.methods) func aResultThatFindsNoRoomIsAnError(method: String) throws {
    let app = try PagesWorkshop()
    let run = try app.workshop.orderfile(
      "pages", "--method", method, "--json", "-o", "/dev/full", "--", "./app", "touch")
    #expect(run.status == 1)
    #expect(
      run.errors == "orderfile: error: /dev/full: unable to write: No space left on device\n")
    // The missing function is reported before the launch, which would never end.
    let missing = try app.workshop.orderfile(
      "pages", "--method", method, "-o", "missing/x", "--", "./app", "wait")
    #expect(missing.status == 1 && missing.errors.contains("missing/x: "))
    #expect(!app.workshop.fileNames.contains("missing"))
  }

  @Test(arguments: PagesTests.methods) func anInterruptEndsTheProgramToo(method: String) throws {
    let app = try PagesWorkshop()
    let running = try app.workshop.start(
      Built.orderfile,
      ["pages", "--method", method, "--json", "-o", "pages.json", "--", "./app", "wait"])
    try running.waitForOutput("waiting")
    running.sendToGroup(SIGINT)
    #expect(running.endAlone().status == 128 + SIGINT)
    #expect(try app.touches() == ["f1 execute"])
    #expect(running.leavesNothing())
  }

  @Test func aProgramTracedFromOutsideOutlivesTheCommand() throws {
    let app = try PagesWorkshop()
    let running = try app.workshop.start(
      Built.orderfile, ["pages", "--method", "ptrace", "--", "./app", "wait"])
    try running.waitForOutput("waiting")
    running.send(SIGKILL)
    let child = try #require(Int32(running.output.filter(\.isNumber)))
    #expect(running.endAlone().status == 128 + SIGKILL)
    BreakpointTests.waitUntilTraced(child, false)
    #expect(kill(child, 0) == 0)
  }

  @Test(arguments: PagesTests.methods) func whatItLeavesBehindGoesOn(method: String) throws {
    let app = try PagesWorkshop()
    let running = try app.start(method, ["leave"])
    let run = running.endAlone()
    #expect(run.status == 0, "\(run.errors)")
    #expect(try app.touches().contains("f1 execute"))
    try app.workshop.write([], "go")
    #expect(running.leavesNothing())
    #expect(app.workshop.fileNames.contains("left"))
  }

  @Test(.needs("strace"))
  func whereTracingIsNotPermittedThereIsAHint() throws {
    let app = try PagesWorkshop()
    // A process has one tracer at most.
    let run = try app.workshop.start(
      "strace",
      [
        "-f", "-o", "/dev/null", Built.orderfile, "pages", "--method", "ptrace", "--", "./app",
      ]
    ).end()
    #expect(run.status == 1)
    #expect(run.errors.contains("unable to trace: ptrace is not permitted here"))
    #expect(run.errors.contains("hint:") && run.output.isEmpty)
  }

  @Test(.needs(.x8664Machine)) func theLibraryBringsNothingElseIntoAProgram() throws {
    let workshop = try Workshop()
    let library = URL(fileURLWithPath: Built.orderfile).deletingLastPathComponent()
      .appendingPathComponent("liborderfile-pages.so").path
    #expect(try workshop.must("nm", ["-D", "--undefined-only", library]).text.isEmpty)
    let defined = try workshop.must("nm", ["-D", "--defined-only", library]).text
    #expect(defined.contains("T orderfile_rt_mark") && defined.contains("T orderfile_rt_stop"))
    #expect(!defined.contains("memcpy"))
  }

  @Test(arguments: PagesTests.methods) func whatItPrintsIsNotKept(method: String) throws {
    let app = try PagesWorkshop()
    let run = try app.workshop.start(
      "sh",
      [
        "-c", "ulimit -v 4000000; \"$@\" | head -c 100000000 | wc -c", "sh", Built.orderfile,
        "pages", "--method", method, "-o", "pages.json", "--json", "--timeout", "86400", "--",
        "./app",
        "much",
      ]
    ).end()
    #expect(run.text.contains("100000000"), "\(run.errors)")
    #expect(try app.touches() == ["f1 execute"])
  }

  @Test(arguments: PagesTests.methods) func aProgramThatForbidsItselfTheCallsIsAnError(
    method: String
  ) throws {
    let app = try PagesWorkshop()
    let run = try app.pages(method, ["seccomp"])
    #expect(run.status == 1)
    #expect(
      run.errors.contains("the program's seccomp filter forbids system calls")
        && run.errors.contains("hint:"),
      "\(run.errors)")
    let before = try app.pages(method, ["seccomp"], options: ["--stop-at-symbol", "f2"])
    #expect(before.status == 0, "\(before.errors)")
    #expect(try app.touches() == ["f1 execute"])
  }

  @Test(arguments: PagesTests.methods) func aChildThatResetsSignalsLeavesItsParentsAlone(
    method: String
  ) throws {
    let app = try PagesWorkshop()
    let run = try app.pages(method, ["spawn with default actions"])
    #expect(run.status == 0 && run.text == "null alive\n", "\(run.errors)")
  }

  /// With the `preload` method, the program would wait at each page for the debugger, which waits for the program in
  /// vfork.
  @Test(.needs(.x8664Machine)) func aProgramThatADebuggerTracesIsAnError() throws {
    let app = try PagesWorkshop()
    let run = try app.pages("preload", ["traced child"])
    #expect(run.status == 1 && run.text == "alive\n", "\(run.errors)")
    #expect(run.errors.contains("another process, such as a debugger, traces the program"))
  }

  /// glibc 2.38 and later start them by a system call that Debian 12's does not make: "clear actions" makes it.
  @Test(.needs("gcc", "musl-gcc"), arguments: PagesTests.methods, ["gcc", "musl-gcc"])
  func whatACLibraryStartsRuns(method: String, compiler: String) throws {
    let workshop = try Workshop()
    let source = """
      #include <spawn.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <sys/wait.h>
      extern char **environ;
      int main(void) {
        char text[16] = "", *words[] = {"sh", "-c", "exit 5", NULL};
        int status = system("exit 7"), spawned = 0;
        pid_t child;
        FILE *pipe = popen("echo text", "r");
        if (!pipe || !fgets(text, sizeof text, pipe) || pclose(pipe)) return 9;
        if (posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ)) return 8;
        waitpid(child, &spawned, 0);
        printf("%d %d %s", WEXITSTATUS(status), WEXITSTATUS(spawned), text);
        return 0;
      }
      """
    try workshop.write(source.utf8, "main.c")
    try workshop.must(compiler, ["main.c", "-o", "app"])
    let run = try workshop.orderfile(
      "pages", "--method", method, "--json", "-o", "pages.json", "--", "./app")
    #expect(run.status == 0 && run.text == "7 5 text\n" && run.errors == "", "\(run.errors)")
  }

  /// The AddressSanitizer of gcc is a library that must be loaded first.
  @Test(.needs("gcc"), arguments: PagesTests.methods)
  func aSanitizedProgramThatTheProgramStartsRuns(method: String) throws {
    let app = try PagesWorkshop()
    try app.workshop.write("int main(void) { return 0; }".utf8, "sanitized.c")
    try app.workshop.must("gcc", ["-fsanitize=address", "sanitized.c", "-o", "sanitized"])
    let run = try app.workshop.start(
      Built.orderfile,
      [
        "pages", "--method", method, "--json", "-o", "pages.json", "--", "/bin/sh", "-c",
        "./sanitized; echo $? $ASAN_OPTIONS",
      ], environment: ["ASAN_OPTIONS": "detect_leaks=0"]
    ).end()
    #expect(run.status == 0 && run.text.hasPrefix("0 detect_leaks=0"), "\(run.text)\(run.errors)")
  }

  @Test(arguments: PagesTests.methods) func whatCannotBeLaunchedIsAnError(method: String) throws {
    let app = try PagesWorkshop()
    try app.workshop.write("text".utf8, "text")
    for (name, reason) in [("./nothing", "No such file"), ("./text", "Permission denied")] {
      let run = try app.workshop.orderfile("pages", "--method", method, "--", name)
      #expect(run.status == 1 && run.errors.contains("\(name): unable to run: \(reason)"))
    }
    let full = try app.workshop.start(
      "sh", ["-c", "\"$@\" >/dev/full", "sh", Built.orderfile, "pages", "--", "./app"]
    ).end()
    #expect(full.status == 1 && full.errors.contains("No space left"))
  }
}
