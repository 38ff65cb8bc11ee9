#if defined(__linux__)
#define _GNU_SOURCE
#include "platform.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
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
#include "cprocess_proc.h"

uint64_t platform_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_BOOTTIME, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t platform_ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return 0;
#endif
}

/* Reads fields 3 and 22 of /proc/PID/stat. */
enum platform_process platform_process(pid_t pid, uint64_t *start_time) {
  char text[1024];
  const char *fields = cprocess_read_stat(pid, text, sizeof text);
  char state = 0;
  unsigned long long start = 0;
  if (!fields ||
      sscanf(fields, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                     "%llu", &state, &start) != 2)
    return PLATFORM_GONE;
  *start_time = start;
  return state == 'Z' || state == 'X' ? PLATFORM_ENDED : PLATFORM_RUNNING;
}

int platform_wait_for_end(pid_t pid, int64_t milliseconds) {
  uint64_t end = platform_now() + (uint64_t)milliseconds * 1000000u;
  int descriptor = (int)syscall(SYS_pidfd_open, pid, 0);
  if (descriptor < 0) return -errno;
  int result = -EINTR;
  while (result == -EINTR) {
    uint64_t present = platform_now();
    int64_t left = present < end ? (int64_t)((end - present + 999999) / 1000000) : 0;
    struct pollfd poller = {.fd = descriptor, .events = POLLIN};
    int ready = poll(&poller, 1, left > 3600000 ? 3600000 : (int)left);
    if (ready > 0) result = 1;
    else if (ready < 0 && errno != EINTR) result = -errno;
    else if (platform_now() >= end) result = 0;
  }
  close(descriptor);
  return result;
}

void platform_wait_for_end_or_input(pid_t pid, int input, int64_t milliseconds) {
  struct pollfd pollers[2] = {{.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN},
                              {.fd = input, .events = POLLIN}};
  poll(pollers, 2, milliseconds > 3600000 ? 3600000 : (int)milliseconds);
  if (pollers[0].fd >= 0) close(pollers[0].fd);
}

int platform_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno; }

void platform_give_terminal(posix_spawn_file_actions_t *actions) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 35)
  posix_spawn_file_actions_addtcsetpgrp_np(actions, STDIN_FILENO);
#else
  (void)actions;
#endif
}

void platform_open_terminal(posix_spawn_file_actions_t *actions, int descriptor) { (void)actions, (void)descriptor; }

/* Does the steps of a held child before exec; never returns. Only the parent may hold the other end of GO: then the
 * child ends if the parent ends before the child may begin. */
static void become_program(char *const *arguments, char **environment, const char *folder, const int streams[3],
                           enum platform_leader leader, bool takes_terminal, const sigset_t *defaults,
                           const sigset_t *mask, pid_t tracer, int go, int failed) {
  if (leader == PLATFORM_SESSION || leader == PLATFORM_TERMINAL) {
    setsid();
  } else if (leader == PLATFORM_GROUP) {
    setpgid(0, 0);
    if (takes_terminal) tcsetpgrp(STDIN_FILENO, getpgrp());
  }
  for (int stream = 0; stream <= 2; stream++)
    if (streams[stream] >= 0) dup2(streams[stream], stream);
  if (leader == PLATFORM_TERMINAL) ioctl(STDIN_FILENO, TIOCSCTTY, 0);
  if (tracer) prctl(PR_SET_PTRACER, (unsigned long)tracer, 0, 0, 0); /* otherwise yama lets only ancestors trace */
  for (int signal = 1; signal < NSIG; signal++)
    if (sigismember(defaults, signal) == 1)
      sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
  cprocess_become_child();
  sigprocmask(SIG_SETMASK, mask, NULL);
  int error = folder && chdir(folder) != 0 ? errno : 0;
  char byte;
  /* The first byte means: the child can be attached to. */
  if (write(failed, "", 1) == 1 && read(go, &byte, 1) == 1 && !error) execvpe(arguments[0], arguments, environment);
  if (!error) error = errno;
  while (write(failed, &error, sizeof error) < 0 && errno == EINTR) {
  }
  _exit(127);
}

