/* The program that the guest traces. Each scene calls functions whose names begin with step_, and prints facts about
 * its own process. usage: program SCENE */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/ucontext.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static const char *program;
static volatile int calls;

#ifdef __clang__
#define noipa noinline
#endif
#define STEP(name) \
  __attribute__((noipa)) static void step_##name(void) { calls++; }

/* Prints a line in one write, so that it does not mix with lines of the tracer. */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
  char line[200];
  int size = snprintf(line, sizeof line, "| ");
  va_list arguments;
  va_start(arguments, format);
  size += vsnprintf(line + size, sizeof line - (size_t)size - 1, format, arguments);
  va_end(arguments);
  line[size++] = '\n';
  if (write(STDOUT_FILENO, line, (size_t)size) != size) abort();
}

static const char *yes(bool is_so) { return is_so ? "yes" : "no"; }

/* Counts the instructions of an image in memory that differ from the file. */
static int count_changes(struct dl_phdr_info *image, size_t size, void *count) {
  (void)size;
  int file = open(image->dlpi_name[0] ? image->dlpi_name : "/proc/self/exe", O_RDONLY);
  if (file < 0) return 0; /* the vDSO */
  for (int i = 0; i < image->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &image->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
    uint32_t *stated = malloc(segment->p_filesz);
    const uint32_t *loaded = (const void *)(image->dlpi_addr + segment->p_vaddr);
    if (pread(file, stated, segment->p_filesz, (off_t)segment->p_offset) != (ssize_t)segment->p_filesz) abort();
    for (size_t j = 0; j < segment->p_filesz / 4; j++) *(int *)count += stated[j] != loaded[j];
    free(stated);
  }
  close(file);
  return 0;
}

static int text_changes(void) {
  int count = 0;
  dl_iterate_phdr(count_changes, &count);
  return count;
}

/* A function of programs that contain the recorder. The tracer finds the function by its name. */
#ifdef RECORDED
void orderfile_rt_mark(const char *name);
#else
__attribute__((noipa)) void orderfile_rt_mark(const char *name) {
  (void)name;
  calls++;
}
#endif

static bool blocks_trap(void) {
  sigset_t mask;
  sigprocmask(SIG_BLOCK, NULL, &mask);
  return sigismember(&mask, SIGTRAP);
}

static int end_of(pid_t child) {
  int status = -1;
  if (waitpid(child, &status, 0) != child) abort();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Scene "order": functions are reported in the order of their first calls, each once. */
STEP(third)
STEP(first)
__attribute__((noipa)) static void step_second(void) {
  step_third();
  calls++;
}

static void order(void) {
  step_first();
  step_second();
  step_first();
  step_third();
}

/* Scene "leave": the tracer leaves at the last mark, and the code is as it was before. The machine ignores the highest
 * byte of an address; -1 is no address. */
STEP(marked)
STEP(unseen)

static void leave(void) {
  say("breakpoints: %s", yes(text_changes() > 0));
  orderfile_rt_mark((const char *)((uintptr_t)"first" | (uintptr_t)0xa5 << 56));
  orderfile_rt_mark((const char *)-1);
  step_marked();
  orderfile_rt_mark("last");
  say("breakpoints: %s", yes(text_changes() > 0));
  step_unseen();
}

/* Scene "threads": threads come to each breakpoint at the same time. */
enum { THREADS = 64, RACES = 20 };
static pthread_barrier_t barrier;
static int race_calls[RACES];
#define RACE(n) \
  __attribute__((noipa)) static void race_##n(void) { __atomic_add_fetch(&race_calls[n], 1, __ATOMIC_RELAXED); }
RACE(0) RACE(1) RACE(2) RACE(3) RACE(4) RACE(5) RACE(6) RACE(7) RACE(8) RACE(9)
RACE(10) RACE(11) RACE(12) RACE(13) RACE(14) RACE(15) RACE(16) RACE(17) RACE(18) RACE(19)
static void (*volatile const races[RACES])(void) = {
    race_0,  race_1,  race_2,  race_3,  race_4,  race_5,  race_6,  race_7,  race_8,  race_9,
    race_10, race_11, race_12, race_13, race_14, race_15, race_16, race_17, race_18, race_19};

static void *run_races(void *unused) {
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < RACES; i++) races[i]();
  return unused;
}

static void threads(void) {
  pthread_t others[THREADS];
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (int i = 0; i < THREADS; i++) pthread_create(&others[i], NULL, run_races, NULL);
  for (int i = 0; i < THREADS; i++) pthread_join(others[i], NULL);
  int lost = 0;
  for (int i = 0; i < RACES; i++) lost += THREADS - race_calls[i];
  say("lost calls: %d", lost);
}

