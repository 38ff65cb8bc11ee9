#define _GNU_SOURCE
#include "cprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cprocess_children.h"
#include "cprocess_file.h"
#include "platform.h"

extern char **environ;

static volatile sig_atomic_t child; /* the process to which signals are passed on, or 0 */
static volatile sig_atomic_t child_group; /* enum cprocess_group */
static struct sigaction old_actions[4];
static const int caught[4] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
static struct platform_held held; /* the program that cprocess_start has started and that waits for its tracer */
static pid_t terminal_owner; /* this process's group, if the terminal has to be given back to it; else 0 */

static volatile sig_atomic_t interrupted;

static void pass_on(int signal) {
  pid_t pid = (pid_t)child;
  if (signal != SIGQUIT) interrupted = 1;
  if (!pid) return;
  /* The terminal has already sent SIGINT and SIGQUIT to the program, unless the program has its own group. */
  if ((signal == SIGINT || signal == SIGQUIT) && child_group == CPROCESS_SHARED_GROUP) return;
  if (signal == SIGINT && child_group == CPROCESS_SHELL_SESSION) signal = SIGTERM;
  if (child_group == CPROCESS_TERMINAL_SESSION) signal = SIGHUP;
  int error = errno;
  kill(child_group == CPROCESS_SHARED_GROUP ? pid : -pid, signal);
  errno = error;
}

/* Stops passing signals on to the program, which has ended, and takes the terminal back. */
static void cprocess_end(void) {
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

char **cprocess_environment(char *const *variables) {
  size_t count = 1;
  for (char **entry = environ; *entry; entry++) count++;
  for (char *const *entry = variables; *entry; entry++) count++;
  char **merged = calloc(count, sizeof *merged);
  if (!merged) return NULL;
  char **next = merged;
  for (char *const *entry = variables; *entry; entry++) *next++ = *entry;
  for (char **entry = environ; *entry; entry++)
    if (!is_replaced(*entry, variables)) *next++ = *entry;
  return merged;
}

static enum platform_leader leader_of(enum cprocess_group group) {
  switch (group) {
    case CPROCESS_SHARED_GROUP: return PLATFORM_NOTHING;
    case CPROCESS_OWN_GROUP: return PLATFORM_GROUP;
    case CPROCESS_SHELL_SESSION: return PLATFORM_SESSION;
    case CPROCESS_TERMINAL_SESSION: return PLATFORM_TERMINAL;
  }
  return PLATFORM_NOTHING;
}

int cprocess_start(char *const *arguments, char *const *variables, const char *folder,
                  const struct cprocess_streams *streams, enum cprocess_group group, pid_t tracer, pid_t *pid, uint64_t *start) {
  char **environment = cprocess_environment(variables);
  if (!environment) return ENOMEM;
  cprocess_expect_children();
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_init(&attributes); /* the calls can fail only for lack of memory, and need no memory in glibc */
  posix_spawn_file_actions_init(&actions);
  short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
  sigset_t defaults;
  sigemptyset(&defaults);
  for (int i = 0; i < 4; i++) {
    struct sigaction action;
    sigaction(caught[i], NULL, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&defaults, caught[i]); /* signals that nohup ignores stay ignored */
  }
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  if (group == CPROCESS_SHELL_SESSION || group == CPROCESS_TERMINAL_SESSION) {
    flags |= POSIX_SPAWN_SETSID;
    if (group == CPROCESS_TERMINAL_SESSION) platform_open_terminal(&actions, streams->descriptors[STDIN_FILENO]);
  } else if (group == CPROCESS_OWN_GROUP) {
    flags |= POSIX_SPAWN_SETPGROUP;
    posix_spawnattr_setpgroup(&attributes, 0);
    if (streams->descriptors[STDIN_FILENO] < 0 && isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp()) {
      terminal_owner = getpgrp();
      platform_give_terminal(&actions);
    }
  }
  posix_spawnattr_setflags(&attributes, flags);
  for (int stream = 0; stream <= 2; stream++)
    if (streams->descriptors[stream] >= 0)
      posix_spawn_file_actions_adddup2(&actions, streams->descriptors[stream], stream);
  if (folder) posix_spawn_file_actions_addchdir_np(&actions, folder);

  child_group = group;
  struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < 4; i++) {
    sigaction(caught[i], NULL, &old_actions[i]);
    if (old_actions[i].sa_handler != SIG_IGN) sigaction(caught[i], &action, NULL);
  }
  sigset_t blocked, old; /* a signal waits until the child's number is known */
  sigemptyset(&blocked);
  for (int i = 0; i < 4; i++) sigaddset(&blocked, caught[i]);
  sigprocmask(SIG_BLOCK, &blocked, &old);
  posix_spawnattr_setsigmask(&attributes, &old);
  *start = platform_now();
  int error;
  /* posix_spawn can neither make a child ignore a signal nor give the child a controlling terminal. */
  bool is_special = cprocess_ignored_children() || group == CPROCESS_TERMINAL_SESSION;
  if (tracer || (is_special && platform_can_hold)) {
    error = platform_start_held(arguments, environment, folder, streams->descriptors, leader_of(group),
                                terminal_owner != 0, &defaults, &old, tracer, &held);
    *pid = held.pid;
    if (!error && !tracer) error = platform_let_go(&held, true);
  } else {
    error = posix_spawnp(pid, arguments[0], &actions, &attributes, arguments, environment);
  }
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  free(environment);
  if (error)
    cprocess_end();
  else
    child = *pid;
  sigprocmask(SIG_SETMASK, &old, NULL);
  return error;
}

