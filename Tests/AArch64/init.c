/* The first process: runs /guest, collects orphans, and turns the machine off. */
#include <stdio.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  mount("proc", "/proc", "proc", 0, NULL);
  pid_t guest = fork();
  if (guest == 0) {
    execl("/guest", "/guest", NULL);
    _exit(127);
  }
  int status = 0;
  while (wait(&status) != guest) {
  }
  printf("guest %s %d\n", WIFEXITED(status) ? "exited" : "killed",
         WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
  fflush(stdout);
  reboot(RB_POWER_OFF);
  for (;;) pause();
}