/* Scene "children": processes made by fork, vfork, exec and posix_spawn. */
STEP(before)
STEP(child)
STEP(vforked)
STEP(replaced)
STEP(after)

static void children(void) {
  step_before();
  pid_t child = fork();
  if (child == 0) {
    step_before();
    step_child();
    _exit(3);
  }
  say("forked: %d", end_of(child));
  step_child();
  child = vfork();
  if (child == 0) {
    step_vforked();
    execl(program, program, "replaced", NULL);
    _exit(127);
  }
  say("vforked: %d", end_of(child));
  char *arguments[] = {(char *)program, "replaced", NULL};
  if (posix_spawn(&child, program, NULL, NULL, arguments, environ) != 0) abort();
  say("spawned: %d", end_of(child));
  step_after();
}

static void replaced(void) {
  step_replaced();
  say("SIGTRAP blocked: %s", yes(blocks_trap()));
  exit(4);
}

/* Scene "blocked": a thread that blocks all signals, and a program that begins with SIGTRAP blocked. */
STEP(blocking)
STEP(unblocked)
STEP(began_blocking)

static void blocked(void) {
  sigset_t all, old;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &old);
  step_blocking();
  say("SIGTRAP blocked: %s", yes(blocks_trap()));
  sigprocmask(SIG_SETMASK, &old, NULL);
  step_unblocked();
  say("SIGTRAP blocked: %s", yes(blocks_trap()));
}

static void blocking(void) {
  step_began_blocking();
  say("SIGTRAP blocked: %s", yes(blocks_trap()));
}

/* Scene "signals": the program gets SIGTRAP from another process, or from an instruction of its own. */
static volatile int handled;
static volatile int handled_code;
STEP(in_handler)
STEP(between)

__attribute__((noipa)) static void step_handler(int signal, siginfo_t *info, void *context) {
  (void)signal;
  handled++;
  handled_code = info->si_code;
  step_in_handler();
  if (info->si_code == TRAP_BRKPT) ((ucontext_t *)context)->uc_mcontext.pc += 4;
}

void step_traps(void);
__asm__(".text\n"
        ".type step_traps, %function\n"
        "step_traps:\n"
        "  brk #0\n"
        "  brk #1000\n"
        "  ret\n"
        ".size step_traps, . - step_traps\n");

static void signals(void) {
  struct sigaction action = {.sa_sigaction = step_handler, .sa_flags = SA_SIGINFO};
  sigaction(SIGTRAP, &action, NULL);
  raise(SIGTRAP);
  say("raised: %d, SI_TKILL: %s", handled, yes(handled_code == SI_TKILL));
  step_between();
  kill(getpid(), SIGTRAP);
  say("killed: %d, SI_USER: %s", handled, yes(handled_code == SI_USER));
  step_traps();
  say("trapped: %d, TRAP_BRKPT: %s", handled, yes(handled_code == TRAP_BRKPT));
  say("SIGTRAP blocked: %s", yes(blocks_trap()));
}

/* Scene "stops": stopping and continuing the program (job control) works as without a tracer. */
STEP(continued)

static void stops(void) {
  pid_t child = fork();
  if (child == 0) {
    raise(SIGSTOP);
    step_continued();
    _exit(5);
  }
  int status = 0;
  if (waitpid(child, &status, WUNTRACED) != child) abort();
  say("stopped: %s", yes(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP));
  kill(child, SIGCONT);
  say("ended: %d", end_of(child));
}

/* crashes */
STEP(last)

static void crashes(void) {
  step_last();
  *(volatile int *)8 = 0;
}

/* Scene "serve": the tracer attaches while the program runs with threads, and leaves at a mark. Scene "waits": the
 * tracer attaches while the program does nothing. */
STEP(attached)

static void tell_ready(void) {
  pid_t pid = getpid();
  if (write(3, &pid, sizeof pid) != sizeof pid) abort();
}

static void *serve_races(void *unused) {
  const volatile uint32_t *instruction = (const volatile uint32_t *)(uintptr_t)step_attached;
  uint32_t original = *instruction;
  pthread_barrier_wait(&barrier);
  while (*instruction == original) usleep(1000);
  pthread_barrier_wait(&barrier);
  return run_races(unused);
}

