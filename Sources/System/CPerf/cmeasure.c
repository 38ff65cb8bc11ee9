#define _GNU_SOURCE
#include "cmeasure.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cprocess.h"
#include "cprocess_children.h"
#include "cprocess_terminal.h"
#include "measure.h"

static volatile sig_atomic_t measured; /* the process that an interrupt kills, or 0 */
static volatile sig_atomic_t was_interrupted;

static void interrupt(int signal) {
  (void)signal;
  int error = errno;
  was_interrupted = 1;
  if (measured) kill(-(pid_t)measured, SIGKILL);
  errno = error;
}

static const int interrupts[3] = {SIGINT, SIGTERM, SIGHUP};

void cmeasure_catch_interrupts(void) {
  for (int i = 0; i < 3; i++) {
    struct sigaction action;
    sigaction(interrupts[i], NULL, &action);
    if (action.sa_handler == SIG_IGN) continue;
    action = (struct sigaction){.sa_handler = interrupt, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(interrupts[i], &action, NULL);
  }
}

bool cmeasure_was_interrupted(void) { return was_interrupted; }

static int open_streams(const char *input, bool shows_output, int output, struct cprocess_terminal *terminal,
                        struct measure_streams *streams) {
  streams->is_terminal = terminal != NULL;
  if (terminal) {
    streams->input = streams->output = cprocess_terminal_program_end(terminal);
    return 0;
  }
  streams->input = open(input ? input : "/dev/null", O_RDONLY | O_CLOEXEC);
  if (streams->input < 0) return errno;
  streams->output = output >= 0 ? output : shows_output ? STDERR_FILENO : open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (streams->output >= 0) return 0;
  int error = errno;
  close(streams->input);
  return error;
}

/* Closes the program's streams in this process, after the program has started. */
static void close_streams(struct measure_streams streams, struct cprocess_terminal *terminal) {
  if (terminal) {
    cprocess_terminal_has_started(terminal);
    return;
  }
  close(streams.input);
  if (streams.output != STDERR_FILENO) close(streams.output);
}

static bool is_ready(const struct cmeasure_readiness *readiness, pid_t pid) {
  return readiness && readiness->is_ready(pid, readiness->context);
}

/* The result of wait_for_end if the program is ready. */
enum { IS_READY = 2 };

/* Waits for the end of the program, or for output to its terminal. Returns as cprocess_wait_for_end does. */
static int wait_a_millisecond(pid_t pid, const struct cmeasure_readiness *readiness) {
  if (!readiness || !readiness->terminal) return cprocess_wait_for_end(pid, 1);
  cprocess_terminal_wait(readiness->terminal, pid, 1);
  return cprocess_wait_for_end(pid, 0);
}

/* Waits until the child has ended, without reaping it. Returns 1, IS_READY, 0 if the time has run out, or -errno. */
static int wait_for_end(pid_t pid, int64_t timeout, struct cfaults *faults,
                        const struct cmeasure_readiness *readiness) {
  bool looks = faults || readiness;
  if (!looks && timeout >= 0) return cprocess_wait_for_end(pid, timeout);
  siginfo_t information;
  while (!looks) {
    if (waitid(P_PID, (id_t)pid, &information, WEXITED | WNOWAIT) == 0) return 1;
    if (errno != EINTR) return -errno;
  }
  for (uint64_t end = measure_now() + (uint64_t)timeout * 1000000u;;) {
    int ended = wait_a_millisecond(pid, readiness);
    int error = faults ? cfaults_collect(faults) : 0;
    if (error) return -error;
    if (is_ready(readiness, pid)) return IS_READY;
    if (ended != 0) return ended;
    if (timeout >= 0 && measure_now() >= end) return 0;
  }
}

/* Ends the process group of PID, whose first process has not been reaped. */
static void end_group(pid_t pid, const struct cmeasure_readiness *readiness) {
  enum { PATIENCE = 2000 }; /* milliseconds */
  kill(-pid, readiness && readiness->terminal ? SIGHUP : SIGTERM);
  uint64_t end = measure_now() + PATIENCE * UINT64_C(1000000);
  while (!was_interrupted && measure_now() < end) {
    if (wait_a_millisecond(pid, readiness) != 0) break;
    is_ready(readiness, pid); /* reads the output of the program, if there is any */
  }
  kill(-pid, SIGKILL);
}

int cmeasure_run(const char *path, char *const *arguments, char *const *variables, const char *folder,
                 const char *input, bool shows_output, int64_t timeout, struct cfaults *faults,
                 const struct cmeasure_readiness *readiness, struct cmeasure_launch *launch) {
  *launch = (struct cmeasure_launch){0};
  struct measure_streams streams;
  int output = readiness ? readiness->output : -1;
  struct cprocess_terminal *terminal = readiness ? readiness->terminal : NULL;
  char **environment = cprocess_environment(variables);
  if (!environment) return ENOMEM;
  int error = open_streams(input, shows_output, output, terminal, &streams);
  if (error) {
    free(environment);
    return error;
  }
  cprocess_expect_children();
  cprocess_adopt_orphans();

  int counter = faults ? -1 : measure_count_instructions();
  pid_t pid = 0;
  uint64_t start = 0;
  sigset_t all, mask; /* an interrupt waits until the child's number is known */
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &mask);
  error = measure_start(path, arguments, environment, folder, streams, &mask, &pid, &start);
  free(environment);
  if (!error) measured = pid;
  sigprocmask(SIG_SETMASK, &mask, NULL);
  if (!error && was_interrupted) kill(-pid, SIGKILL); /* the interrupt came before the child existed */
  close_streams(streams, terminal);
  if (error) {
    measure_counted_instructions(counter, &launch->instructions);
    return error;
  }

  int ended = wait_for_end(pid, timeout, faults, readiness);
  launch->nanoseconds = measure_now() - start;
  launch->start = start;
  launch->pid = pid;
  struct measure_figures running;
  launch->is_ready = ended == IS_READY;
  launch->timed_out = ended == 0;
  bool has_figures = launch->is_ready && measure_running(pid, &running);
  bool has_counted =
      launch->is_ready && measure_counted_instructions(counter, &launch->instructions);
  if (launch->is_ready) counter = -1;
  if (ended != 1) end_group(pid, readiness);
  /* Waits once more, without reaping, so that all figures of a child that has just ended are complete when they are
   * read. */
  siginfo_t information;
  while (waitid(P_PID, (id_t)pid, &information, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  launch->has_read_bytes = measure_read_bytes(pid, &launch->read_bytes);
  kill(-pid, SIGKILL); /* processes that the child left running; the group's number is not reused yet */
  measured = 0;
  struct rusage usage;
  pid_t waited;
  while ((waited = wait4(pid, &launch->status, 0, &usage)) < 0 && errno == EINTR) {
  }
  int wait_error = waited < 0 ? errno : 0;
  launch->has_instructions =
      measure_counted_instructions(counter, &launch->instructions) || has_counted;
  if (wait_error) return wait_error;
  cprocess_end_orphans();
  if (ended < 0) return -ended;
  launch->user_microseconds =
      (uint64_t)usage.ru_utime.tv_sec * 1000000u + (uint64_t)usage.ru_utime.tv_usec;
  launch->system_microseconds =
      (uint64_t)usage.ru_stime.tv_sec * 1000000u + (uint64_t)usage.ru_stime.tv_usec;
  launch->minor_faults = (uint64_t)usage.ru_minflt;
  launch->major_faults = (uint64_t)usage.ru_majflt;
  launch->peak_bytes = measure_peak_bytes(usage.ru_maxrss);
  struct rusage own;
  launch->has_peak_bytes = getrusage(RUSAGE_SELF, &own) == 0 && usage.ru_maxrss > own.ru_maxrss;
  if (!launch->is_ready) return 0;
  launch->has_read_bytes = has_figures && running.has_read_bytes;
  if (!has_figures) return 0;
  launch->read_bytes = running.read_bytes;
  launch->user_microseconds = running.user_microseconds;
  launch->system_microseconds = running.system_microseconds;
  launch->minor_faults = running.minor_faults;
  launch->major_faults = running.major_faults;
  return 0;
}
