// Launches, measures and traces small programs with CProcess, CPtrace and CPerf. It launches itself: its argument, if
// there is one, says which small program to be.
#define _GNU_SOURCE
#include <cprocess.h>
#include <cprocess_ready.h>
#include <cmeasure.h>
#include <cpagecache.h>
#include <ctrace.h>
#include <ctrace_calls.h>
#include <ctrace_process.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static char *const no_variables[] = {NULL};
static const struct cprocess_streams own_streams = {{-1, -1, -1}};

static int ended_as(char *const *arguments, char *const *variables, enum cprocess_group group) {
  pid_t pid;
  uint64_t start, ticks, now;
  int status;
  CHECK(cprocess_start(arguments, variables, NULL, &own_streams, group, false, &pid, &start) == 0);
  CHECK(cprocess_wait(pid, group ? 60000 : -1, &status) == 1);
  cprocess_clock_pair(&ticks, &now);
  CHECK(start < now && cprocess_start_time(pid) == 0);
  CHECK(WIFEXITED(status));
  return WEXITSTATUS(status);
}

/* The output of a program arrives, also if the program is held for a tracer. */
static void pass_streams(void) {
  char *shell[] = {"sh", "-c", "read LINE; echo $LINE; echo errors >&2", NULL};
  for (int tracer = 0; tracer <= 1; tracer++) {
    int input[2], output[2], errors[2], status;
    CHECK(pipe2(input, O_CLOEXEC) == 0 && pipe2(output, O_CLOEXEC) == 0 && pipe2(errors, O_CLOEXEC) == 0);
    struct cprocess_streams streams = {{input[0], output[1], errors[1]}};
    pid_t pid;
    uint64_t start;
    CHECK(cprocess_start(shell, no_variables, NULL, &streams, CPROCESS_OWN_GROUP, tracer ? getpid() : 0, &pid, &start) == 0);
    if (tracer) CHECK(cprocess_let_go(true) == 0);
    CHECK(write(input[1], "line\n", 5) == 5 && close(output[1]) == 0 && close(errors[1]) == 0);
    CHECK(cprocess_wait(pid, -1, &status) == 1 && status == 0);
    char text[16] = {0};
    CHECK(read(output[0], text, sizeof text) == 5 && memcmp(text, "line\n", 5) == 0);
    CHECK(read(errors[0], text, sizeof text) == 7 && memcmp(text, "errors\n", 7) == 0);
    close(input[0]);
    close(input[1]);
    close(output[0]);
    close(errors[0]);
  }
}

static void launches(void) {
  char *shell[] = {"sh", "-c", "exit $ANSWER", NULL}, *missing[] = {"no-such-program", NULL};
  char *answer[] = {"ANSWER=42", NULL};
  setenv("ANSWER", "41", 1);
  CHECK(ended_as(shell, no_variables, CPROCESS_SHARED_GROUP) == 41);
  CHECK(ended_as(shell, answer, CPROCESS_SHARED_GROUP) == 42);
  CHECK(ended_as(shell, answer, CPROCESS_OWN_GROUP) == 42);
  pid_t pid;
  uint64_t start;
  pass_streams();
  CHECK(cprocess_start(missing, no_variables, NULL, &own_streams, CPROCESS_SHARED_GROUP, false, &pid, &start) == ENOENT);
  CHECK(cprocess_start(missing, no_variables, NULL, &own_streams, CPROCESS_SHARED_GROUP, getpid(), &pid, &start) == 0);
  CHECK(cprocess_let_go(true) == ENOENT);

  char *sleeper[] = {"sleep", "1000", NULL};
  int status;
  CHECK(cprocess_start(sleeper, no_variables, NULL, &own_streams, CPROCESS_OWN_GROUP, false, &pid, &start) == 0);
  CHECK(cprocess_is_running(pid, cprocess_start_time(pid)));
  CHECK(!cprocess_is_running(pid, cprocess_start_time(pid) + 1));
  CHECK(cprocess_wait(pid, 1, &status) == 0);
  CHECK(cprocess_signal_group(pid, SIGKILL));
  CHECK(cprocess_wait(pid, -1, &status) == 1 && WTERMSIG(status) == SIGKILL);
  CHECK(!cprocess_signal_group(pid, SIGKILL));
}

/* A text is found in the output although its beginning comes twice, and although the output comes in two parts. */
static void taps(void) {
  struct cprocess_tap tap;
  int end;
  CHECK(cprocess_tap_open(&tap, "", -1, &end) == ENAMETOOLONG);
  char text[300] = {0};
  memset(text, 'a', sizeof text - 1);
  CHECK(cprocess_tap_open(&tap, text, -1, &end) == ENAMETOOLONG);
  CHECK(cprocess_tap_open(&tap, "aabaac", -1, &end) == 0);
  CHECK(!cprocess_tap_read(&tap));
  CHECK(write(end, "caabaab", 7) == 7 && !cprocess_tap_read(&tap));
  CHECK(write(end, "aac", 3) == 3 && cprocess_tap_read(&tap));
  close(end);
  CHECK(cprocess_tap_read(&tap));
  cprocess_tap_close(&tap);
  CHECK(!cprocess_port_listens(0, 1));
}

