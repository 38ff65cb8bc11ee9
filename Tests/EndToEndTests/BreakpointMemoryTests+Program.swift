import TestSupport
import Testing

/// The program whose memory gets breakpoints, and its plugin.
extension BreakpointMemoryTests {
  /// The first argument selects what the program does.
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
    /* Waits until the first thread is a zombie. */
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
    /* Replaces code by anonymous memory with the same contents, as programs do that want large pages. A copy of `mover`
       does it. */
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

  /// Two builds of the plugin differ in the addresses of their functions.
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
}
