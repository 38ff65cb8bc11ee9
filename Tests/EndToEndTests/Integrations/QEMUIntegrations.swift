import Foundation
import TestSupport
import Testing

/// `orderfile record --qemu`: what an emulator sees of an unmodified program.
@Suite(.needs(.recording, .x8664Machine, "qemu-x86_64", "gcc")) struct QEMUIntegrations {
  /// Has a function of which half runs, one that is never called, and a thread's.
  static let source = """
    #include <pthread.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/resource.h>
    #include <sys/wait.h>
    #include <unistd.h>
    #define ALONE __attribute__((noinline, noipa))
    ALONE int half(int n) { return n > 5 ? puts("many") + puts("words") : n + 1; }
    ALONE int never(int n) { return n * 3; }
    ALONE int of_child(int n) { return n * 7; }
    ALONE void *of_thread(void *n) { return (char *)n + half(7); }
    ALONE void handler(int n) { (void)n; }
    ALONE int last(int n) { return n + 2; }
    int main(int n, char **v) {
      const char *what = n > 1 ? v[1] : "";
      half(n);
      if (n > 5) never(n);
      if (!strcmp(what, "fork without a file")) setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
      if (!strncmp(what, "fork", 4)) {
        if (!fork()) _exit(of_child(n) != 14);
        wait(NULL);
      } else if (!strcmp(what, "exec")) {
        if (!fork()) execlp(v[2], v[2], "child", NULL);
        wait(NULL);
      } else if (!strcmp(what, "thread")) {
        pthread_t thread;
        pthread_create(&thread, NULL, of_thread, v);
        pthread_join(thread, NULL);
      } else if (!strcmp(what, "signal")) {
        signal(SIGUSR1, handler);
        raise(SIGUSR1);
      } else if (!strcmp(what, "crash")) {
        raise(SIGSEGV);
      } else if (!strcmp(what, "wait")) {
        puts("waiting");
        fflush(stdout);
        for (;;) pause();
      } else if (!strcmp(what, "echo")) {
        int c;
        while ((c = getchar()) >= 0) putchar(c);
        fputs("complaint", stderr);
        return 3;
      }
      return last(n) < 0;
    }
    """

  static func workshop(
    _ compiler: String = "gcc", _ flags: [String] = []
  ) throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(source.utf8, "main.c")
    try workshop.must(
      compiler, ["-O1", "-g0", "-Wl,--build-id", "main.c", "-o", "app", "-pthread"] + flags)
    return workshop
  }

  private func record(
    _ workshop: Workshop, options: [String] = [], _ arguments: String..., input: [UInt8] = []
  ) throws -> Run {
    try workshop.orderfile(
      ["record", "--qemu", "-o", "t"] + options + ["--", "./app"] + arguments, input: input)
  }

  private func number(_ text: Any?) -> UInt64 {
    (text as? String).flatMap { UInt64($0.dropFirst(2), radix: 16) } ?? .max
  }

  /// Of a trace: the functions by their entries, and the blocks; each in the order of first uses.
  private func uses(
    _ workshop: Workshop, in trace: String = "t"
  ) throws -> (entries: [UInt64], blocks: [Range<UInt64>]) {
    let json = try workshop.mustOrderfile("show", "--json", trace).json
    let hits = try #require(json["hits"] as? [[String: Any]])
    let blocks = try #require(json["blocks"] as? [[String: Any]])
    return (
      hits.map { number($0["entry"]) },
      blocks.map {
        let start = number($0["address"])
        return start..<start + UInt64($0["sizeBytes"] as? Int ?? 0)
      }
    )
  }

  private func names(_ workshop: Workshop, in trace: String = "t") throws -> [String] {
    let json = try workshop.mustOrderfile("show", "--json", trace).json
    return try #require(json["hits"] as? [[String: Any]]).flatMap {
      $0["names"] as? [String] ?? []
    }
  }

  /// With a map, functions and blocks are those of breakpoints, in the same order: nothing differs.
  @Test(
    .needs("clang-19", "llvm-profdata-19"),
    arguments: BlockTests.programs.filter { !$0.flags.contains("-fcf-protection=full") })
  func withAMapItSeesWhatBreakpointsSee(_ program: BlockTests.Program) throws {
    let workshop = try BlockTests.workshop(program)
    let command = ["./app"] + program.arguments
    let plain = try workshop.start("./app", program.arguments).end()
    let run = try workshop.orderfile(["record", "--qemu", "-o", "q", "--"] + command)
    #expect(run.status == 0 && run.text == plain.text, "\(run.errors)")
    try workshop.must(
      Built.orderfile, ["record", "--breakpoints", "--blocks", "-o", "t", "--"] + command)
    let emulated = try uses(workshop, in: "q")
    let expected = try uses(workshop)
    #expect(emulated.entries == expected.entries && emulated.blocks == expected.blocks)
    #expect(emulated.blocks.count > 5)
  }

  /// Breakpoints can't tell a block from the landing pad before it; an emulator can.
  @Test(.needs("clang-19", "valgrind", "llvm-readobj-19"))
  func withLandingPadsItSeesWhatCallgrindSees() throws {
    let workshop = try BlockTests.workshop(BlockTests.withLandingPads)
    try workshop.mustOrderfile("record", "--qemu", "-o", "t", "--", "./app")
    let blocks = try uses(workshop).blocks.map(\.lowerBound)
    let executed = try BlockTests.executed(workshop, ["./app"])
    let expected = try BlockTests.allBlocks(workshop).intersection(executed)
    #expect(Set(blocks) == expected)
  }

  /// gcc writes no map. Each instruction that callgrind sees is in a run, and each run begins with one.
  @Test(.needs("valgrind"), arguments: ["", "thread"])
  func withoutAMapItSeesTheInstructionsThatCallgrindSees(what: String) throws {
    let workshop = try Self.workshop("gcc", ["-no-pie"])
    let run = try record(workshop, what)
    #expect(run.status == 0, "\(run.errors)")
    let runs = try uses(workshop).blocks
    // callgrind does not know the image of some of its code, such as .init; but its addresses.
    let executed = try BlockTests.executed(
      workshop, ["./app", what], image: nil, options: ["--skip-plt=no"]
    ).filter { (0x400000..<0x500000).contains($0) }
    let unseen = executed.filter { address in !runs.contains { $0.contains(address) } }
    #expect(unseen.isEmpty && executed.count > 50)
    #expect(runs.allSatisfy { executed.contains($0.lowerBound) })
    // No byte is in two runs.
    let sorted = runs.sorted { $0.lowerBound < $1.lowerBound }
    #expect(zip(sorted, sorted.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
    // The functions that were entered are those that breakpoints see.
    try workshop.mustOrderfile("record", "--breakpoints", "-o", "b", "--", "./app", what)
    #expect(try Set(names(workshop)) == Set(names(workshop, in: "b")))
  }

  @Test func whatItSaysIsRightForSuchTraces() throws {
    let workshop = try Self.workshop("gcc", ["-ffunction-sections", "-fuse-ld=lld"])
    let run = try record(workshop)
    #expect(run.errors.contains(", emulated by qemu-x86_64, CPU max"), "\(run.errors)")
    #expect(!run.errors.contains("warning"))
    let show = try workshop.mustOrderfile("show", "t").text
    #expect(show.contains(", 100.0% of the code\n") && show.contains("no map of basic blocks"))
    #expect(show.contains("sealed:   yes"))
    let json = try workshop.mustOrderfile("show", "--json", "t").json
    #expect(json["method"] as? String == "emulation")
    let functions = try #require(json["functions"] as? [[String: Any]])
    let half = try #require(functions.first { $0["name"] as? String == "half" })
    #expect(half["executedBytes"] as? Int ?? 0 < half["sizeBytes"] as? Int ?? 0)
    try workshop.mustOrderfile("gen", "t", "-o", "order")
    let order = workshop.text("order").split(separator: "\n").map(String.init)
    #expect(order.contains("half") && order.contains("last") && !order.contains("never"))
    try workshop.must(
      "gcc",
      [
        "-O1", "-g0", "-Wl,--build-id", "main.c", "-o", "ordered", "-pthread",
        "-ffunction-sections", "-fuse-ld=lld", "-Wl,--symbol-ordering-file=order",
      ])
    // Without a map, functions of the same size count as the same.
    let diff = try workshop.mustOrderfile("diff", "app", "ordered", "--trace", "t")
    #expect(
      !diff.errors.contains("count whole") && !diff.errors.contains("block"), "\(diff.errors)")
  }

  struct Target: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var compiler: String
    var flags: [String] = []
    var sysroot: String?
  }

  static let targets = [
    Target(testDescription: "static", compiler: "gcc", flags: ["-static"]),
    Target(testDescription: "static-pie", compiler: "gcc", flags: ["-static-pie"]),
    Target(testDescription: "stripped", compiler: "gcc", flags: ["-s"]),
    Target(
      testDescription: "static AArch64", compiler: "aarch64-linux-gnu-gcc", flags: ["-static"]),
    Target(
      testDescription: "AArch64", compiler: "aarch64-linux-gnu-gcc",
      sysroot: "/usr/aarch64-linux-gnu"),
    Target(
      testDescription: "RISC-V", compiler: "riscv64-linux-gnu-gcc",
      sysroot: "/usr/riscv64-linux-gnu"),
  ]

  @Test(
    .needs("aarch64-linux-gnu-gcc", "riscv64-linux-gnu-gcc", "qemu-aarch64", "qemu-riscv64"),
    arguments: targets)
  func everyKindOfProgramIsRecorded(_ target: Target) throws {
    let workshop = try Self.workshop(target.compiler, target.flags)
    let options = target.sysroot.map { ["--sysroot", $0] } ?? []
    let run = try record(workshop, options: options, "thread")
    #expect(run.status == 0 && run.text == "many\nwords\n", "\(run.errors)")
    let json = try workshop.mustOrderfile("show", "--json", "t").json
    #expect(json["unattributedHits"] as? Int == 0 && json["lostRecords"] as? Int == 0)
    let images = try #require(json["images"] as? [[String: Any]])
    #expect(images.count == 1 && images[0]["path"] as? String == workshop.path("app"))
    guard !target.flags.contains("-s") else {
      // Unwind tables tell its functions; they have no names.
      #expect((json["hits"] as? [Any])?.count ?? 0 >= 5)
      return
    }
    let own = ["main", "half", "of_thread", "last"]
    #expect(try names(workshop).filter(own.contains) == own)
    #expect(try !names(workshop).contains("never"))
    let functions = try #require(json["functions"] as? [[String: Any]])
    let half = try #require(functions.first { $0["name"] as? String == "half" })
    #expect(half["executedBytes"] as? Int == half["sizeBytes"] as? Int)
  }

  /// It would fill the memory.
  @Test(arguments: [("clang", "address"), ("gcc", "address"), ("clang", "leak")])
  func aSanitizedProgramIsRefused(compiler: String, sanitizer: String) throws {
    let workshop = try Self.workshop(compiler, ["-fsanitize=\(sanitizer)", "-Wl,--build-id"])
    let run = try record(workshop)
    #expect(
      run.status == 1 && run.errors.contains("/app: unable to emulate: a sanitizer is in it"),
      "\(run.errors)")
  }

  @Test(.needs("aarch64-linux-gnu-gcc", "qemu-aarch64"))
  func aForeignProgramWithoutItsLibrariesIsRefused() throws {
    let workshop = try Self.workshop("aarch64-linux-gnu-gcc")
    let run = try record(workshop)
    #expect(run.status == 1)
    #expect(
      run.errors.contains(": unable to emulate: missing its loader /lib/ld-linux-aarch64.so.1\n")
        && run.errors.contains("hint: --sysroot /usr/aarch64-linux-gnu\n"), "\(run.errors)")
    #expect(!workshop.fileNames.contains { $0.hasPrefix("t") })
  }

  @Test func aForkedChildHasATraceOfItsOwn() throws {
    let workshop = try Self.workshop()
    let run = try record(workshop, "fork")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try !names(workshop).contains("of_child"))
    let child = try #require(workshop.fileNames.first { $0.hasPrefix("t.") })
    #expect(try names(workshop, in: child) == ["of_child"])
    let json = try workshop.mustOrderfile("show", "--json", child).json
    #expect(json["forkedBy"] != nil)
  }

  /// The loss is counted by its parent.
  @Test func aChildThatCannotWriteATraceIsNoSecret() throws {
    let workshop = try Self.workshop()
    let run = try record(workshop, "fork without a file")
    #expect(run.status == 0 && run.errors.contains(" lost: t; next: "), "\(run.errors)")
    #expect(workshop.fileNames == ["app", "main.c", "t"])
  }

  /// Only the build that is at the path in the end can be read, so the first build is left out.
  @Test func whatAReplacedPluginExecutedIsLeftOut() throws {
    let workshop = try BreakpointMemoryTests.built.copy()
    try workshop.must("cp", ["plugin1.so", "first"])
    let run = try record(
      workshop, options: ["--image", "plugin.so"], "plugin replaced", "first", "plugin2.so")
    #expect(run.text == "3 4 " && run.status == 3, "\(run.errors)")
    #expect(run.errors.contains("/plugin.so: another file than this one"), "\(run.errors)")
    let names = try names(workshop)
    #expect(names.filter { $0.hasPrefix("plugin_") } == ["plugin_entry", "plugin_inner"])
  }

  /// Two builds may have the same program headers; only build IDs tell them apart.
  @Test(arguments: ["none", "sha1"]) func aBuildIDTellsWhichBuildRan(kind: String) throws {
    let workshop = try Self.workshop("gcc", ["-Wl,--build-id=\(kind)"])
    try workshop.must("cp", ["app", "new"])
    let again = try record(workshop)
    #expect(again.status == 0 && !again.errors.contains("during the launch"), "\(again.errors)")
    let replaced = try workshop.start(
      Built.orderfile, ["record", "--qemu", "-o", "t", "--", "./app", "wait"])
    try replaced.waitForOutput("waiting")
    try workshop.must("mv", ["new", "app"])
    replaced.send(SIGTERM)
    let end = replaced.end()
    #expect(
      end.errors.contains("written during the launch, and without a build ID") == (kind == "none"),
      "\(end.errors)")
  }

  @Test(arguments: ["a\nb", #"a\012b"#]) func anyPathIsFound(name: String) throws {
    let workshop = try Self.workshop()
    try workshop.must("mv", ["app", name])
    let run = try workshop.orderfile(["record", "--qemu", "-o", "t", "--", "./\(name)"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try names(workshop).contains("half"))
  }

  @Test func anExecutedProgramIsNamed() throws {
    let workshop = try Self.workshop()
    try workshop.write("#!/bin/sh\n".utf8, "not-executable")
    let run = try record(workshop, "exec", "true")
    #expect(
      run.status == 0
        && run.errors.contains("/bin/true: not recorded: a process executed it, which ends its "),
      "\(run.errors)")
    let failed = try record(workshop, "exec", "./not-executable")
    #expect(failed.status == 0 && !failed.errors.contains("not recorded:"), "\(failed.errors)")
  }

  @Test func streamsStatusesAndSignalsAreTheProgramsOwn() throws {
    let workshop = try Self.workshop()
    let echo = try record(workshop, options: ["-q"], "echo", input: Array("hello".utf8))
    #expect(echo.status == 3 && echo.text == "hello" && echo.errors == "complaint")
    let crash = try record(workshop, "crash")
    #expect(try crash.status == 139 && names(workshop).contains("half"), "\(crash.errors)")
    let signal = try record(workshop, "signal")
    #expect(try signal.status == 0 && names(workshop).contains("handler"), "\(signal.errors)")
  }

  @Test func itEndsWhereItIsTold() throws {
    let workshop = try Self.workshop()
    let symbol = try record(workshop, options: ["--stop-at-symbol", "last"])
    #expect(symbol.status == 0, "\(symbol.errors)")
    #expect(try names(workshop).contains("half") && !names(workshop).contains("last"))
    let json = try workshop.mustOrderfile("show", "--json", "t").json
    #expect(json["end"] as? String == "stopped by function")
    let missing = try record(workshop, options: ["--stop-at-symbol", "nowhere"])
    #expect(missing.errors.contains("nowhere: missing function: no recorded image has"))
    let ready = try record(workshop, options: ["--until-ready", "line=waiting"], "wait")
    #expect(try ready.status == 0 && names(workshop).contains("main"), "\(ready.errors)")
    try withGrowingTime(from: 500) { milliseconds in
      let seconds = "\(Double(milliseconds) / 1000)"
      let limited = try record(workshop, options: ["--timeout", seconds], "wait")
      guard limited.text == "waiting\n" else { return false }
      #expect(limited.status == 143 && limited.errors.contains("warning: "), "\(limited.errors)")
      return true
    }
  }

  @Test func whateverIsKilledNoHalfTraceIsLeft() throws {
    let workshop = try Self.workshop()
    // The program: what it executed before is recorded.
    let app = try workshop.start(
      Built.orderfile, ["record", "--qemu", "-o", "t", "--", "./app", "wait"])
    try app.waitForOutput("waiting")
    let children = try workshop.must("pgrep", ["-P", "\(app.number)"]).text
    let emulator = try #require(Int32(children.trimmingCharacters(in: .whitespacesAndNewlines)))
    kill(emulator, SIGKILL)
    #expect(app.end().status == 137)
    #expect(try names(workshop).contains("main"))
    // The command: there is no trace.
    let command = try workshop.start(
      Built.orderfile, ["record", "--qemu", "-o", "u", "--", "./app", "wait"])
    try command.waitForOutput("waiting")
    kill(command.number, SIGKILL)
    _ = command.end()
    #expect(!workshop.fileNames.contains("u"))
    let left = try #require(workshop.fileNames.first { $0.hasPrefix("u.recording.") })
    #expect(try workshop.orderfile("show", "\(left)/trace").status == 0)
  }

  /// The program may not write files of more than 6 MiB: there is room for 131,072 records.
  @Test func lostRecordsAreCounted() throws {
    let workshop = try Workshop()
    let jumps = String(repeating: "jmp 1f\n1:\n", count: 150_000)
    try workshop.write(
      ".globl main\nmain:\n\(jumps)xor %eax, %eax\nret\n.section .note.GNU-stack\n".utf8, "main.s")
    try workshop.must("gcc", ["main.s", "-o", "app"])
    let run = try workshop.start(
      "sh", ["-c", "ulimit -f 12288; exec \(Built.orderfile) record --qemu -o t -- ./app"]
    ).end()
    #expect(run.status == 0 && run.errors.contains(" lost: t; next: "), "\(run.errors)")
    let lost = try workshop.mustOrderfile("show", "--json", "t").json["lostRecords"] as? Int
    #expect(lost ?? 0 > 18_000)
  }

  @Test func whatCannotBeEmulatedIsRefused() throws {
    let workshop = try Self.workshop()
    try workshop.writeProgram("#!/bin/sh\n".utf8, "script")
    try workshop.must("gcc", ["-static", "main.c", "-o", "qemu-x86_64", "-pthread"])
    func fails(_ arguments: [String], path: String, _ message: String) throws {
      let run = try workshop.orderfile(
        ["record", "--qemu", "-o", "t"] + arguments, environment: ["PATH": path])
      #expect(run.status != 0 && run.errors.contains(message), "\(run.errors)")
      #expect(!workshop.fileNames.contains { $0.hasPrefix("t") })
    }
    try fails(
      ["--", "./script"], path: "/usr/bin",
      "script: unable to emulate: expected a program, found a script")
    try fails(
      ["--", "./app"], path: workshop.folder.path,
      "unable to record: it is statically linked, and so loads no plugin")
    try fails(["--", "./app"], path: "/nowhere", "missing 'qemu-x86_64' on PATH")
    try fails(["--", "./main.c"], path: "/usr/bin", "unable to run")
    try fails(
      ["--cpu", "none", "--", "./app"], path: "/usr/bin",
      "the emulator ended before the program began (qemu-x86_64, CPU none)")
    try fails(["--stop-at", "x", "--", "./app"], path: "/usr/bin", "--qemu sees no marks")
  }

  @Test func preloadedLibrariesAreForTheProgramAlone() throws {
    let workshop = try Self.workshop("aarch64-linux-gnu-gcc")
    try workshop.write(
      """
      #include <unistd.h>
      __attribute__((constructor)) static void begin(void) { write(1, "preloaded\\n", 10); }
      """.utf8, "early.c")
    try workshop.must("aarch64-linux-gnu-gcc", ["-shared", "-fPIC", "early.c", "-o", "early.so"])
    // This command runs on another machine: its own loader complains of the library, but the emulator's does not.
    let variables = ["LD_PRELOAD": workshop.path("early.so")]
    let own = try workshop.orderfile("--version", environment: variables)
    let run = try workshop.start(
      Built.orderfile,
      ["record", "--qemu", "--sysroot", "/usr/aarch64-linux-gnu", "-q", "-o", "t", "--", "./app"],
      environment: variables
    ).end()
    #expect(run.status == 0 && run.text == "preloaded\n", "\(run.errors)")
    #expect(run.errors == own.errors && own.errors.contains("early.so"), "\(run.errors)")
  }

  @Test func librariesThatComeAndGoKeepTheirFunctions() throws {
    let workshop = try Workshop()
    for name in ["one", "two"] {
      try workshop.write("int \(name)(int n) { return n + 1; }\n".utf8, "\(name).c")
      try workshop.must("gcc", ["-shared", "-fPIC", "\(name).c", "-o", "\(name),.so"])
    }
    try workshop.write(
      """
      #include <dlfcn.h>
      static int use(const char *path, const char *name) {
        void *library = dlopen(path, RTLD_NOW);
        int n = ((int (*)(int))dlsym(library, name))(1);
        dlclose(library);
        return n;
      }
      int main(void) {
        return use("./one,.so", "one") + use("./two,.so", "two") + use("./one,.so", "one") != 6;
      }
      """.utf8, "main.c")
    try workshop.must("gcc", ["main.c", "-o", "app", "-ldl"])
    let run = try record(workshop, options: ["--image", "one,.so", "--image", "two,.so"])
    #expect(run.status == 0, "\(run.errors)")
    let functions = try names(workshop)
    #expect(functions.contains("one") && functions.contains("two"))
    let json = try workshop.mustOrderfile("show", "--json", "t").json
    #expect(json["unattributedHits"] as? Int == 0)
  }

  @Test func theLibraryNeedsTheCLibraryAlone() throws {
    let library = URL(fileURLWithPath: Built.orderfile).deletingLastPathComponent()
      .appendingPathComponent("liborderfile-qemu.so").path
    let workshop = try Workshop()
    let needed = try workshop.must("readelf", ["-d", library]).text.split(separator: "\n")
      .filter { $0.contains("(NEEDED)") }
    #expect(needed.count == 1 && needed[0].contains("libc.so.6"), "\(needed)")
    let defined = try workshop.must("nm", ["-D", "--defined-only", library]).text
    #expect(defined.contains(" qemu_plugin_install") && !defined.contains(" of_"))
  }
}
