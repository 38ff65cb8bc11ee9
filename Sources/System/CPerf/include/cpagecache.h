/* The pages of a file that are in memory, and their eviction. Results are 0 or an errno. */
#ifndef CPAGECACHE_H
#define CPAGECACHE_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/* Counts the pages of the file at PATH that are in memory, and all its pages.
 *
 * Returns EPERM if the caller neither owns nor may write the file: the kernel does not report on such files. */
int cpagecache_resident(const char *path, uint64_t *resident, uint64_t *pages);

/* Writes the file's dirty pages and asks the kernel to drop its pages. Mapped pages stay: only cpagecache_resident
 * shows what is left. Returns ENOTSUP if the system has no call for this. */
int cpagecache_evict(const char *path);

/* Writes all dirty pages and drops all unmapped pages of all files; needs root. */
int cpagecache_drop_all(void);

/* Whether the file is on a file system without a device: its pages are memory and can't be dropped. */
bool cpagecache_is_memory(const char *path);

#pragma clang assume_nonnull end

#endif
