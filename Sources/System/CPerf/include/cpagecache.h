/* The pages of a file that are in memory, and their eviction. Results are 0 or an errno. */
#ifndef CPAGECACHE_H
#define CPAGECACHE_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/* Counts the pages of the file at PATH that are in memory, and all its pages.
 *
 * EPERM if the kernel would not tell: it reports only on files that the caller owns or may write. */
int cpagecache_resident(const char *path, uint64_t *resident, uint64_t *pages);

/* Writes the file's dirty pages and asks the kernel to drop its pages. Mapped pages stay; only
 * cpagecache_resident tells. ENOTSUP if there is no such call. */
int cpagecache_evict(const char *path);

/* Writes all dirty pages and drops all unmapped pages of all files; needs root. */
int cpagecache_drop_all(void);

/* Whether the file is on a file system without a device: its pages are memory and can't be dropped. */
bool cpagecache_is_memory(const char *path);

#pragma clang assume_nonnull end

#endif
