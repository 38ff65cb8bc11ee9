/* other_copies.h for Linux: the files that the process has mapped. */
#if defined(__linux__)
#include "other_copies.h"

#include <of_bytes.h>

#include "linux_syscall.h"
#include "platform.h"

/* The hexadecimal number that *TEXT begins with; moves on behind it, and behind the character after that. */
OF_LOCAL uint64_t of_hexadecimal(const char **text) {
  uint64_t value = 0;
  for (char c; (c = **text); ++*text) {
    if (c >= '0' && c <= '9') value = value << 4 | (uint64_t)(c - '0');
    else if (c >= 'a' && c <= 'f') value = value << 4 | (uint64_t)(c - 'a' + 10);
    else break;
  }
  if (**text) ++*text;
  return value;
}

/* One line of /proc/self/maps: "start-end rw-s offset device inode   path". */
OF_LOCAL bool of_is_shared_file_line(const char *line, uint64_t *start, uint64_t *end,
                                     const char **path) {
  *start = of_hexadecimal(&line);
  *end = of_hexadecimal(&line);
  line--;
  if (!of_equal(line, " rw-s 00000000 ", 15)) return false;
  while (*line && *line != '/') line++;
  *path = line;
  return *line == '/' && !of_equal(line, "/sys/", 5) && !of_equal(line, "/proc/", 6);
}

bool of_each_shared_file(bool (*body)(const char *path, void *address, uint64_t size)) {
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
      uint64_t start, end;
      if (of_is_shared_file_line(text + line, &start, &end, &path))
        found = body(path, (void *)start, end - start);
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
