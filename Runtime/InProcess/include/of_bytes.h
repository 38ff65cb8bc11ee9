/* Byte operations like libc's memcpy, strlen and memcmp, which never become calls of libc.
 *
 * Any thread, any signal handler, before main, before relocation. Pointers are not NULL, and belong to the
 * caller. */
#ifndef OF_BYTES_H
#define OF_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include "of_attributes.h"

/* Copies SIZE bytes, which do not overlap, in ascending order. */
OF_INLINE void of_copy(void *to, const void *from, uint64_t size) {
  for (uint64_t i = 0; i < size; i++) {
    ((char *)to)[i] = ((const char *)from)[i];
    OF_KEEP_LOOP();
  }
}

/* The number of bytes of TEXT before its zero. */
OF_INLINE uint64_t of_length(const char *text) {
  uint64_t size = 0;
  while (text[size]) {
    size++;
    OF_KEEP_LOOP();
  }
  return size;
}

#define OF_FNV1A_START 0xcbf29ce484222325u

/* FNV-1a, 64 bits. Returns the hash of the bytes whose hash is HASH (OF_FNV1A_START for no bytes), and of SIZE more
 * bytes.
 * <https://www.rfc-editor.org/rfc/rfc9923> */
OF_INLINE uint64_t of_fnv1a_from(uint64_t hash, const void *bytes, uint64_t size) {
  for (uint64_t i = 0; i < size; i++) hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
  return hash;
}

/* FNV-1a, 64 bits. */
OF_INLINE uint64_t of_fnv1a(const void *bytes, uint64_t size) {
  return of_fnv1a_from(OF_FNV1A_START, bytes, size);
}

/* Whether SIZE bytes are equal; reads nothing after the first difference. */
OF_INLINE bool of_equal(const void *a, const void *b, uint64_t size) {
  for (uint64_t i = 0; i < size; i++) {
    if (((const char *)a)[i] != ((const char *)b)[i]) return false;
    OF_KEEP_LOOP();
  }
  return true;
}

#endif
