// streams PROGRAM: runs it with the descriptors 0, 1 and 2 closed, stops it before and after each system call, and
// prints each file that one of the three descriptors refers to at a stop.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static void print_streams(pid_t pid) {
  static char last[3][4096];
  for (int stream = 0; stream < 3; stream++) {
    char path[64], file[4096];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, stream);
    ssize_t size = readlink(path, file, sizeof file - 1);
    file[size > 0 ? size : 0] = 0;
    if (*file && strcmp(file, last[stream]) != 0) puts(file);
    strcpy(last[stream], file);
  }
}

int main(int count, char **arguments) {
  if (count < 2) return 1;
  pid_t pid = fork();
  if (pid == 0) {
    for (int stream = 0; stream < 3; stream++) close(stream);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(77);
    execv(arguments[1], arguments + 1);
    _exit(127);
  }
  int status;
  while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
    print_streams(pid);
    int signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    if (ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(long)signal) != 0) return 1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
