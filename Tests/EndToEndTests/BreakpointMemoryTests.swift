import Foundation
import TestSupport
import Testing

/// `orderfile record --breakpoints` and `pages --method ptrace`: whose memory is changed, and that nothing is left there.
@Suite(.needs(.recording)) struct BreakpointMemoryTests {
  /// What the program does is its first argument.
  static let program = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <fcntl.h>
    #include <pthread.h>
    #include <sched.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <linux/sched.h>
    #include <sys/mman.h>
    #include <sys/prctl.h>
    #include <sys/syscall.h>
    #include <sys/wait.h>
    #include <unistd.h>
    #define FUNCTION(name) __attribute__((noinline)) int name(int n) { __asm__ volatile(""); return n + 1; }
    __attribute__((section(".text.far"), aligned(4096))) FUNCTION(far)
    FUNCTION(in_child) FUNCTION(in_grandchild) FUNCTION(in_thread) FUNCTION(late) FUNCTION(moved)
    __attribute__((noinline)) int copied(int n) { return n * 3 + 7; }
    __attribute__((noinline)) int copied_loop(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * n; return s; }
    extern char __executable_start[], etext[];
    static int use_plugin(const char *path) {
      void *plugin = dlopen(path, RTLD_NOW);
      if (!plugin) _exit(9);
      int n = ((int (*)(int))dlsym(plugin, "plugin_entry"))(1);
      dlclose(plugin);
      return n;
    }
    static int status_of(pid_t child) { int status = 0; waitpid(child, &status, __WALL); return status; }
    /* The first thread is a zombie. */
    static void wait_for_leader(void) {
      for (char text[512] = "";;) {
        int file = open("/proc/self/stat", O_RDONLY);
        long size = read(file, text, sizeof text - 1);
        close(file);
        text[size > 0 ? size : 0] = 0;
        if (strstr(text, ") Z ")) return;
        usleep(1000);
      }
    }
    static void *alone(void *unused) {
      (void)unused;
      wait_for_leader();
      in_thread(1);
      int n = use_plugin("./plugin.so");
      if (fork() == 0) _exit(in_child(n));
      int status;
      wait(&status);
      printf("%d %d", n, status);
      fflush(stdout);
      _exit(late(2));
    }
    static void *wait_alone(void *unused) {
      (void)unused;
      wait_for_leader();
      puts("waiting");
      fflush(stdout);
      for (;;) { late(1); usleep(1000); }
    }
    static void *execute(void *word) { execl("/proc/self/exe", "app", (char *)word, NULL); _exit(9); }
    static int clone_child(void *unused) { (void)unused; _exit(far(in_child(3))); }
    static int lone_child(void *unused) {
      (void)unused;
      while (getppid() != 1 && access("go", F_OK)) usleep(1000);
      while (access("go", F_OK)) usleep(1000);
      int n = use_plugin("./plugin.so") + late(1);
      FILE *file = fopen("result.new", "w");
      fprintf(file, "%d", n);
      fclose(file);
      rename("result.new", "result");
      _exit(0);
    }
    /* Moves the code to memory without a file, at the same addresses, as programs do that want large pages. This code
       runs from a copy meanwhile. */
    __attribute__((noinline, section(".mover"), aligned(4096))) void mover(char *to, const char *from, long size) {
      register long place __asm__("r10") = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, file __asm__("r8") = -1;
      register long zero __asm__("r9") = 0;
      long result;
      __asm__ volatile("syscall" : "=a"(result) : "a"((long)SYS_mmap), "D"(to), "S"(size), "d"(7L), "r"(place),
                       "r"(file), "r"(zero) : "rcx", "r11", "memory");
      for (long i = 0; i < size; i++) ((volatile char *)to)[i] = from[i];
    }
    static void move_text(void) {
      char *start = (char *)((long)moved & -4096), *end = start + 4096;
      char *copy = mmap(0, end - start, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      memcpy(copy, start, end - start);
      char *code = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      memcpy(code, (void *)mover, 4096);
      ((void (*)(char *, char *, long))code)(start, copy, end - start);
    }
    static int traps;
    static void on_trap(int signal) { (void)signal; traps++; }
    int main(int n, char **v) {
      const char *what = n > 1 ? v[1] : "";
      pthread_t thread;
      char *stack = (char *)mmap(0, 1 << 16, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + (1 << 16);
      if (!strcmp(what, "done")) { printf("%d", late(1)); return 0; }
      if (!strcmp(what, "plugin replaced")) {
        for (int i = 1; i < n - 1; i++) {
          if (rename(v[i + 1], "plugin.so")) return 8;
          printf("%d ", use_plugin("./plugin.so"));
        }
      }
      if (!strcmp(what, "leader ended")) { pthread_create(&thread, NULL, alone, NULL); pthread_exit(NULL); }
      if (!strcmp(what, "leader ended, waiting")) { pthread_create(&thread, NULL, wait_alone, NULL); pthread_exit(NULL); }
      if (!strcmp(what, "thread executes")) { pthread_create(&thread, NULL, execute, "done"); for (;;) late(1); }
      if (!strcmp(what, "child without parent")) return clone(lone_child, stack, CLONE_VM | SIGCHLD, NULL) < 0;
      if (!strcmp(what, "moved")) {
        move_text();
        int n = moved(1) + use_plugin("./plugin.so");
        printf("%d", n + late(1) + in_child(1));
      }
      if (!strncmp(what, "copied", 6)) {
        if (strstr(what, "handler")) signal(SIGTRAP, on_trap);
        char *code = mmap(0, 8192, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memcpy(code, (void *)copied, 64);
        memcpy(code + 1024, (void *)copied_loop, 64);
        code[4096] = 0xcc;
        code[4097] = 0xc3;
        if (strstr(what, "handler")) ((void (*)(void))(code + 4096))();
        if (strstr(what, "later")) {
          puts("waiting");
          fflush(stdout);
          while (access("go", F_OK)) usleep(1000);
        }
        printf("%d ", ((int (*)(int))code)(2));
        if (fork() == 0) _exit(((int (*)(int))(code + 1024))(5));
        int status;
        wait(&status);
        printf("%d %d %d", status, traps, copied(2));
      }
      if (!strcmp(what, "untraced clone"))
        printf("%d", status_of(clone(clone_child, stack, CLONE_UNTRACED | SIGCHLD, NULL)));
      if (!strcmp(what, "untraced clone with memory"))
        printf("%d", status_of(clone(clone_child, stack, CLONE_UNTRACED | CLONE_VM | CLONE_VFORK | SIGCHLD, NULL)));
      if (!strcmp(what, "untraced system call")) {
        long child = syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0);
        if (child == 0) clone_child(NULL);
        printf("%d", status_of(child));
      }
      if (!strcmp(what, "untraced clone3")) {
        struct clone_args arguments = {.flags = CLONE_UNTRACED, .exit_signal = SIGCHLD};
        long child = syscall(SYS_clone3, &arguments, sizeof arguments);
        if (child == 0) clone_child(NULL);
        printf("%d", status_of(child));
      }
      if (!strcmp(what, "not dumpable") || !strcmp(what, "not dumpable, by vfork")) {
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
        pid_t child = strstr(what, "vfork") ? vfork() : fork();
        if (child == 0) {
          if (!strstr(what, "vfork")) {
            pid_t other = fork();
            if (other == 0) _exit(in_grandchild(1));
            if (status_of(other) != 0x200 || prctl(PR_GET_DUMPABLE, 0, 0, 0, 0)) _exit(8);
          }
          _exit(in_child(4));
        }
        int status = status_of(child);
        printf("%d %d %d", status, use_plugin("./plugin.so"), prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
      }
      if (!strcmp(what, "another user")) {
        if (getuid() == 0 && setuid(65534)) return 8;
        if (fork() == 0) _exit(in_child(4));
        int status;
        wait(&status);
        printf("%d %d %d", status, late(1), use_plugin("./plugin.so"));
      }
      if (!strcmp(what, "children at once")) {
        int ends[2], bad = 0;
        if (pipe(ends)) return 8;
        for (int i = 0; i < 100; i++)
          if (fork() == 0) {
            char byte;
            in_child(1);
            close(ends[1]);
            _exit(read(ends[0], &byte, 1) == 0 ? in_grandchild(4) : 1);
          }
        close(ends[1]);
        for (int status; wait(&status) > 0;) bad += status != 0x500;
        printf("%d", bad);
      }
      if (!strcmp(what, "waiting")) {
        puts("waiting");
        fflush(stdout);
        for (int before = in_child(1); access("go", F_OK); before += late(1)) usleep(1000);
        printf("%d", in_thread(1));
      }
      fflush(stdout);
      return 3;
    }
    """

  /// Two builds of it differ in the places of their functions.
  static let plugin = """
    __attribute__((noinline)) int plugin_inner(int n) { PAD return n * 2; }
    int plugin_entry(int n) { PAD return plugin_inner(n) + NUMBER; }
    int plugin_unused(int n) { PAD return n; }
    """

  static let built = PreparedFolder<Workshop> { workshop in
    try workshop.write(program.utf8, "main.c")
    try workshop.write(plugin.utf8, "plugin.c")
    try workshop.must(
      "clang",
      [
        "-O1", "-w", "-fuse-ld=lld", "-Wl,--build-id", "main.c", "-o", "app", "-lpthread", "-ldl",
      ])
    for (number, pad) in [(1, ""), (2, #"__asm__ volatile("nop; nop; nop; nop; nop");"#)] {
      try workshop.must(
        "clang",
        [
          "-O1", "-shared", "-fPIC", "-fuse-ld=lld", "-Wl,--build-id", "-DNUMBER=\(number)",
          "-DPAD=\(pad)", "plugin.c", "-o", "plugin\(number).so",
        ])
    }
    try workshop.must("cp", ["plugin1.so", "plugin.so"])
  }

  /// A tracer with the rights of a user: root could access all memory.
  private static let asUser =
    getuid() == 0 ? ["setpriv", "--bounding-set=-sys_ptrace", "--"] : ["env"]

  struct Launch: Sendable, CustomTestStringConvertible {
    var arguments: [String]
    /// Those of the program that are first used in any process.
    var functions: [String]
    var testDescription: String { arguments.joined(separator: " ") }
  }

  static let launches =
    [
      Launch(arguments: ["leader ended"], functions: ["in_child", "in_thread", "late"]),
      Launch(arguments: ["thread executes"], functions: ["late"]),
      Launch(arguments: ["untraced clone"], functions: ["in_child"]),
      Launch(arguments: ["untraced clone with memory"], functions: ["in_child"]),
      Launch(arguments: ["untraced system call"], functions: ["in_child"]),
      Launch(arguments: ["untraced clone3"], functions: ["in_child"]),
      Launch(arguments: ["not dumpable"], functions: ["in_child", "in_grandchild"]),
      Launch(arguments: ["not dumpable, by vfork"], functions: ["in_child"]),
      Launch(arguments: ["children at once"], functions: ["in_child", "in_grandchild"]),
    ] + onlyHere

  /// Code that is written for this processor.
  #if arch(x86_64)
    static let onlyHere = [
      Launch(arguments: ["copied"], functions: ["copied"]),
      Launch(arguments: ["copied, with a handler"], functions: ["copied"]),
      Launch(arguments: ["moved"], functions: ["in_child", "late", "moved"]),
    ]
  #else
    static let onlyHere: [Launch] = []
  #endif

  private func functions(_ workshop: Workshop) throws -> [String] {
    let own: Set = ["in_child", "in_grandchild", "in_thread", "late", "moved", "copied"]
    let traces = workshop.fileNames.filter { $0 == "t" || $0.hasPrefix("t.") }
    return try Set(traces.flatMap { try RecordTests.functions(workshop, in: $0) })
      .intersection(own).sorted()
  }

  /// Few descriptors are enough for any number of processes.
  private func run(_ workshop: Workshop, _ command: [String]) throws -> Run {
    try workshop.start(
      "sh", ["-c", "ulimit -n 48; exec \"$@\"", "sh"] + Self.asUser + [Built.orderfile] + command
    ).end()
  }

  @Test(arguments: launches, [[], ["--all-images"]])
  func theProgramDoesWhatItDoesAlone(launch: Launch, options: [String]) throws {
    let workshop = try Self.built.copy()
    let plain = try workshop.start("./app", launch.arguments).end()
    let run = try run(
      workshop,
      ["record", "--breakpoints", "-o", "t"] + options + ["--", "./app"] + launch.arguments)
    #expect(run.text == plain.text && run.status == plain.status, "\(run.text) \(run.errors)")
    #expect(try functions(workshop) == launch.functions)
  }

  @Test(arguments: launches) func itsPagesAreCountedFromOutside(launch: Launch) throws {
    let workshop = try Self.built.copy()
    let plain = try workshop.start("./app", launch.arguments).end()
    let run = try run(
      workshop, ["pages", "--method", "ptrace", "-o", "p", "--", "./app"] + launch.arguments)
    #expect(run.text == plain.text && run.status == plain.status, "\(run.text) \(run.errors)")
    #expect(run.errors.isEmpty)
  }

  /// As root of a container, which may trace, but not everybody.
  @Test func aProcessMayChangeItsUser() throws {
    let workshop = try Self.built.copy()
    let run = try run(
      workshop, ["record", "--breakpoints", "-o", "t", "--", "./app", "another user"])
    #expect(run.text == "1280 2 3" && run.status == 3, "\(run.errors)")
    #expect(try functions(workshop) == ["in_child", "late"])
  }

  /// Its memory can't be accessed; it has nothing of the tracer in it.
  @Test(arguments: [["record", "--breakpoints"], ["pages", "--method", "ptrace", "--all-images"]])
  func aProgramOfAnotherUserIsLeftAlone(command: [String]) throws {
    let workshop = try Self.built.copy()
    let script = """
      if [ $(id -u) = 0 ]; then setpriv --reuid=65534 --clear-groups sh -c '(echo left)'
      else echo left; fi; ./app done
      """
    let run = try run(workshop, command + ["-o", "t", "--", "sh", "-c", script])
    #expect(run.text == "left\n2" && run.status == 0, "\(run.errors)")
    #expect(getuid() != 0 || run.errors.contains("its memory can't be accessed: what it loads"))
  }

  @Test(arguments: PagesTests.methods)
  func pagesOfALibraryAreSeenWhenTheFirstThreadHasEnded(method: String) throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile(
      "pages", "--method", method, "--image", "plugin.so", "--json", "-o", "p", "--", "./app",
      "leader ended")
    #expect(run.status == 3 && run.errors.isEmpty, "\(run.errors)")
    let data = try Data(contentsOf: URL(fileURLWithPath: workshop.path("p")))
    let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let pages = PagesWorkshop.image("plugin.so", in: report)["pages"] as? [[String: Any]] ?? []
    #expect(pages.contains { $0["access"] as? String == "execute" })
  }

  /// Its parent has ended, so that the mappings of the process look empty.
  @Test func aChildThatSharesMemoryOutlivesItsParent() throws {
    let workshop = try Self.built.copy()
    let script = """
      ./app 'child without parent'; : >go; while [ ! -e result ]; do sleep 0.01; done; cat result
      """
    let run = try workshop.orderfile(
      "record", "--breakpoints", "--image", "app", "-o", "t", "--", "sh", "-c", script)
    #expect(run.text == "5" && run.status == 0, "\(run.errors)")
    #expect(try functions(workshop) == ["late"])
  }

  /// Both builds are in the trace, each with its ID; only that of the file that is there has names.
  @Test func aReplacedPluginIsAnotherImage() throws {
    let workshop = try Self.built.copy()
    for name in ["a", "b", "c", "d"] {
      try workshop.must("cp", [name == "a" || name == "d" ? "plugin1.so" : "plugin2.so", name])
    }
    let run = try workshop.orderfile(
      "record", "--breakpoints", "--image", "plugin.so", "-o", "t", "--", "./app",
      "plugin replaced", "a", "b", "c", "d")
    #expect(run.text == "3 4 4 3 " && run.status == 3, "\(run.errors)")
    #expect(!run.errors.contains("another file"), "\(run.errors)")
    let json = try workshop.mustOrderfile("show", "--json", "t").json
    let images = json["images"] as? [[String: Any]] ?? []
    let plugins = images.filter { ($0["path"] as? String ?? "").hasSuffix("/plugin.so") }
    #expect(plugins.count == 4)
    #expect(Set(plugins.compactMap { $0["id"] as? String }).count == 2)
    let names = (json["hits"] as? [[String: Any]] ?? []).compactMap {
      ($0["names"] as? [String])?.first
    }
    #expect(names.filter { $0 == "plugin_entry" }.count == 2 && !names.contains("plugin_unused"))
  }

  /// The path says nothing of what a process has in memory.
  @Test(arguments: [true, false])
  func aRunningProgramThatWasReplacedIsNotTouched(isThere: Bool) throws {
    let workshop = try Self.built.copy()
    let app = try workshop.start("./app", ["waiting"])
    try app.waitForOutput("waiting")
    let before = try BreakpointTests.text(of: app.number, in: "/app")
    try workshop.must(isThere ? "mv" : "rm", isThere ? ["plugin2.so", "app"] : ["app"])
    let other = try workshop.start(
      Built.orderfile, ["record", "--breakpoints", "-o", "u", "--pid", "\(app.number)"])
    BreakpointTests.waitUntilTraced(app.number)
    #expect(try BreakpointTests.text(of: app.number, in: "/app") == before && !before.isEmpty)
    try workshop.write([], "go")
    #expect(app.end().text == "waiting\n2")
    let end = other.end()
    #expect(end.status == 4)
    #expect(
      end.errors.contains(isThere ? "/app: another file than this one" : "/app: no breakpoints"),
      "\(end.errors)")
  }

  @Test func aProcessGoesOnWithoutItsFirstThread() throws {
    let workshop = try Self.built.copy()
    let app = try workshop.start("./app", ["leader ended, waiting"])
    try app.waitForOutput("waiting")
    let run = try workshop.orderfile(
      "record", "--breakpoints", "-o", "t", "--pid", "\(app.number)", "--stop-at-symbol", "late")
    #expect(run.status == 4 && !run.errors.contains("it has ended"), "\(run.errors)")
    app.send(SIGTERM)
    #expect(app.end().status == 143)
  }

  #if arch(x86_64)
    /// The program runs the copies after the tracer has left.
    @Test func breakpointsInCopiesAreRemovedToo() throws {
      let workshop = try Self.built.copy()
      let recording = try workshop.start(
        Built.orderfile, ["record", "--breakpoints", "-o", "t", "--", "./app", "copied, later"])
      try recording.waitForOutput("waiting")
      let app = try #require(
        BreakpointTests.processes(in: workshop).first { BreakpointTests.tracer(of: $0) != nil })
      let tracer = try #require(BreakpointTests.tracer(of: app))
      kill(tracer, SIGTERM)
      BreakpointTests.waitUntilTraced(app, false)
      try workshop.write([], "go")
      let end = recording.end()
      #expect(end.text == "waiting\n13 12800 0 13" && end.status == 3, "\(end.errors)")
    }
  #endif

  @Test(arguments: [["--image", "app"], ["--all-images"]])
  func aProgramStartedByItsLoaderIsRecorded(options: [String]) throws {
    let workshop = try Self.built.copy()
    let loader = try workshop.must("readelf", ["-l", "app"]).text.split(separator: "\n")
      .first { $0.contains("interpreter:") }
    let path = try #require(loader?.split(separator: " ").last?.dropLast())
    let run = try workshop.orderfile(
      ["record", "--breakpoints", "-o", "t"] + options + ["--", String(path), "./app", "done"])
    #expect(run.text == "2" && run.status == 0, "\(run.errors)")
    #expect(try functions(workshop) == ["late"])
    #expect(!run.errors.contains("no process loaded it"))
  }

  /// The kernel writes a line feed as `\012`, which may be the name of another file.
  @Test(arguments: ["a\nb", #"a\012b"#, "a (deleted)"])
  func anyPathIsFound(name: String) throws {
    let workshop = try Self.built.copy()
    try workshop.must("mv", ["app", name])
    let run = try workshop.orderfile(
      ["record", "--breakpoints", "-o", "t", "--", "./\(name)", "done"])
    #expect(run.text == "2" && run.status == 0, "\(run.errors)")
    #expect(try functions(workshop) == ["late"])
    let pages = try workshop.orderfile(["pages", "-o", "p", "--", "./\(name)", "done"])
    #expect(pages.text == "2" && pages.errors.isEmpty, "\(pages.errors)")
  }

  /// It may come to be during the launch.
  @Test func anImageThatIsBuiltByTheLaunchIsRecorded() throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile(
      "record", "--breakpoints", "--image", "new", "-o", "t", "--", "sh", "-c",
      "cp app new && ./new done")
    #expect(run.text == "2" && run.status == 0, "\(run.errors)")
    #expect(try functions(workshop) == ["late"])
    let missing = try workshop.orderfile(
      "record", "--breakpoints", "--image", "none", "-o", "u", "--", "./app", "done")
    #expect(missing.errors.contains("/none: no process loaded it"))
    let nowhere = try workshop.orderfile(
      "record", "--breakpoints", "--image", "nowhere/none", "-o", "u", "--", "./app", "done")
    #expect(nowhere.status == 1 && nowhere.errors.contains("nowhere/none: No such file"))
  }
}
