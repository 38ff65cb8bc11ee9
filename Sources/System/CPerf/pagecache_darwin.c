#if defined(__APPLE__)
#include "cpagecache.h"

#include <errno.h>

/* No call drops the pages of a single file; purge(8) drops the pages of all files. */
int cpagecache_resident(const char *path, uint64_t *resident, uint64_t *pages) {
  (void)path, (void)resident, (void)pages;
  return ENOTSUP;
}

int cpagecache_evict(const char *path) {
  (void)path;
  return ENOTSUP;
}

int cpagecache_drop_all(void) { return ENOTSUP; }

bool cpagecache_is_memory(const char *path) {
  (void)path;
  return false;
}
#endif
