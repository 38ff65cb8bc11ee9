/* other_copies.h for Linux: the files that the process has mapped. */
#if defined(__linux__)
#include "other_copies.h"

#include <of_bytes.h>

#include "linux_syscall.h"
#include "platform.h"

/* One line of /proc/self/maps: "start-end rw-s offset device inode   path". */
OF_LOCAL bool of_is_shared_file_line(const char *line, const char **path) {
  while (*line && *line != ' ') line++;
  if (!of_equal(line, " rw-s 00000000 ", 15)) return false;
  while (*line && *line != '/') line++;
  *path = line;
  return *line == '/' && !of_equal(line, "/sys/", 5) && !of_equal(line, "/proc/", 6);
}

bool of_each_shared_file(bool (*body)(const char *path)) {
  static char text[2 * OF_PATH_SIZE]; /* large; the registration lock makes it ours */
  int descriptor = of_open_read("/proc/thread-self/maps");
  if (descriptor < 0) return false;
  bool found = false;
  uint64_t kept = 0;
  for (;;) {
    long got = OF_SYSCALL_3(__NR_read, descriptor, text + kept, sizeof text - 1 - kept);
    if (got <= 0) break;
    uint64_t size = kept + (uint64_t)got, line = 0;
    for (uint64_t at = kept; at < size && !found; at++) {
      if (text[at] != '\n') continue;
      text[at] = 0;
      const char *path;
      if (of_is_shared_file_line(text + line, &path)) found = body(path);
      line = at + 1;
    }
    kept = size - line;
    if (found || kept == sizeof text - 1) break;
    of_copy(text, text + line, kept);
  }
  of_close(descriptor);
  return found;
}
#endif
