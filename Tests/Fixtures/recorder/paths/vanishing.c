// Linked with --wrap=of_file_kind,--wrap=of_publish, so that the recorder's steps to a name go through here, and
// what another process may do between two of them is done:
//
//   VANISHES_AT=N        the file is gone behind the look number N at it: somebody else has removed it
//   KILLED=1             the process is killed before its trace gets its name
//   IN_THE_WAY=N, DEAD   the first N times that a trace is to get its name, the trace DEAD is there already
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define BARE __attribute__((no_sanitize("coverage")))

BARE static int number(const char *name) {
  const char *text = getenv(name);
  return text ? atoi(text) : 0;
}

int __real_of_file_kind(const char *path, uint64_t *size);
int __real_of_publish(const char *path, const char *new_path);

BARE int __wrap_of_file_kind(const char *path, uint64_t *size) {
  static int looks;
  int kind = __real_of_file_kind(path, size);
  if (++looks == number("VANISHES_AT")) unlink(path);
  return kind;
}

BARE int __wrap_of_publish(const char *path, const char *new_path) {
  static int times;
  if (number("KILLED")) raise(SIGKILL);
  if (times++ < number("IN_THE_WAY")) link(getenv("DEAD"), new_path);
  return __real_of_publish(path, new_path);
}

__attribute__((noinline)) void recorded(void) { __asm__ volatile(""); }

int main(void) {
  recorded();
  return 0;
}
