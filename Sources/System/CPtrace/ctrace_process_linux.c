#if defined(__linux__)
#define _GNU_SOURCE
#include "ctrace_process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int ending[4] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
static volatile sig_atomic_t was_told_to_end;

static void note_end(int signal) {
  (void)signal;
  was_told_to_end = 1;
}

static void wake(int signal) { (void)signal; }

bool ctrace_was_told_to_end(void) { return was_told_to_end; }

/* Closes all files but STREAM, because others may wait for their end: a pipe, a lock, the terminal. The numbers of the
 * files then belong to /dev/null: a library that was preloaded into the command may later close or use the number of a
 * file that it had opened, and this number must not belong to a file of the tracer. */
static void keep_only(int stream) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  DIR *open_files = opendir("/proc/self/fd");
  int own[3] = {stream, null, open_files ? dirfd(open_files) : -1};
  for (int i = 0; i <= 2; i++)
    if (null < 0 || dup2(null, i) < 0) close(i);
  for (struct dirent *entry; open_files && (entry = readdir(open_files));) {
    int number = atoi(entry->d_name);
    if (number <= 2 || number == own[0] || number == own[1] || number == own[2]) continue;
    if (null < 0 || dup3(null, number, O_CLOEXEC) < 0) close(number);
  }
  if (open_files) closedir(open_files);
  if (null > 2) close(null);
  if (open_files) return;
  for (int i = 3; i < 1024; i++) /* /proc is not mounted, so all possible numbers are closed */
    if (i != stream) close(i);
}

static void become_tracer(int stream) {
  setsid();
  if (chdir("/") != 0) errno = 0; /* the folder that this process began in may be unmounted */
  keep_only(stream);
  /* Killing by the command's name should not hit this process. */
  prctl(PR_SET_NAME, "of-tracer", 0, 0, 0);
  struct sigaction action = {.sa_handler = note_end};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < 4; i++) sigaction(ending[i], &action, NULL);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, NULL);
  sigaction(SIGTSTP, &action, NULL);
  /* SIGCHLD reports stops. It is blocked except during waits: a signal that comes just before a wait ends the wait. */
  action.sa_handler = wake;
  sigaction(SIGCHLD, &action, NULL);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGCHLD);
  for (int i = 0; i < 4; i++) sigaddset(&blocked, ending[i]);
  sigprocmask(SIG_SETMASK, &blocked, NULL);
}

int ctrace_start_process(void (*body)(void *context, int stream), void *context, pid_t *pid,
                         int *stream) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return errno;
  *pid = fork();
  if (*pid == 0) {
    become_tracer(ends[1]);
    body(context, ends[1]);
    _exit(0);
  }
  int error = *pid < 0 ? errno : 0;
  close(ends[1]);
  if (error)
    close(ends[0]);
  else
    *stream = ends[0];
  return error;
}

void ctrace_end_process(pid_t pid, int stream) {
  close(stream);
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
  }
}

pid_t ctrace_wait(int stream, int64_t nanoseconds, int *status) {
  struct timespec limit = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  struct pollfd poller = {.fd = stream, .events = POLLIN};
  sigset_t none;
  sigemptyset(&none);
  if (poll(&poller, 1, 0) > 0) return 0;
  /* A thread that runs from one breakpoint to the next stops before this process would fall asleep: polling for some
   * microseconds reduces the cost of a hit by a third. */
  pid_t tid = 0;
  for (int i = 0; i < 50 && tid == 0; i++) tid = waitpid(-1, status, __WALL | WNOHANG);
  while (tid == 0) {
    int ready = ppoll(&poller, 1, nanoseconds < 0 ? NULL : &limit, &none);
    tid = waitpid(-1, status, __WALL | WNOHANG);
    if (tid == 0 && ready == 0) return -EINTR;
    if (tid == 0 && stream >= 0 && (ready > 0 || was_told_to_end)) return 0;
  }
  return tid < 0 ? -errno : tid;
}

bool ctrace_send(int stream, const void *bytes, size_t size) {
  for (const char *next = bytes; size > 0;) {
    ssize_t sent = send(stream, next, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    next += sent;
    size -= (size_t)sent;
  }
  return true;
}

bool ctrace_receive(int stream, void *bytes, size_t size) {
  for (char *next = bytes; size > 0;) {
    ssize_t found = read(stream, next, size);
    if (found < 0 && errno == EINTR) continue;
    if (found <= 0) return false;
    next += found;
    size -= (size_t)found;
  }
  return true;
}

int ctrace_poll(int stream, int64_t milliseconds) {
  struct pollfd poller = {.fd = stream, .events = POLLIN};
  int limit = milliseconds < 0 ? -1 : milliseconds > 3600000 ? 3600000 : (int)milliseconds;
  int ready = poll(&poller, 1, limit);
  return ready < 0 ? -errno : ready > 0;
}
#endif