int cprocess_wait_for_end(pid_t pid, int64_t milliseconds) {
  return platform_wait_for_end(pid, milliseconds);
}

int cprocess_let_go(bool may_begin) {
  int error = platform_let_go(&held, may_begin);
  if (error || !may_begin) cprocess_end();
  return error;
}

int cprocess_wait(pid_t pid, int64_t timeout, int *status) {
  if (timeout >= 0) {
    int ended = platform_wait_for_end(pid, timeout);
    if (ended != 1) return ended;
  }
  while (waitpid(pid, status, 0) < 0)
    if (errno != EINTR) return -errno;
  cprocess_end();
  return 1;
}

bool cprocess_signal_group(pid_t pid, int signal) { return kill(-pid, signal) == 0; }

bool cprocess_is_running(pid_t pid, uint64_t start_time) {
  uint64_t start = 0;
  return platform_process(pid, &start) == PLATFORM_RUNNING && start == start_time;
}

uint64_t cprocess_start_time(pid_t pid) {
  uint64_t start = 0;
  return platform_process(pid, &start) == PLATFORM_GONE ? 0 : start;
}

static void note_interrupt(int signal) {
  (void)signal;
  interrupted = 1;
}

void cprocess_catch_interrupts(void) {
  struct sigaction action = {.sa_handler = note_interrupt}; /* without SA_RESTART */
  sigemptyset(&action.sa_mask);
  static const int interrupts[3] = {SIGINT, SIGTERM, SIGHUP};
  for (int i = 0; i < 3; i++) {
    struct sigaction old;
    sigaction(interrupts[i], NULL, &old);
    if (old.sa_handler != SIG_IGN) sigaction(interrupts[i], &action, NULL); /* signals that nohup ignores stay ignored */
  }
}

bool cprocess_was_interrupted(void) { return interrupted; }

void cprocess_adopt_orphans(void) { platform_adopt_orphans(); }

int cprocess_end_orphans(void) { return platform_end_orphans(); }

long cprocess_read_attribute(const char *path, const char *name, void *bytes, size_t size) {
  return platform_read_attribute(path, name, bytes, size);
}

bool cprocess_share_blocks(int input, int output) { return platform_share_blocks(input, output); }

int cprocess_confine_writes(const char *folder) { return platform_confine_writes(folder); }

int cprocess_replace(char *const *words) {
  cprocess_become_child();
  execv(words[0], words);
  return errno;
}

static void do_nothing(int signal) { (void)signal; }

void cprocess_keep_closed_streams(void) {
  for (int stream = 0; stream <= 2; stream++)
    if (fcntl(stream, F_GETFD) < 0) /* open takes the lowest free number, which is this one */
      open("/dev/null", (stream == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

void cprocess_survive_closed_pipes(void) {
  struct sigaction action;
  sigaction(SIGPIPE, NULL, &action);
  if (action.sa_handler != SIG_DFL) return;
  action = (struct sigaction){.sa_handler = do_nothing}; /* exec resets a handler to the default */
  sigaction(SIGPIPE, &action, NULL);
}

void cprocess_clock_pair(uint64_t *ticks, uint64_t *nanoseconds) {
  *ticks = platform_ticks();
  *nanoseconds = platform_now();
}
