import TestSupport
import Testing

/// The tracer process is a fork of the command, with the libraries that were preloaded into it.
@Suite(.needs(.recording)) struct TracerFilesTests {
  /// Opens a file in the command. Closes the number of this file in the tracer after some stops of threads, as a library may do
  /// that keeps a log or a file of a stack unwinder open.
  private static let library = """
    #define _GNU_SOURCE
    #include <fcntl.h>
    #include <sys/resource.h>
    #include <sys/syscall.h>
    #include <sys/wait.h>
    #include <unistd.h>
    static int number = -1, stops, opener;
    __attribute__((constructor)) static void begin(void) {
      number = open("/dev/null", O_RDONLY | O_CLOEXEC);
      opener = getpid();
    }
    pid_t waitpid(pid_t pid, int *status, int options) {
      pid_t found = (pid_t)syscall(SYS_wait4, pid, status, options, (struct rusage *)0);
      if (getpid() != opener && found > 0 && ++stops == 4) close(number);
      return found;
    }
    """

  private static let program = """
    __attribute__((noinline)) int first(int n) { __asm__ volatile(""); return n + 1; }
    __attribute__((noinline)) int second(int n) { __asm__ volatile(""); return first(n) + 1; }
    int main(void) { return second(1); }
    """

  @Test(arguments: [["record", "--breakpoints"], ["pages", "--method", "ptrace"]])
  func aLibraryInTheTracerMayCloseWhatItHadOpen(command: [String]) throws {
    let workshop = try Workshop()
    try workshop.write(Self.library.utf8, "library.c")
    try workshop.write(Self.program.utf8, "main.c")
    try workshop.must(
      "clang", ["-O1", "-shared", "-fPIC", "-fuse-ld=lld", "library.c", "-o", "library.so"])
    try workshop.must("clang", ["-O1", "-fuse-ld=lld", "-Wl,--build-id", "main.c", "-o", "app"])
    let run = try workshop.start(
      "env",
      ["LD_PRELOAD=\(workshop.path("library.so"))", Built.orderfile] + command
        + ["-o", "t", "--", "./app"]
    ).end()
    #expect(run.status == 3, "\(run.errors)")
    if command[0] == "record" {
      let own: Set = ["main", "second", "first"]
      let functions = try RecordTests.functions(workshop, in: "t").filter { own.contains($0) }
      #expect(functions == ["main", "second", "first"])
    }
  }
}
