// together PROGRAM FOLDER ROUNDS DEAD_TRACE: starts two processes at once in each round, which want the same path for
// their traces; lets them live until both record, and prints their process numbers. Before a round, the path has no
// file, an empty file, or a dead process's trace.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **arguments) {
  if (count < 5) return 1;
  for (int round = 0; round < atoi(arguments[3]); round++) {
    char path[4096], byte;
    snprintf(path, sizeof path, "%s/trace.%d", arguments[2], round);
    if (round % 3 == 1) close(open(path, O_CREAT | O_WRONLY, 0600));
    if (round % 3 == 2 && link(arguments[4], path) != 0) return 1;
    setenv("ORDERFILE_TRACE", path, 1);
    int start[2], ready[2], end[2];
    if (pipe(start) != 0 || pipe(ready) != 0 || pipe(end) != 0) return 1;
    pid_t pids[2];
    for (int i = 0; i < 2; i++) {
      pids[i] = fork();
      if (pids[i] != 0) continue;
      close(start[1]);
      close(end[1]);
      while (read(start[0], &byte, 1) > 0) {
      }
      dup2(end[0], 0);
      dup2(ready[1], 1);
      execl(arguments[1], arguments[1], NULL);
      _exit(127);
    }
    close(start[0]);
    close(start[1]);
    close(ready[1]);
    for (int i = 0; i < 2; i++)
      if (read(ready[0], &byte, 1) != 1) return 1;
    close(ready[0]);
    close(end[0]);
    close(end[1]);
    for (int i = 0; i < 2; i++) waitpid(pids[i], NULL, 0);
    printf("%d %d\n", (int)pids[0], (int)pids[1]);
  }
  return 0;
}
