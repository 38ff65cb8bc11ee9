// killer VICTIM FOLDER ROUNDS SEED: kills a victim at a random instant each round, and prints how far
// each had come. Round N records to FOLDER/trace.N.
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **arguments) {
  if (count < 5) return 1;
  char progress_path[4096], trace[4096];
  snprintf(progress_path, sizeof progress_path, "%s/progress", arguments[2]);
  int file = open(progress_path, O_RDWR | O_CREAT, 0600);
  if (ftruncate(file, 4096) != 0) return 1;
  volatile uint32_t *progress = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  srand48(atol(arguments[4]));
  for (int round = 0; round < atoi(arguments[3]); round++) {
    *progress = 0;
    snprintf(trace, sizeof trace, "%s/trace.%d", arguments[2], round);
    setenv("ORDERFILE_TRACE", trace, 1);
    pid_t pid = fork();
    if (pid == 0) {
      execl(arguments[1], arguments[1], progress_path, NULL);
      _exit(127);
    }
    usleep((useconds_t)(drand48() * 30000));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    printf("%u\n", *progress);
  }
  return 0;
}
