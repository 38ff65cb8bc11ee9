// launches RUNS TRACE INPUT PROGRAM ARGUMENT...: launches the program alternately with recording disabled and with a
// fresh trace. INPUT is the standard input; the output is thrown away. Prints microseconds of wall time: the median of
// the launches with recording disabled, the median of the recorded launches, and the median of the differences within a
// pair, with their quartiles.
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double launch(const char *input, char **words) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  struct timespec start, end;
  pid_t pid;
  int status;
  clock_gettime(CLOCK_MONOTONIC, &start);
  if (posix_spawn(&pid, words[0], &actions, NULL, words, environ) != 0) exit(1);
  if (waitpid(pid, &status, 0) != pid || status != 0) exit(1);
  clock_gettime(CLOCK_MONOTONIC, &end);
  posix_spawn_file_actions_destroy(&actions);
  return (double)(end.tv_sec - start.tv_sec) * 1e6 + (double)(end.tv_nsec - start.tv_nsec) / 1e3;
}

static int ascending(const void *a, const void *b) {
  double difference = *(const double *)a - *(const double *)b;
  return (difference > 0) - (difference < 0);
}

int main(int count, char **arguments) {
  enum { MOST = 1000 };
  static double times[3][MOST]; // disabled, recording, the difference
  int runs = count > 4 ? atoi(arguments[1]) : 0;
  if (runs < 1 || runs > MOST) return 1;
  for (int i = -1; i < runs; i++) { // the first pair warms the page cache
    int slot = i < 0 ? 0 : i;
    unsetenv("ORDERFILE_TRACE");
    times[0][slot] = launch(arguments[3], arguments + 4);
    unlink(arguments[2]);
    setenv("ORDERFILE_TRACE", arguments[2], 1);
    times[1][slot] = launch(arguments[3], arguments + 4);
    times[2][slot] = times[1][slot] - times[0][slot];
  }
  for (int i = 0; i < 3; i++) qsort(times[i], (size_t)runs, sizeof(double), ascending);
  printf("%.0f %.0f %.0f %.0f %.0f\n", times[0][runs / 2], times[1][runs / 2], times[2][runs / 2],
         times[2][runs / 4], times[2][runs * 3 / 4]);
  return 0;
}
