// Two children that are alive at the same time, each the first process of a namespace of its own: both are number 1.
// With the argument "proc" each sees its own /proc.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEP __attribute__((noinline)) void
#define BODY __asm__ volatile("")

STEP in_first(void) { BODY; }
STEP in_second(void) { BODY; }

int main(int count, char **arguments) {
  int hit[2], end[2], status, failures = 0;
  char byte;
  if (pipe(hit) != 0 || pipe(end) != 0) return 1;
  for (int number = 0; number < 2; number++) {
    pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, 0, 0, 0, 0);
    if (pid < 0) return 77;
    if (pid > 0) continue;
    close(end[1]);
    if (count > 1 && strcmp(arguments[1], "proc") == 0) {
      mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
      if (mount("proc", "/proc", "proc", 0, NULL) != 0) _exit(1);
    }
    if (number == 0) in_first();
    else in_second();
    if (write(hit[1], "h", 1) != 1) _exit(1);
    _exit(read(end[0], &byte, 1) != 0);
  }
  close(hit[1]);
  for (int number = 0; number < 2; number++) failures += read(hit[0], &byte, 1) != 1;
  close(end[1]);
  for (int number = 0; number < 2; number++) failures += wait(&status) < 0 || status != 0;
  return failures;
}