static void measures(const char *self) {
  struct cmeasure_launch launch;
  char *program[] = {(char *)self, "touch", NULL}, *sleeper[] = {(char *)self, "sleep", NULL};
  CHECK(cmeasure_run(self, program, no_variables, NULL, NULL, false, -1, NULL, NULL, &launch) == 0);
  CHECK(WIFEXITED(launch.status) && WEXITSTATUS(launch.status) == 7 && launch.nanoseconds > 0);
  CHECK(launch.minor_faults + launch.major_faults > 0 && !launch.timed_out);
  CHECK(cmeasure_run(self, sleeper, no_variables, NULL, self, false, 1, NULL, NULL, &launch) == 0 && launch.timed_out);
  CHECK(cmeasure_run("/no/such", program, no_variables, NULL, NULL, false, -1, NULL, NULL, &launch) == ENOENT);
  CHECK(cmeasure_run(self, program, no_variables, NULL, "/no/such", false, -1, NULL, NULL, &launch) == ENOENT);

  struct cfaults *faults;
  int error = cfaults_open(&faults);
  if (error) { // the system may not permit it, but must say so
    CHECK(error == EACCES || error == EPERM || error == ENOTSUP);
  } else {
    CHECK(cmeasure_run(self, program, no_variables, NULL, NULL, false, -1, faults, NULL, &launch) == 0);
    size_t mappings = 0;
    for (size_t i = 0; i < cfaults_count(faults); i++) {
      struct cfaults_event event = cfaults_at(faults, i);
      if (event.kind == CFAULTS_MAPPING) mappings += strlen(cfaults_path(faults, event)) > 0;
    }
    CHECK(mappings > 0 && cfaults_lost(faults) == 0);
    cfaults_close(faults);
  }

  uint64_t resident, pages;
  CHECK(cpagecache_resident(self, &resident, &pages) == 0 && pages > 0 && resident <= pages);
  CHECK(cpagecache_resident("/", &resident, &pages) == EINVAL);
  CHECK(cpagecache_resident("/no/such", &resident, &pages) == ENOENT);
  CHECK(cpagecache_evict(self) == 0 && cpagecache_evict("/no/such") == ENOENT);
  (void)cpagecache_is_memory(self);
}

// Traces a program from its first instruction to its end, from system call to system call: which memory each call uses.
// The page that the program's prctl names is made read-only.
static void traces(const char *self) {
  char *program[] = {(char *)self, "touch", NULL};
  pid_t pid, tid, tids[4];
  uint64_t start, counter = 0;
  int status, memory = -1;
  size_t calls = 0, ranges = 0;
  bool is_protected = false;
  CHECK(cprocess_start(program, no_variables, NULL, &own_streams, CPROCESS_SHARED_GROUP, getpid(), &pid, &start) == 0);
  CHECK(ctrace_seize(pid) == 0 && cprocess_let_go(true) == 0);
  while ((tid = waitpid(-1, &status, __WALL)) > 0) {
    CHECK(tid == pid);
    if (!WIFSTOPPED(status)) break;
    CHECK(ctrace_threads(pid, tids, 4) == 1 && tids[0] == pid);
    CHECK(ctrace_program_counter(tid, &counter) == 0 && counter != 0);
    struct ctrace_call call = {0};
    bool is_call = WSTOPSIG(status) == (SIGTRAP | 0x80);
    if (is_call) CHECK(ctrace_call_at(tid, &call) == 0 && call.is_native);
    if (status >> 16 == CTRACE_EXEC) {
      char path[32];
      snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
      CHECK((memory = open(path, O_RDONLY | O_CLOEXEC)) >= 0);
      CHECK(ctrace_event_message(tid) == (uint64_t)pid);
      uint64_t mask;
      CHECK(ctrace_blocked_signals(tid, &mask) == 0 && ctrace_block_signals(tid, mask) == 0);
    } else if (call.place == CTRACE_ENTRY) {
      struct ctrace_range found[16];
      enum ctrace_knowledge knowledge;
      ranges += (size_t)ctrace_call_memory(memory, &call, found, 16, &knowledge);
      CHECK(knowledge == CTRACE_KNOWN);
      calls++;
      if (call.number == CTRACE_PRCTL && !is_protected) { // The interrupted call begins again after this one.
        int error, ended;
        is_protected = true;
        CHECK(ctrace_protect(tid, 0, call.arguments[1], 4096, CTRACE_READ, &error, &ended) == 0);
        CHECK(error == 0);
      }
    } else if (WSTOPSIG(status) == SIGSEGV && status >> 16 == 0) {
      uint64_t address;
      CHECK(ctrace_denied_access(tid, &address) && !ctrace_is_at_breakpoint(tid));
      CHECK(ctrace_continue(tid, SIGSEGV) == 0);
      continue;
    }
    CHECK(ctrace_continue_to_system_call(tid, 0) == 0);
  }
  CHECK(tid == pid && WIFEXITED(status) && WEXITSTATUS(status) == 9);
  CHECK(calls > 3 && ranges > 0);
  CHECK(ctrace_program_counter(pid, &counter) == ESRCH && ctrace_threads(pid, tids, 4) == 0);
  close(memory);
}

