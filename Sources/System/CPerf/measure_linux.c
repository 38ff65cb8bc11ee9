#if defined(__linux__)
#define _GNU_SOURCE
#include "measure.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cprocess_children.h"
#include "cprocess_launch.h"
#include "cprocess_proc.h"

uint64_t measure_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* The memory that vfork shares with the child, which writes to it; the parent sleeps until exec. */
struct start {
  uint64_t time;
  int error;
};

/* vfork and not fork, because fork's child would take and count faults on our memory before exec; and not
 * posix_spawn, which sets up 64 signals between our clock and exec. */
int measure_start(const char *path, char *const *arguments, char *const *environment, const char *folder,
                  struct measure_streams streams, const sigset_t *mask, pid_t *pid, uint64_t *start) {
  volatile struct start shared = {0, 0};
  pid_t parent = getpid();
  pid_t child = vfork();
  if (child == 0) {
    bool is_ready = (streams.is_terminal ? setsid() > 0 && ioctl(streams.input, TIOCSCTTY, 0) == 0
                                         : setpgid(0, 0) == 0) &&
                    prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent && dup2(streams.input, STDIN_FILENO) >= 0 &&
                    dup2(streams.output, STDOUT_FILENO) >= 0 &&
                    dup2(streams.output, STDERR_FILENO) >= 0 && (!folder || chdir(folder) == 0);
    if (is_ready) {
      cprocess_become_child();
      sigprocmask(SIG_SETMASK, mask, NULL);
      shared.time = measure_now();
      execve(path, arguments, environment);
    }
    shared.error = errno;
    _exit(127);
  }
  if (child < 0) return errno;
  *pid = child;
  *start = shared.time;
  if (!shared.error) return 0;
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
  }
  return shared.error;
}

/* /proc/PID/io exists until the process is waited for. It also counts the children that the process has waited for.
 * <proc_pid_io(5)> */
bool measure_read_bytes(pid_t pid, uint64_t *bytes) {
  char text[512];
  if (!cprocess_read_proc(pid, "io", text, sizeof text)) return false;
  const char *field = strstr(text, "\nread_bytes: ");
  if (!field) return false;
  *bytes = strtoull(field + strlen("\nread_bytes: "), NULL, 10);
  return true;
}

/* The counter belongs to this thread, is off for it, and is enabled when a child that has inherited it calls exec.
 * <perf_event_open(2)> */
int measure_count_instructions(void) {
  struct perf_event_attr attributes = {
      .size = sizeof attributes,
      .type = PERF_TYPE_HARDWARE,
      .config = PERF_COUNT_HW_INSTRUCTIONS,
      .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
      .disabled = 1,
      .inherit = 1,
      .enable_on_exec = 1,
      .exclude_kernel = 1, /* as for other users, so that root gets the same figures */
      .exclude_hv = 1,
  };
  return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

bool measure_counted_instructions(int counter, uint64_t *count) {
  if (counter < 0) return false;
  struct {
    uint64_t value, enabled, running; /* in nanoseconds */
  } found;
  ssize_t size = read(counter, &found, sizeof found);
  close(counter);
  if (size != sizeof found || found.running == 0 || found.running < found.enabled) return false;
  *count = found.value;
  return true;
}

/* Adds the figures of process PID and of the children that it has waited for, from fields 10 to 17 of
 * /proc/PID/stat. */
static void add_figures(pid_t pid, void *context) {
  struct measure_figures *figures = context;
  char text[1024];
  const char *fields = cprocess_read_stat(pid, text, sizeof text);
  unsigned long long minor, minor_waited, major, major_waited, user, system, user_waited, system_waited;
  if (!fields || sscanf(fields, " %*c %*s %*s %*s %*s %*s %*s %llu %llu %llu %llu %llu %llu %llu %llu", &minor,
                        &minor_waited, &major, &major_waited, &user, &system, &user_waited, &system_waited) != 8)
    return;
  figures->minor_faults += minor + minor_waited;
  figures->major_faults += major + major_waited;
  uint64_t tick = 1000000u / (uint64_t)sysconf(_SC_CLK_TCK);
  clockid_t clock;
  struct timespec used;
  bool is_exact = clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &used) == 0;
  uint64_t own = is_exact ? (uint64_t)used.tv_sec * 1000000u + (uint64_t)used.tv_nsec / 1000 : (user + system) * tick;
  uint64_t own_system = user + system ? own * system / (user + system) : 0;
  figures->system_microseconds += own_system + system_waited * tick;
  figures->user_microseconds += own - own_system + user_waited * tick;
  uint64_t read_bytes;
  figures->has_read_bytes = measure_read_bytes(pid, &read_bytes) && figures->has_read_bytes;
  if (figures->has_read_bytes) figures->read_bytes += read_bytes;
}

bool measure_running(pid_t pid, struct measure_figures *figures) {
  *figures = (struct measure_figures){.has_read_bytes = true};
  return cprocess_each_of_launch(pid, 0, add_figures, figures);
}

uint64_t measure_peak_bytes(long maxrss) { return (uint64_t)maxrss << 10; }
#endif
