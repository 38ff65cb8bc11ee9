#define _GNU_SOURCE
#include "claunch.h"
#include "ctrace.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t child; /* the process that signals are passed on to, or 0 */
static volatile sig_atomic_t child_leads_group;
static struct sigaction old_actions[4];
static const int caught[4] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
static pid_t terminal_owner; /* our own group, if the terminal has to be given back; else 0 */

static void pass_on(int signal) {
  pid_t pid = (pid_t)child;
  if (!pid) return;
  /* The terminal has sent these two to the program already, unless it has a group of its own. */
  if ((signal == SIGINT || signal == SIGQUIT) && !child_leads_group) return;
  int error = errno;
  kill(child_leads_group ? -pid : pid, signal);
  errno = error;
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_BOOTTIME, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void claunch_end(void) {
  child = 0;
  for (int i = 0; i < 4; i++) sigaction(caught[i], &old_actions[i], NULL);
  if (!terminal_owner) return;
  sigset_t stop, old; /* a process in the background may only take the terminal with SIGTTOU blocked */
  sigemptyset(&stop);
  sigaddset(&stop, SIGTTOU);
  sigprocmask(SIG_BLOCK, &stop, &old);
  tcsetpgrp(STDIN_FILENO, terminal_owner);
  sigprocmask(SIG_SETMASK, &old, NULL);
  terminal_owner = 0;
}

/* Whether ENTRY, "NAME=value", is one of VARIABLES. */
static bool is_replaced(const char *entry, char *const *variables) {
  size_t name = strcspn(entry, "=") + 1;
  for (; *variables; variables++)
    if (strncmp(entry, *variables, name) == 0) return true;
  return false;
}

/* This process's environment with VARIABLES in it: to be freed, or NULL. */
static char **merged_environment(char *const *variables) {
  size_t count = 1;
  for (char **entry = environ; *entry; entry++) count++;
  for (char *const *entry = variables; *entry; entry++) count++;
  char **merged = calloc(count, sizeof *merged);
  if (!merged) return NULL;
  char **next = merged;
  for (char **entry = environ; *entry; entry++)
    if (!is_replaced(*entry, variables)) *next++ = *entry;
  for (char *const *entry = variables; *entry; entry++) *next++ = *entry;
  return merged;
}

/* What a traced child does before exec; it never returns. */
static void become_program(char *const *arguments, char **environment, bool own_group,
                           const sigset_t *defaults, const sigset_t *mask, int go, int failed) {
  if (own_group) {
    setpgid(0, 0);
    if (terminal_owner) tcsetpgrp(STDIN_FILENO, getpgrp());
  }
  for (int signal = 1; signal < NSIG; signal++)
    if (sigismember(defaults, signal) == 1)
      sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
  sigprocmask(SIG_SETMASK, mask, NULL);
  char byte;
  if (read(go, &byte, 1) == 1) execvpe(arguments[0], arguments, environment);
  int error = errno;
  while (write(failed, &error, sizeof error) < 0 && errno == EINTR) {
  }
  _exit(127);
}

/* As posix_spawnp, but for the attributes, and with the program attached before it begins. */
static int start_traced(char *const *arguments, char **environment, bool own_group,
                        const sigset_t *defaults, const sigset_t *mask, pid_t *pid) {
  int go[2], failed[2]; /* to the child; from it, closed by exec */
  if (pipe2(go, O_CLOEXEC) != 0) return errno;
  if (pipe2(failed, O_CLOEXEC) != 0) {
    int error = errno;
    close(go[0]);
    close(go[1]);
    return error;
  }
  *pid = fork();
  if (*pid == 0) become_program(arguments, environment, own_group, defaults, mask, go[0], failed[1]);
  int error = *pid < 0 ? errno : ctrace_seize(*pid, true);
  close(go[0]);
  close(failed[1]);
  if (!error && write(go[1], "", 1) != 1) error = errno;
  close(go[1]);
  int found;
  if (!error && read(failed[0], &found, sizeof found) == sizeof found) error = found;
  close(failed[0]);
  if (error && *pid > 0) {
    kill(*pid, SIGKILL);
    int status;
    while (waitpid(*pid, &status, 0) == *pid && !WIFEXITED(status) && !WIFSIGNALED(status)) {
    }
  }
  return error;
}

int claunch_start(char *const *arguments, char *const *variables, bool own_group, bool traced,
                  pid_t *pid, uint64_t *start) {
  char **environment = merged_environment(variables);
  if (!environment) return ENOMEM;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_init(&attributes); /* these two only allocate, and in glibc not even that */
  posix_spawn_file_actions_init(&actions);
  short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
  sigset_t defaults;
  sigemptyset(&defaults);
  for (int i = 0; i < 4; i++) {
    struct sigaction action;
    sigaction(caught[i], NULL, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&defaults, caught[i]); /* nohup stays nohup */
  }
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  if (own_group) {
    flags |= POSIX_SPAWN_SETPGROUP;
    posix_spawnattr_setpgroup(&attributes, 0);
    if (isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp()) {
      terminal_owner = getpgrp();
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 35)
      posix_spawn_file_actions_addtcsetpgrp_np(&actions, STDIN_FILENO);
#endif
    }
  }
  posix_spawnattr_setflags(&attributes, flags);

  child_leads_group = own_group;
  struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < 4; i++) {
    sigaction(caught[i], NULL, &old_actions[i]);
    if (old_actions[i].sa_handler != SIG_IGN) sigaction(caught[i], &action, NULL);
  }
  sigset_t blocked, old; /* a signal that comes before we know the child waits until we do */
  sigemptyset(&blocked);
  for (int i = 0; i < 4; i++) sigaddset(&blocked, caught[i]);
  sigprocmask(SIG_BLOCK, &blocked, &old);
  posix_spawnattr_setsigmask(&attributes, &old);
  *start = now();
  int error =
      traced ? start_traced(arguments, environment, own_group, &defaults, &old, pid)
             : posix_spawnp(pid, arguments[0], &actions, &attributes, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  free(environment);
  if (error)
    claunch_end();
  else
    child = *pid;
  sigprocmask(SIG_SETMASK, &old, NULL);
  return error;
}

