// killer VICTIM FOLDER ROUNDS SEED: kills a victim at another instant each round, and prints how many guards each
// victim had hit. Round N records to FOLDER/trace.N. No clock chooses the instant: in the first half of the rounds it
// is the entry or the exit of the Nth system call, while the program starts; later it is a number of instructions after
// a number of functions, both drawn from SEED.
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GUARDS = 4000, STEPS = 400 };

// Continues the process with the ptrace REQUEST until its next stop. Returns the signal that stopped it, or -1 if it
// has ended.
static int next_stop(pid_t pid, int request) {
  int status;
  if (ptrace(request, pid, NULL, NULL) != 0 || waitpid(pid, &status, 0) != pid) return -1;
  return WIFSTOPPED(status) ? WSTOPSIG(status) : -1;
}

int main(int count, char **arguments) {
  if (count < 5) return 1;
  char progress_path[4096], trace[4096], stop[16];
  snprintf(progress_path, sizeof progress_path, "%s/progress", arguments[2]);
  int file = open(progress_path, O_RDWR | O_CREAT, 0600);
  if (ftruncate(file, 4096) != 0) return 1;
  volatile uint32_t *progress = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  srand48(atol(arguments[4]));
  int rounds = atoi(arguments[3]);
  for (int round = 0; round < rounds; round++) {
    *progress = 0;
    snprintf(trace, sizeof trace, "%s/trace.%d", arguments[2], round);
    setenv("ORDERFILE_TRACE", trace, 1);
    snprintf(stop, sizeof stop, "%d", (int)(drand48() * GUARDS));
    pid_t pid = fork();
    if (pid == 0) {
      if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(126);
      execl(arguments[1], arguments[1], progress_path, stop, NULL);
      _exit(127);
    }
    int status;
    if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) return 2;  // at its first instruction
    if (round < rounds / 2) {
      for (int i = 0; i < 2 * round; i++)
        if (next_stop(pid, PTRACE_SYSCALL) != SIGTRAP) break;
    } else {
      if (next_stop(pid, PTRACE_CONT) != SIGSTOP) return 3;
      for (int left = (int)(drand48() * STEPS); left > 0; left--)
        if (next_stop(pid, PTRACE_SINGLESTEP) != SIGTRAP) return 4;
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    printf("%u\n", *progress);
  }
  return 0;
}
