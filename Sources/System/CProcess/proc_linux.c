#if defined(__linux__)
#define _GNU_SOURCE
#include "cprocess_proc.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *cprocess_read_proc(pid_t pid, const char *name, char *text, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return NULL;
  ssize_t length = read(descriptor, text, size - 1);
  close(descriptor);
  if (length <= 0) return NULL;
  text[length] = 0;
  return text;
}

const char *cprocess_read_stat(pid_t pid, char *text, size_t size) {
  if (!cprocess_read_proc(pid, "stat", text, size)) return NULL;
  const char *name_end = strrchr(text, ')');
  return name_end ? name_end + 1 : NULL;
}
#endif
