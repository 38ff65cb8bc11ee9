/* mapped_files.h for Linux: /proc/self/maps. */
#if defined(__linux__)
#include "mapped_files.h"

#include <of_bytes.h>

#include <of_linux_syscall.h>

/* Returns the hexadecimal number with which *TEXT begins. Moves *TEXT past the number and the next character. */
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

/* Parses a line of /proc/self/maps, "start-end rw-s offset device inode   path". Returns whether the line is a file
 * that is mapped shared and writable from its beginning. */
OF_LOCAL bool of_is_shared_file_line(char *line, uint64_t *start, uint64_t *end, char **path) {
  const char *at = line;
  *start = of_hexadecimal(&at);
  *end = of_hexadecimal(&at);
  line += at - line - 1;
  if (!of_equal(line, " rw-s 00000000 ", 15)) return false;
  while (*line && *line != '/') line++;
  *path = line;
  return *line == '/' && !of_equal(line, "/sys/", 5) && !of_equal(line, "/proc/", 6);
}

/* Restores the newlines of a path, which the kernel shows as \012. A file whose name has these four characters itself
 * is not found. */
OF_LOCAL void of_restore_newlines(char *path) {
  char *to = path;
  for (const char *from = path; *from; to++) {
    bool is_newline = of_equal(from, "\\012", 4);
    *to = is_newline ? '\n' : *from;
    from += is_newline ? 4 : 1;
  }
  *to = 0;
}

bool of_each_mapped_file(bool (*body)(const char *path, const void *address, uint64_t size,
                                      void *context),
                         void *context) {
  static char text[2 * OF_PATH_SIZE]; /* static because large; registration and a child's set-up come one at a time */
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
      char *path;
      uint64_t start, end;
      if (of_is_shared_file_line(text + line, &start, &end, &path)) {
        of_restore_newlines(path);
        found = body(path, (const void *)start, end - start, context);
      }
      line = at + 1;
    }
    kept = size - line;
    if (found || kept == sizeof text - 1) break;
    of_copy(text, text + line, kept);
  }
  of_close(descriptor);
  return found;
}

typedef struct of_path_search {
  const void *address;
  char *path;
} of_path_search;

OF_LOCAL bool of_keep_path(const char *path, const void *address, uint64_t size, void *context) {
  const of_path_search *search = context;
  uint64_t length = of_length(path);
  if (address != search->address || length >= OF_PATH_SIZE) return false;
  if (of_file_kind(path, &size) != OF_REGULAR_FILE) return false; /* "PATH (deleted)" */
  of_copy(search->path, path, length + 1);
  return true;
}

bool of_present_path(const void *address, char path[OF_PATH_SIZE]) {
  OF_RAW of_path_search search;
  search.address = address;
  search.path = path;
  return of_each_mapped_file(of_keep_path, &search);
}
#endif
