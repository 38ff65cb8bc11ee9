// Changes files that running programs have mapped.

#define _GNU_SOURCE

#include "cprocess_file.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform.h"

int cprocess_create_memory(const char *name, uint64_t size) { return platform_create_memory(name, size); }

bool cprocess_exchange_in_file(const char *path, uint32_t offset, uint32_t expected, uint32_t desired) {
  int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  size_t size = (size_t)offset + sizeof(uint32_t);
  struct stat status;
  void *bytes = MAP_FAILED;
  if (offset % sizeof(uint32_t) == 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode)
      && status.st_size >= (off_t)size)
    bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (bytes == MAP_FAILED) return false;
  _Atomic uint32_t *number = (_Atomic uint32_t *)((char *)bytes + offset);
  bool is_exchanged = atomic_compare_exchange_strong(number, &expected, desired);
  munmap(bytes, size);
  return is_exchanged;
}