int platform_start_held(char *const *arguments, char **environment, const char *folder, const int streams[3],
                        enum platform_leader leader, bool takes_terminal, const sigset_t *defaults, const sigset_t *mask,
                        pid_t tracer, struct platform_held *held) {
  int go[2], failed[2]; /* a pipe to the child, and one from it, which exec closes */
  if (pipe2(go, O_CLOEXEC) != 0) return errno;
  if (pipe2(failed, O_CLOEXEC) != 0) {
    int error = errno;
    close(go[0]);
    close(go[1]);
    return error;
  }
  *held = (struct platform_held){fork(), go[1], failed[0]};
  if (held->pid == 0) {
    close(go[1]);
    become_program(arguments, environment, folder, streams, leader, takes_terminal, defaults, mask, tracer, go[0],
                   failed[1]);
  }
  int error = held->pid < 0 ? errno : 0;
  close(go[0]);
  close(failed[1]);
  char byte;
  if (!error && read(failed[0], &byte, 1) == 1) return 0;
  close(go[1]);
  close(failed[0]);
  return error ? error : ECHILD;
}

int platform_let_go(const struct platform_held *held, bool may_begin) {
  int error = may_begin && write(held->go, "", 1) != 1 ? errno : 0;
  close(held->go);
  int found;
  if (!error && read(held->failed, &found, sizeof found) == sizeof found) error = found;
  close(held->failed);
  if (error || !may_begin)
    while (waitpid(held->pid, NULL, 0) < 0 && errno == EINTR) {
    }
  return error;
}

/* Whether a line of the file has a socket that listens on PORT. Field 2 is the local address, ADDRESS:PORT in
 * hexadecimal, and field 4 the state. Sockets that listen come first. <proc_pid_net(5)> */
static bool has_listener(const char *path, unsigned port) {
  FILE *file = fopen(path, "re");
  if (!file) return false;
  char line[256];
  unsigned found = 0, state = 0;
  bool listens = false;
  if (fgets(line, sizeof line, file))
    while (!listens && fgets(line, sizeof line, file) &&
           sscanf(line, "%*s %*[^:]:%x %*s %x", &found, &state) == 2 && state == 0x0a)
      listens = found == port;
  fclose(file);
  return listens;
}

bool platform_port_listens(pid_t pid, uint16_t port) {
  char path[40];
  for (int version = 4; version <= 6; version += 2) {
    snprintf(path, sizeof path, "/proc/%d/net/tcp%s", (int)(pid ? pid : getpid()), version == 4 ? "" : "6");
    if (has_listener(path, port)) return true;
  }
  return false;
}

/* Children that this process had before it began to adopt orphans; it must not end them. */
static struct { pid_t pid; uint64_t start; } spared[64];
static int spared_count;
static bool adopts_orphans;

/* Calls BODY for each child of the main thread, which adopts all orphans. <proc_tid_children(5)> */
static void each_child(void (*body)(pid_t, uint64_t start, void *context), void *context) {
  char name[32], text[4096];
  snprintf(name, sizeof name, "task/%d/children", (int)getpid());
  if (!cprocess_read_proc(getpid(), name, text, sizeof text)) return;
  char *end = text;
  for (;;) {
    long pid = strtol(end, &end, 10);
    /* The last number in the text may be cut off, and is then left for the next read. */
    if (pid <= 0 || *end != ' ') return;
    uint64_t start = 0;
    platform_process((pid_t)pid, &start);
    body((pid_t)pid, start, context);
  }
}

static void spare(pid_t pid, uint64_t start, void *unused) {
  (void)unused;
  if (spared_count == sizeof spared / sizeof *spared) return;
  spared[spared_count].pid = pid;
  spared[spared_count++].start = start;
}

void platform_adopt_orphans(void) {
  spared_count = 0;
  each_child(spare, NULL);
  adopts_orphans = prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

static bool is_spared(pid_t pid, uint64_t start) {
  for (int i = 0; i < spared_count; i++)
    if (spared[i].pid == pid && spared[i].start == start) return true;
  return false;
}

bool platform_has_adopted(pid_t pid) {
  uint64_t start = 0;
  return adopts_orphans && platform_process(pid, &start) != PLATFORM_GONE && !is_spared(pid, start);
}

struct ended { int killed, left; };

static void kill_child(pid_t pid, uint64_t start, void *context) {
  struct ended *ended = context;
  if (is_spared(pid, start)) return;
  uint64_t now;
  if (platform_process(pid, &now) == PLATFORM_RUNNING) ended->killed++;
  ended->left++;
  kill(pid, SIGKILL);
}

int platform_end_orphans(void) {
  int killed = 0;
  for (int i = 0; i < 500; i++) {
    pid_t waited;
    while ((waited = waitpid(-1, NULL, WNOHANG)) > 0) {
    }
    if (waited < 0 && errno == ECHILD) break;
    struct ended now = {0};
    each_child(kill_child, &now);
    if (now.killed > killed) killed = now.killed;
    if (!now.left) break;
    usleep(1000);
  }
  return killed;
}
#endif
