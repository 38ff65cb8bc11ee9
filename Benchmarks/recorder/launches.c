// launches RUNS TRACE PROGRAM: launches the program by turns with recording disabled and enabled, and
// prints the median and the least wall time of each, in microseconds: the machine may be busy.
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double launch(char *program) {
  struct timespec start, end;
  char *const words[] = {program, NULL};
  pid_t pid;
  clock_gettime(CLOCK_MONOTONIC, &start);
  if (posix_spawn(&pid, program, NULL, NULL, words, environ) != 0) exit(1);
  waitpid(pid, NULL, 0);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)(end.tv_sec - start.tv_sec) * 1e6 + (double)(end.tv_nsec - start.tv_nsec) / 1e3;
}

static int ascending(const void *a, const void *b) {
  double difference = *(const double *)a - *(const double *)b;
  return (difference > 0) - (difference < 0);
}

int main(int count, char **arguments) {
  enum { MOST = 1000 };
  static double times[2][MOST];
  int runs = count > 3 ? atoi(arguments[1]) : 0;
  if (runs < 1 || runs > MOST) return 1;
  launch(arguments[3]);
  for (int i = 0; i < runs; i++) {
    unsetenv("ORDERFILE_TRACE");
    times[0][i] = launch(arguments[3]);
    unlink(arguments[2]);
    setenv("ORDERFILE_TRACE", arguments[2], 1);
    times[1][i] = launch(arguments[3]);
  }
  for (int i = 0; i < 2; i++) qsort(times[i], (size_t)runs, sizeof(double), ascending);
  printf("%.0f %.0f %.0f %.0f\n", times[0][runs / 2], times[1][runs / 2], times[0][0], times[1][0]);
  return 0;
}