// What a thread that has hit a breakpoint looks like if an interruption comes first: the signal, as the kernel raises
// it, is pending while the thread stops for something else. A thread that is released there would die of the signal.
static void finds_pending_breakpoint(void) {
  int ready[2], status;
  char byte;
  CHECK(pipe2(ready, O_CLOEXEC) == 0);
  pid_t pid = fork();
  if (pid == 0) {
    sigset_t trap;
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    sigprocmask(SIG_BLOCK, &trap, NULL);
    siginfo_t info = {.si_signo = SIGTRAP, .si_code = SI_KERNEL};
    CHECK(syscall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), SIGTRAP, &info) == 0);
    CHECK(write(ready[1], "", 1) == 1);
    for (;;) pause();
  }
  CHECK(read(ready[0], &byte, 1) == 1);
  CHECK(ctrace_seize(pid) == 0 && ctrace_interrupt(pid) == 0);
  CHECK(waitpid(pid, &status, __WALL) == pid && status >> 16 == CTRACE_STOP);
  uint64_t mask, trap = UINT64_C(1) << (SIGTRAP - 1);
  CHECK(ctrace_blocked_signals(pid, &mask) == 0 && mask & trap);
  CHECK(!ctrace_has_pending_fault(pid)); // it waits until the program unblocks it
  CHECK(ctrace_block_signals(pid, mask & ~trap) == 0);
  CHECK(ctrace_has_pending_fault(pid));
  CHECK(ctrace_continue(pid, 0) == 0);
  CHECK(waitpid(pid, &status, __WALL) == pid && status >> 16 == 0 && WSTOPSIG(status) == SIGTRAP);
  CHECK(ctrace_is_at_breakpoint(pid) && !ctrace_has_pending_fault(pid));
  CHECK(ctrace_detach(pid, 0) == 0 && kill(pid, 0) == 0);
  CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid && WTERMSIG(status) == SIGKILL);
  close(ready[0]);
  close(ready[1]);
}

// Runs in the tracing process: answers each request on the stream, until the stream ends.
static void answer(void *context, int stream) {
  char word[5];
  int status;
  CHECK(getsid(0) == getpid() && fcntl(STDOUT_FILENO, F_GETFD) >= 0);
  CHECK(ctrace_wait(-1, -1, &status) == -ECHILD);
  while (ctrace_receive(stream, word, sizeof word)) CHECK(ctrace_send(stream, context, 5));
}

static void starts_tracer(void) {
  pid_t pid;
  int stream;
  char word[5], pong[] = "pong";
  CHECK(ctrace_start_process(answer, pong, &pid, &stream) == 0 && ctrace_poll(stream, 0) == 0);
  CHECK(ctrace_send(stream, "ping", 5) && ctrace_poll(stream, 60000) == 1);
  CHECK(ctrace_receive(stream, word, sizeof word) && strcmp(word, "pong") == 0);
  ctrace_end_process(pid, stream);
  CHECK(kill(pid, 0) != 0);
}

static void denied(int signal) {
  (void)signal;
  _exit(9);
}

// Writes to a page that a tracer may have protected: 9 if it was, else 7.
static int touch(void) {
  static char page[3 * 4096];
  char *aligned = (char *)(((uintptr_t)page + 4095) & ~(uintptr_t)4095);
  signal(SIGSEGV, denied);
  *aligned = 1;
  syscall(SYS_prctl, 16 /* PR_GET_NAME */, aligned, 0, 0, 0);
  *(volatile char *)aligned = 2;
  return 7;
}

int main(int count, char **arguments) {
  if (count > 1) return strcmp(arguments[1], "touch") == 0 ? touch() : (int)sleep(1000);
  char self[4096];
  ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
  CHECK(size > 0);
  self[size] = 0;
  launches();
  taps();
  starts_tracer();
  finds_pending_breakpoint();
  traces(self);
  measures(self);
  return 0;
}
