#if defined(__linux__)
#define _GNU_SOURCE
#include "cpagecache.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* The magic numbers of tmpfs and ramfs <statfs(2)>. The file system that a kernel unpacks at boot is one of these,
 * too. */
enum { TMPFS = 0x01021994, RAMFS = 0x858458f6u };

static int count_resident(int descriptor, const char *path, uint64_t *resident, uint64_t *pages) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) return errno;
  *resident = *pages = 0;
  if (!S_ISREG(status.st_mode)) return EINVAL;
  /* If the caller may not see which pages are in memory, mincore(2) reports all of them as resident. */
  if (geteuid() != 0 && status.st_uid != geteuid() && access(path, W_OK) != 0) return EPERM;
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), size = (uint64_t)status.st_size;
  *pages = (size + page - 1) / page;
  unsigned char states[16384];
  for (uint64_t offset = 0; offset < size; offset += sizeof states * page) {
    uint64_t length = size - offset;
    if (length > sizeof states * page) length = sizeof states * page;
    void *mapping = mmap(NULL, length, PROT_READ, MAP_SHARED, descriptor, (off_t)offset);
    if (mapping == MAP_FAILED) return errno;
    int error = mincore(mapping, length, states) != 0 ? errno : 0;
    munmap(mapping, length);
    if (error) return error;
    for (uint64_t i = 0; i < (length + page - 1) / page; i++) *resident += states[i] & 1;
  }
  return 0;
}

int cpagecache_resident(const char *path, uint64_t *resident, uint64_t *pages) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  int error = count_resident(descriptor, path, resident, pages);
  close(descriptor);
  return error;
}

int cpagecache_evict(const char *path) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  int error = fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS ? errno : 0;
  if (!error) error = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
  close(descriptor);
  return error;
}

int cpagecache_drop_all(void) {
  sync();
  int descriptor = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  int error = write(descriptor, "3\n", 2) == 2 ? 0 : errno;
  close(descriptor);
  return error;
}

bool cpagecache_is_memory(const char *path) {
  struct statfs system;
  if (statfs(path, &system) != 0) return false;
  return (uint32_t)system.f_type == TMPFS || (uint32_t)system.f_type == RAMFS;
}
#endif
