// reaper FOLDER PROGRAM ARGUMENTS...: runs PROGRAM in FOLDER, and lets nothing that it starts outlive the test.
//
// Descriptor 3 is a socket whose other end is the test's. The reaper writes two 32-bit integers to this socket: the
// number of the program's process, or -errno if it can't be run; then the program's status, as of wait(2). It kills all
// that still runs when the other end is closed: the test is over, whether it passed, failed or was killed itself.
//
// A process that the program starts can't escape by a process group or session of its own: a process that loses its
// parent becomes a child of the reaper. Only Linux has a system call for this; on other systems the program's process
// group is killed.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { CONTROL = 3 };

static void on_child(int signal) { (void)signal; }

static void tell(int32_t number) {
  // The test may no longer read the socket: poll reports that.
  if (write(CONTROL, &number, sizeof number) < 0) return;
}

static void close_others(void) {
#ifdef __linux__
  close_range(CONTROL + 1, ~0U, 0);
#else
  for (int descriptor = CONTROL + 1; descriptor < 256; descriptor++) close(descriptor);
#endif
}

// In a session of its own: an interrupt from a terminal ends the test, and with it the program.
static pid_t start(char **arguments, const sigset_t *mask) {
  setsid();
  volatile int error = 0;
  pid_t program = vfork();
  if (program == 0) {
    setpgid(0, 0);
    signal(SIGCHLD, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (chdir(arguments[1]) == 0) execv(arguments[2], arguments + 2);
    error = errno;
    _exit(127);
  }
  if (program < 0) error = errno;
  tell(error ? -error : program);
  return program;
}

// Kills the present children. The processes that they leave behind become children of the reaper later.
static void kill_children(pid_t program) {
#ifdef __linux__
  (void)program;
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  FILE *list = fopen(path, "re");
  if (!list) abort();
  for (int child; fscanf(list, "%d", &child) == 1;) kill(child, SIGKILL);
  fclose(list);
#else
  kill(-program, SIGKILL);
#endif
}

int main(int count, char **arguments) {
  if (count < 3) return 64;
  fcntl(CONTROL, F_SETFD, FD_CLOEXEC);
  close_others();
  sigset_t children, mask;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, &mask);
  sigaction(SIGCHLD, &(struct sigaction){.sa_handler = on_child}, NULL);
  signal(SIGPIPE, SIG_IGN);
#ifdef __linux__
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
  pid_t program = start(arguments, &mask);

  for (;;) {
    // Children that ended before this call interrupt it, too: their signal is pending.
    fd_set readable;
    FD_ZERO(&readable);
    FD_SET(CONTROL, &readable);
    int ready = pselect(CONTROL + 1, &readable, NULL, NULL, NULL, &mask);
    int status;
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;)
      if (ended == program) tell(status);
    if (ready > 0) break;
  }
  do {
    kill_children(program);
  } while (waitpid(-1, NULL, 0) > 0 || errno != ECHILD);
  return 0;
}