static void serve(void) {
  pthread_t others[THREADS - 1];
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (int i = 0; i < THREADS - 1; i++) pthread_create(&others[i], NULL, serve_races, NULL);
  const volatile uint32_t *instruction = (const volatile uint32_t *)(uintptr_t)step_attached;
  uint32_t original = *instruction;
  pthread_barrier_wait(&barrier);
  tell_ready();
  while (*instruction == original) usleep(1000);
  pthread_barrier_wait(&barrier);
  run_races(NULL);
  for (int i = 0; i < THREADS - 1; i++) pthread_join(others[i], NULL);
  step_attached();
  orderfile_rt_mark("last");
  say("breakpoints: %s", yes(text_changes() > 0));
}

STEP(fresh)

static void go_on(int signal) {
  (void)signal;
  step_fresh();
  say("goes on: %s", yes(calls > 0));
  _exit(0);
}

static void waits(void) {
  signal(SIGUSR1, go_on);
  tell_ready();
  for (;;) pause();
}

/* Scene "pages": functions on pages of their own, which are executed, read, and used by the kernel. */
#define PAGE(name) \
  __attribute__((noipa, aligned(4096))) static void step_page_##name(void) { calls++; }
PAGE(executed)
PAGE(read)
PAGE(kernel)
PAGE(untouched)
PAGE(child)
__attribute__((noipa, aligned(4096))) static void after_pages(void) { calls++; }

static void pages(void) {
  step_page_executed();
  calls += *(const volatile unsigned char *)(uintptr_t)step_page_read;
  int ends[2];
  if (pipe(ends) != 0 || write(ends[1], (const void *)(uintptr_t)step_page_kernel, 4) != 4) abort();
  pid_t child = fork();
  if (child == 0) {
    step_page_child();
    _exit(6);
  }
  say("forked: %d", end_of(child));
  after_pages();
  if (calls < 0) step_page_untouched();
}

#ifdef DYNAMIC
/* Scene "guarded": a library on pages that require landing pads. */
void step_leaf(void), step_signing(void), step_caller(void), step_refused(void), step_ifunc(void);

/* Whether the mapping of PLACE has the flag `bt`, <proc_pid_smaps(5)>. */
static bool is_guarded(uintptr_t place) {
  FILE *mappings = fopen("/proc/self/smaps", "r");
  bool is_here = false, is_guarded = false;
  for (char line[400]; fgets(line, sizeof line, mappings);) {
    unsigned long start, end;
    if (sscanf(line, "%lx-%lx ", &start, &end) == 2) is_here = start <= place && place < end;
    if (is_here && strncmp(line, "VmFlags:", 8) == 0) is_guarded = strstr(line, " bt") != NULL;
  }
  fclose(mappings);
  return is_guarded;
}

static sigjmp_buf after_refusal;
static void on_refusal(int signal) { siglongjmp(after_refusal, signal); }

static bool is_refused(void (*volatile function)(void)) {
  if (sigsetjmp(after_refusal, 1) != 0) return true;
  function();
  return false;
}

static void guarded(void) {
  void (*volatile leaf)(void) = step_leaf;
  void (*volatile signing)(void) = step_signing;
  say("guarded: %s", yes(is_guarded((uintptr_t)leaf)));
  signal(SIGILL, on_refusal);
  signing();
  leaf();
  step_caller();
  say("refused: %s", yes(is_refused(step_refused)));
  say("refused again: %s", yes(is_refused(step_refused)));
  step_ifunc();
}

/* Scene "plugin": a library that is loaded and unloaded. */
static void plugin(void) {
  for (int i = 0; i < 2; i++) {
    void *library = dlopen("/lib/libplugin.so", RTLD_NOW);
    if (!library) abort();
    ((void (*)(void))dlsym(library, "step_plugin"))();
    dlclose(library);
  }
  orderfile_rt_mark("last");
  say("breakpoints: %s", yes(text_changes() > 0));
}
#endif

static const struct {
  const char *name;
  void (*run)(void);
} scenes[] = {
    {"order", order},     {"leave", leave},       {"threads", threads},   {"children", children},
    {"replaced", replaced}, {"blocked", blocked}, {"blocking", blocking}, {"signals", signals},
    {"stops", stops},     {"crashes", crashes},   {"serve", serve},       {"waits", waits},
    {"pages", pages},
#ifdef DYNAMIC
    {"guarded", guarded}, {"plugin", plugin},
#endif
};

int main(int count, char **arguments) {
  if (count != 2) return 64;
  program = arguments[0];
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    if (strcmp(scenes[i].name, arguments[1]) != 0) continue;
    scenes[i].run();
    return 0;
  }
  return 64;
}
