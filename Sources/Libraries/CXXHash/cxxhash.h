// xxHash: the order files of ld64.lld name a string by this hash. <https://xxhash.com>

#ifndef ORDERFILE_CXXHASH_H
#define ORDERFILE_CXXHASH_H

// All code of xxHash is in its header, so that no library is linked.
#define XXH_INLINE_ALL
#include <xxhash.h>

/// XXH3, 64 bits, without a seed, of `count` bytes. `bytes` may be null if `count` is 0.
static inline XXH64_hash_t orderfile_xxh3(const void *bytes, size_t count) {
  return XXH3_64bits(bytes, count);
}

#endif
