/* Which pages of a file are in memory, and getting them out of it. Results are 0 or an errno. */
#ifndef CPAGECACHE_H
#define CPAGECACHE_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/* Counts the pages of the file at PATH that are in memory, and all of them.
 *
 * EPERM where the kernel would not say: it tells only about files that the caller owns or may
 * write. */
int cpagecache_resident(const char *path, uint64_t *resident, uint64_t *pages);

/* Writes what is dirty of the file and asks the kernel to drop its pages. A page that somebody has
 * mapped stays; only cpagecache_resident tells. ENOTSUP where there is no such call. */
int cpagecache_evict(const char *path);

/* Writes everything that is dirty and drops all pages of all files that nobody has mapped: for
 * root. */
int cpagecache_drop_all(void);

/* Whether the file lies in a file system that has no device: its pages are memory, and can't be
 * dropped. */
bool cpagecache_is_memory(const char *path);

#pragma clang assume_nonnull end

#endif
