#if defined(__APPLE__)
#include "measure.h"

#include <fcntl.h>
#include <spawn.h>
#include <time.h>
#include <unistd.h>

uint64_t measure_now(void) { return clock_gettime_nsec_np(CLOCK_UPTIME_RAW); }

int measure_start(const char *path, char *const *arguments, char *const *environment, const char *folder,
                  struct measure_streams streams, const sigset_t *mask, pid_t *pid, uint64_t *start) {
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_setflags(&attributes,
                           (streams.is_terminal ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP) | POSIX_SPAWN_SETSIGMASK);
  if (!streams.is_terminal) posix_spawnattr_setpgroup(&attributes, 0);
  /* The leader of a session gets the first terminal that it opens as its controlling terminal. */
  if (streams.is_terminal) posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, ttyname(streams.input), O_RDWR, 0);
  posix_spawnattr_setsigmask(&attributes, mask);
  posix_spawn_file_actions_adddup2(&actions, streams.input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, streams.output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, streams.output, STDERR_FILENO);
  if (folder) posix_spawn_file_actions_addchdir_np(&actions, folder);
  *start = measure_now();
  int error = posix_spawn(pid, path, &actions, &attributes, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

bool measure_read_bytes(pid_t pid, uint64_t *bytes) {
  (void)pid, (void)bytes;
  return false;
}

int measure_count_instructions(void) { return -1; }

bool measure_counted_instructions(int counter, uint64_t *count) {
  (void)counter, (void)count;
  return false;
}

bool measure_running(pid_t pid, struct measure_figures *figures) {
  (void)pid, (void)figures;
  return false;
}

uint64_t measure_peak_bytes(long maxrss) { return (uint64_t)maxrss; }

#endif