int claunch_wait(pid_t pid, int64_t timeout, int *status) {
  if (timeout >= 0) {
    uint64_t end = now() + (uint64_t)timeout * 1000000u;
    int descriptor = (int)syscall(SYS_pidfd_open, pid, 0);
    if (descriptor < 0) return -errno;
    for (;;) {
      uint64_t present = now();
      int64_t left = present < end ? (int64_t)((end - present + 999999) / 1000000) : 0;
      struct pollfd poller = {.fd = descriptor, .events = POLLIN};
      int ready = poll(&poller, 1, left > 3600000 ? 3600000 : (int)left);
      if (ready > 0) break;
      if (ready < 0 && errno != EINTR) {
        int error = errno;
        close(descriptor);
        return -error;
      }
      if (now() >= end) {
        close(descriptor);
        return 0;
      }
    }
    close(descriptor);
  }
  while (waitpid(pid, status, 0) < 0)
    if (errno != EINTR) return -errno;
  claunch_end();
  return 1;
}

bool claunch_signal_group(pid_t pid, int signal) { return kill(-pid, signal) == 0; }

/* The state of process PID as a letter, and when it started; 0 if it is gone. */
static char state_of(pid_t pid, uint64_t *start_time) {
  char path[32], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  ssize_t size = read(descriptor, text, sizeof text - 1);
  close(descriptor);
  if (size <= 0) return 0;
  text[size] = 0;
  const char *fields = strrchr(text, ')'); /* the program's name may hold anything */
  char state = 0;
  unsigned long long start = 0;
  if (!fields ||
      sscanf(fields, ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                     "%llu", &state, &start) != 2)
    return 0;
  *start_time = start;
  return state;
}

bool claunch_is_running(pid_t pid, uint64_t start_time) {
  uint64_t start = 0;
  char state = state_of(pid, &start);
  return state && state != 'Z' && state != 'X' && start == start_time;
}

uint64_t claunch_start_time(pid_t pid) {
  uint64_t start = 0;
  return state_of(pid, &start) ? start : 0;
}

static volatile sig_atomic_t interrupted;

static void note_interrupt(int signal) {
  (void)signal;
  interrupted = 1;
}

void claunch_catch_interrupts(void) {
  struct sigaction action = {.sa_handler = note_interrupt}; /* without SA_RESTART */
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
}

bool claunch_was_interrupted(void) { return interrupted; }

static void do_nothing(int signal) { (void)signal; }

void claunch_keep_closed_streams(void) {
  for (int stream = 0; stream <= 2; stream++)
    if (fcntl(stream, F_GETFD) < 0) /* the lowest free number is this one */
      open("/dev/null", (stream == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

void claunch_survive_closed_pipes(void) {
  struct sigaction action;
  sigaction(SIGPIPE, NULL, &action);
  if (action.sa_handler != SIG_DFL) return;
  action = (struct sigaction){.sa_handler = do_nothing}; /* exec puts a handler back to the default */
  sigaction(SIGPIPE, &action, NULL);
}

void claunch_clock_pair(uint64_t *ticks, uint64_t *nanoseconds) {
#if defined(__x86_64__)
  *ticks = __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(*ticks));
#else
  *ticks = 0;
#endif
  *nanoseconds = now();
}
