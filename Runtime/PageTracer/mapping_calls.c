#define _GNU_SOURCE
#include "mapping_calls.h"

#if OF_TRACER_IS_SUPPORTED
#include <sys/mman.h>
#include <sys/syscall.h>

#include "page_touches.h"
#include "watched_images.h"

enum { FIXED_NOREPLACE = 0x100000, KEEPS_OLD = 4 /* MREMAP_DONTUNMAP */ };

bool of_replaces(const uint64_t *a) { return a[3] & MAP_FIXED && !(a[3] & FIXED_NOREPLACE); }

bool of_moves_to(const uint64_t *a) { return a[3] & MREMAP_FIXED; }

/* Notes the memory that a successful call has unmapped or replaced. RESULT is the result of the call. */
OF_LOCAL void of_note_success(long number, const uint64_t *a, uint64_t result) {
  switch (number) {
  case SYS_munmap: of_note_unmapping(a[0], a[1]); break;
  case SYS_mmap: of_note_unmapping(a[0], a[1]); break;
  case SYS_mremap:
    if (of_moves_to(a)) of_note_unmapping(a[4], a[2]);
    if (result != a[0]) {
      if (!(a[3] & KEEPS_OLD)) of_note_unmapping(a[0], a[1]);
    } else if (a[2] < a[1]) {
      of_note_unmapping(a[0] + a[2], a[1] - a[2]);
    }
    break;
  default: break;
  }
}

bool of_make_mapping_call(long number, const uint64_t *a, int64_t *result) {
  bool maps_code = false, is_known = false;
  switch (number) {
  case SYS_mprotect:
  case SYS_pkey_mprotect:
    *result = OF_CALL_6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (*result == 0) of_note_protection(a[0], a[1], (uint32_t)a[2]);
    return true;
  case SYS_munmap: is_known = of_overlaps_image(a[0], a[1]); break;
  case SYS_mremap:
    is_known = of_overlaps_image(a[0], a[1]) || (of_moves_to(a) && of_overlaps_image(a[4], a[2]));
    break;
  case SYS_mmap:
    maps_code = a[2] & PROT_EXEC && !(a[3] & MAP_ANONYMOUS);
    is_known = of_replaces(a) && of_overlaps_image(a[0], a[1]);
    break;
  default: break;
  }
  if (!maps_code && !is_known) return false;
  /* The old image is forgotten only after the call, which may fail. Until then, no other thread may find a new image
   * there. */
  if (is_known) of_lock_images();
  /* Pages are not watched after the program has moved them, so they first get back the access that the program gave
   * them. */
  if (is_known && number == SYS_mremap) of_release_range(a[0], a[1]);
  *result = OF_CALL_6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  bool is_done = *result >= 0 || *result < -4095;
  if (is_known) {
    if (is_done) of_note_success(number, a, (uint64_t)*result);
    of_unlock_images();
  }
  if (is_done && maps_code) of_find_images();
  return true;
}
#endif
