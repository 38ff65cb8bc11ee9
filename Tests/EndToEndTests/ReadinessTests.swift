import Foundation
import TestSupport
import Testing

/// `--until-ready`: launches of a server, which does not end by itself.
@Suite(.needs(.recording)) struct ReadinessTests {
  /// A server that is ready after `work`, and runs `shutdown` when it gets SIGTERM. The first argument selects what it
  /// does. It appends its process number to `pids`.
  private static let program = """
    #include <arpa/inet.h>
    #include <orderfile_runtime.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/mman.h>
    #include <sys/socket.h>
    #include <unistd.h>
    #define F(name) __attribute__((noinline, aligned(4096))) void name(void) { __asm__ volatile(""); }
    F(work) F(later) F(serve) F(shut_down)
    static volatile sig_atomic_t is_over;
    static void end(int signal) { (void)signal; is_over = 1; }
    static void wait_for_end(void) {
      sigset_t terminate, old;
      sigemptyset(&terminate);
      sigaddset(&terminate, SIGTERM);
      sigprocmask(SIG_BLOCK, &terminate, &old);
      while (!is_over) sigsuspend(&old);
    }
    int main(int n, char **v) {
      const char *what = n > 1 ? v[1] : "";
      FILE *pids = fopen("pids", "a");
      fprintf(pids, "%d\\n", (int)getpid());
      fclose(pids);
      signal(SIGTERM, end);
      work();
      if (!strcmp(what, "port")) {
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                      .sin_port = htons(atoi(v[2]))};
        int s = socket(AF_INET, SOCK_STREAM, 0), on = 1;
        setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (bind(s, (struct sockaddr *)&address, sizeof address) || listen(s, 1)) return 9;
        if (n > 3) {
          for (volatile int k = 0; k < 30000000; k++) {}
          later();
        }
      }
      if (!strcmp(what, "line")) { fputs("starting\\nrea", stderr); fputs("dy to serve\\n", stderr); }
      if (!strcmp(what, "mark")) orderfile_mark("ready");
      if (!strcmp(what, "flood")) { puts("ready"); while (!is_over) puts("more than anybody reads"); }
      if (!strcmp(what, "exit")) return atoi(v[2]);
      if (!strcmp(what, "touch")) {
        char *memory = mmap(0, 8 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        madvise(memory, 8 << 20, MADV_NOHUGEPAGE);
        memset(memory, 1, 8 << 20);
        puts("ready");
        fflush(stdout);
      }
      if (!strcmp(what, "late")) {
        orderfile_mark("ready");
        char *memory = malloc(64 << 20);
        memset(memory, 1, 64 << 20);
      }
      if (!strcmp(what, "stubborn")) { signal(SIGTERM, SIG_IGN); puts("ready"); fflush(stdout); }
      wait_for_end();
      serve();
      shut_down();
      return 5;
    }
    """

  /// A folder with the server `app`, and with `app-record`, which is instrumented.
  private static let built = PreparedFolder<Workshop> { workshop in
    try workshop.write(program.utf8, "app.c")
    let options = [
      "-O1", "-ffunction-sections", "-fuse-ld=lld", "-Wl,--build-id", "-I\(Built.headers)",
    ]
    try workshop.must("clang", options + ["app.c", "-o", "app"])
    try workshop.must(
      "clang",
      options + ["-fsanitize-coverage=func,trace-pc-guard,pc-table", "-c", "app.c", "-o", "app.o"])
    try workshop.must(
      "clang", options + ["app.o", try #require(Built.recorder), "-o", "app-record"])
  }

  /// A port on which nobody listens. Each test has a server of its own, so that two never want the same one.
  private static func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let found = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    try #require(found)
    return Int(UInt16(bigEndian: address.sin_port))
  }

  /// The sign, and the arguments with which the server gives it.
  private static func sign(_ kind: String) throws -> (option: String, arguments: [String]) {
    switch kind {
    case "port":
      let port = try freePort()
      return ("port=\(port)", ["port", "\(port)"])
    case "line": return ("line=ready to", ["line"])
    default: return ("mark=ready", ["mark"])
    }
  }

  /// Expects that no launched process is left, and that each server got SIGTERM, because it had no time limit.
  private func expectEnded(_ running: RunningProcess, _ workshop: Workshop, launches: Int) {
    #expect(running.leavesNothing())
    #expect(workshop.text("pids").split(separator: "\n").count == launches)
  }

  @Test(arguments: ["port", "line", "mark"])
  func anInstrumentedServerIsRecordedUntilItIsReady(kind: String) throws {
    let workshop = try Self.built.copy()
    let (option, arguments) = try Self.sign(kind)
    let running = try workshop.start(
      Built.orderfile,
      ["record", "-o", "t", "--until-ready", option, "--", "./app-record"] + arguments)
    let run = running.endAlone()
    #expect(run.status == 0, "the server is ended, so its own status tells nothing: \(run.errors)")
    expectEnded(running, workshop, launches: 1)
    if kind == "line" { #expect(run.errors.contains("starting\nready to serve\n")) }
    #expect(try RecordTests.functions(workshop, in: "t") == ["main", "work"])
    try expectEnd(kind, of: "t", workshop)
  }

  /// The program touches 64 MiB just after the mark.
  @Test(.needs(.x8664Machine)) func memoryIsReadExactlyAtTheMark() throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile(
      "pages", "--memory", "--json", "--until-ready", "mark=ready", "--", "./app", "late")
    #expect(run.status == 0, "\(run.errors)")
    let image = try #require((run.json["images"] as? [[String: Any]])?.first)
    let memory = try #require(image["memory"] as? [String: Any])
    let launches = try #require(memory["launches"] as? [[String: Any]])
    let rss = launches.compactMap { $0["rssBytes"] as? Int }
    #expect(rss.count == 20 && rss.allSatisfy { $0 < 16 << 20 }, "\(rss)")
  }

  /// Expects that the trace names this reason for its end.
  private func expectEnd(_ kind: String, of trace: String, _ workshop: Workshop) throws {
    let end = try workshop.mustOrderfile("show", trace, "--json").json["end"] as? String
    #expect(end == (kind == "mark" ? "stopped by mark" : "stopped when ready"))
  }

  @Test(arguments: ["port", "line", "mark"])
  func aServerIsRecordedWithBreakpointsUntilItIsReady(kind: String) throws {
    let workshop = try Self.built.copy()
    let (option, arguments) = try Self.sign(kind)
    // Marks are seen in programs that contain the recorder.
    let app = kind == "mark" ? "./app-record" : "./app"
    let running = try workshop.start(
      Built.orderfile,
      ["record", "--breakpoints", "-o", "t", "--until-ready", option, "--", app] + arguments)
    let run = running.endAlone()
    #expect(run.status == 0, "\(run.errors)")
    expectEnded(running, workshop, launches: 1)
    let functions = try RecordTests.functions(workshop, in: "t")
    #expect(functions.contains("work") && !functions.contains("shut_down"))
    try expectEnd(kind, of: "t", workshop)
  }

  /// All methods see the same functions, however much a method slows the server down.
  @Test(arguments: [
    ["record", "--breakpoints", "-o", "t"], ["pages", "--json", "--method", "preload"],
    ["pages", "--json", "--method", "ptrace"],
  ])
  func whatAServerDoesUntilItWaitsForRequestsCounts(command: [String]) throws {
    let workshop = try Self.built.copy()
    let (option, arguments) = try Self.sign("port")
    let running = try workshop.start(
      Built.orderfile,
      command + ["--until-ready", option, "--", "./app"] + arguments + ["later"])
    let run = running.endAlone()
    #expect(run.status == 0 && !run.errors.contains("still working"), "\(run.errors)")
    expectEnded(running, workshop, launches: 1)
    let text =
      command[0] == "pages"
      ? run.text : try RecordTests.functions(workshop, in: "t").joined(separator: " ")
    #expect(text.contains("later") && !text.contains("shut_down"), "\(text)")
  }

  @Test func aServerThatWritesOnAndOnIsReadyAllTheSame() throws {
    let workshop = try Self.built.copy()
    let running = try workshop.start(
      "sh",
      ["-c", #"exec "$0" record -o t --until-ready line=ready -- ./app-record flood >/dev/null"#]
        + [Built.orderfile])
    let run = running.endAlone()
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.errors.contains(
        "./app-record: the program was still busy when it was ended, seconds after it was ready")
    )
    expectEnded(running, workshop, launches: 1)
  }

  @Test(arguments: ["preload", "ptrace"], ["port", "line", "mark"])
  func pagesAreCountedUntilAServerIsReady(method: String, kind: String) throws {
    let workshop = try Self.built.copy()
    let (option, arguments) = try Self.sign(kind)
    let running = try workshop.start(
      Built.orderfile,
      ["pages", "--method", method, "--json", "-o", "pages.json", "--until-ready", option, "--"]
        + ["./app"] + arguments)
    let run = running.endAlone()
    #expect(run.status == 0, "\(run.errors)")
    expectEnded(running, workshop, launches: 1)
    let pages = workshop.text("pages.json")
    #expect(pages.contains("\"work\"") && !pages.contains("\"shut_down\""))
  }

  @Test(arguments: ["port", "line"])
  func aServerIsMeasuredUntilItIsReady(kind: String) throws {
    let workshop = try Self.built.copy()
    let (option, arguments) = try Self.sign(kind)
    let running = try workshop.start(
      Built.orderfile,
      ["measure", "--warm", "--runs", "2", "--json", "--until-ready", option]
        + ["--before", "./app", "--after", "./app", "--"] + arguments)
    let run = running.endAlone()
    #expect(run.status == 0, "\(run.errors)")
    let launches = workshop.text("pids").split(separator: "\n").count
    #expect(launches >= 6, "two that do not count, and two of each")
    expectEnded(running, workshop, launches: launches)
  }

  /// A shell starts the server in its own process or in the background, and the figures must include the server. A process that
  /// was left behind may have a lower number than the first process. 8 MiB are 2,048 pages of 4 KiB.
  @Test(
    .needs(.namespaces),
    arguments: [
      "./app touch; exit", "./app touch & wait", "(setsid ./app touch &) & exec sleep 1000",
      "(echo 100 >/proc/sys/kernel/ns_last_pid; setsid ./app touch &) & exec sleep 1000",
    ])
  func theFiguresAreThoseOfAllProcessesOfALaunch(launch: String) throws {
    let workshop = try Self.built.copy()
    let script = """
      echo 20000 >/proc/sys/kernel/ns_last_pid
      "$0" measure --warm --runs 2 --json --until-ready line=ready --before "sh -c '$1'" --after "sh -c '$1'"
      """
    let run = try workshop.start(
      "unshare",
      ["--pid", "--fork", "--mount-proc", "sh", "-c", script, Built.orderfile, launch]
    ).end()
    try #require(run.status == 0, "\(run.errors)")
    let sides = try #require(MeasureTests.sides(run.json)["warm"])
    for side in sides {
      let faults = MeasureTests.figures(side, "minorFaults")
      #expect(faults.count == 2 && faults.allSatisfy { $0 >= 2048 }, "\(faults)")
    }
  }

  @Test func anOrderIsRefinedForAServer() throws {
    let workshop = try Self.built.copy()
    let (option, arguments) = try Self.sign("port")
    try workshop.must("cp", ["app", "kept"])
    try workshop.write("shut_down\nwork\n".utf8, "app.order")
    let running = try workshop.start(
      Built.orderfile,
      ["refine", "--json", "--order", "app.order", "--image", "app", "--relink", "cp kept app"]
        + ["--until-ready", option, "--", "./app"] + arguments)
    let run = running.endAlone()
    #expect(run.status == 0, "\(run.errors)")
    let lines = workshop.text("app.order").split(separator: "\n")
    #expect(lines.contains("work") && !lines.contains("serve"))
    expectEnded(
      running, workshop, launches: workshop.text("pids").split(separator: "\n").count)
  }

  @Test func aServerThatIgnoresSIGTERMIsKilled() throws {
    let workshop = try Self.built.copy()
    let running = try workshop.start(
      Built.orderfile,
      ["record", "-o", "t", "--until-ready", "line=ready", "--", "./app-record", "stubborn"])
    #expect(running.endAlone().status == 0)
    expectEnded(running, workshop, launches: 1)
  }

  @Test func aProgramThatEndsBeforeItIsReadyIsAnError() throws {
    let workshop = try Self.built.copy()
    let ready = ["--until-ready", "line=ready"]
    for (arguments, app): ([String], String) in [
      (["record", "-o", "t"] + ready + ["--", "./app-record"], "./app-record"),
      (["pages"] + ready + ["--", "./app"], "./app"),
      (["measure"] + ready + ["--before", "./app", "--after", "./app", "--"], "./app"),
    ] {
      let run = try workshop.orderfile(arguments + ["exit", "3"])
      #expect(run.status == 1 && run.output.isEmpty)
      #expect(
        run.errors.contains(
          "\(app): the program ended before it was ready (exit status 3): expected 'ready' in its output"
        ), "\(run.errors)")
      #expect(!workshop.fileNames.contains("t"))
    }
  }

  @Test func aProgramThatIsNotReadyInTimeIsAnError() throws {
    let workshop = try Self.built.copy()
    for arguments in [
      ["record", "-o", "t"], ["pages"],
      ["measure", "--warm", "--before", "./app", "--after", "./app"],
    ] {
      try withGrowingTime { milliseconds in
        let seconds = Double(milliseconds) / 1000
        try workshop.write([], "pids")
        let running = try workshop.start(
          Built.orderfile,
          arguments + ["--timeout", "\(seconds)", "--until-ready", "line=ready", "--"]
            + (arguments[0] == "measure" ? ["wait"] : ["./app", "wait"]))
        let run = running.endAlone()
        #expect(run.status == 1)
        #expect(
          run.errors.contains(
            "the program was not ready within \(seconds) s: expected 'ready' in its output"),
          "\(run.errors)")
        #expect(running.leavesNothing())
        return !workshop.text("pids").isEmpty
      }
    }
  }

  @Test func aPortThatIsTakenTellsNothing() throws {
    let workshop = try Self.built.copy()
    let port = try Self.freePort()
    let server = try workshop.start("./app", ["port", "\(port)"])
    try server.wait(for: "the server") {
      let run = try workshop.orderfile(
        "record", "-o", "t", "--until-ready", "port=\(port)", "--", "./app-record", "exit", "0")
      #expect(run.status == 1)
      return run.errors.contains("--until-ready: found a listener on port \(port) before")
    }
    server.send(SIGTERM)
    #expect(server.end().status == 5)
  }

  @Test(arguments: ["port", "port=", "port=0", "port=65536", "line=", "8080", "socket=x"])
  func aSignThatIsNoneIsAUsageError(sign: String) throws {
    let workshop = try Workshop()
    let run = try workshop.orderfile("record", "--until-ready", sign, "--", "true")
    #expect(run.status == 64)
  }
}
