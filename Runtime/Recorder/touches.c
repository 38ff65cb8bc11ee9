/* What runs before a load or a store, if the program is compiled with
 * -fsanitize-coverage=trace-loads,trace-stores.
 *
 * An access outside the images of this copy, such as to the stack or the heap, costs one comparison. An access to a
 * granule that has been touched costs a look-up of its bit. A first touch sets the bit and fills a slot, as a first hit
 * does, and is as safe, except for one thing: slots for touches are made in batches, when they are needed, because an
 * image has far more granules than a launch touches. A batch is made under the lock of registrations, but a touch never
 * waits for the lock.
 *
 * Touches have slots of their own: they never take one that a function may need. */
#include "current_trace.h"
#include "data_images.h"
#include "guards.h"
#include "launch_end.h"
#include "platform.h"
#include "recorder.h"
#include "slots.h"
#include "trace_file.h"

#define OF_BATCH 16384ull      /* slots: 640 KiB */
#define OF_BATCH_AHEAD 4096ull /* the next batch is made when only this many are left */

static uint32_t of_has_no_room; /* atomic: a batch could not be made */

/* Makes a batch of slots, unless there is one by now, or the lock is taken: by another thread, or by this thread, which
 * a signal handler has interrupted. */
OF_LOCAL void of_make_batch(orderfile_trace_header *trace, uint64_t used) {
  if (of_load_relaxed(&of_has_no_room) || !of_try_lock_registration()) return; /* relaxed: a flag */
  if (used + OF_BATCH_AHEAD >= of_load_relaxed(&trace->touch_slots)) {         /* relaxed: locked */
    of_reserve_records(trace, OF_BATCH);
    /* relaxed: this thread called of_reserve_records */
    if (of_load_relaxed(&trace->capacity) >= of_load_relaxed(&trace->demand)) {
      of_fetch_add_relaxed(&trace->touch_slots, OF_BATCH); /* relaxed: a count */
    } else {
      of_fetch_add_relaxed(&trace->demand, -OF_BATCH); /* relaxed: a sum */
      of_store_relaxed(&of_has_no_room, 1);            /* relaxed: a flag */
    }
  }
  of_unlock_registration();
}

/* Takes a slot of TRACE for one more touch. Returns false if there is none, which is counted as a loss. */
OF_LOCAL bool of_take_touch_slot(orderfile_trace_header *trace) {
  uint64_t used = of_fetch_add_relaxed(&trace->touches, 1); /* relaxed: a count */
  if (used + OF_BATCH_AHEAD >= of_load_relaxed(&trace->touch_slots)) of_make_batch(trace, used); /* relaxed: a count */
  if (used < of_load_relaxed(&trace->touch_slots)) return true; /* relaxed: a count */
  of_fetch_add_relaxed(&trace->lost_records, 1);                /* relaxed: a count */
  return false;
}

OF_LOCAL void of_fill_touch(const of_data_image *image, uint64_t address) {
  orderfile_trace_header *trace = of_current_trace();
  if (trace && (of_is_over(trace) || !of_take_touch_slot(trace))) return;
  orderfile_record *record = of_claim_records(1);
  if (!record) return;
  record->subject = of_load_relaxed(&image->number); /* relaxed: a number */
  record->data_size = ORDERFILE_DATA_GRANULE;
  record->entry = address & ~(uint64_t)(ORDERFILE_DATA_GRANULE - 1);
  record->ticks = of_ticks();
  record->thread = 0;
  /* release: publishes the fields; pairs with the acquire of whoever reads a kind */
  of_store_release(&record->kind, ORDERFILE_RECORD_DATA);
}

/* Looks at all granules of an access of SIZE bytes. */
OF_LOCAL void of_first_touch(uint64_t address, uint64_t size) {
  if (!of_first_data_image()) return;
  uint64_t last = (address + size - 1) | (ORDERFILE_DATA_GRANULE - 1);
  for (uint64_t at = address; at <= last && at >= address; at += ORDERFILE_DATA_GRANULE) {
    const of_data_image *image = of_touch_first(at);
    if (image) of_fill_touch(image, at);
  }
}

/* Whether a touch of ADDRESS is known not to be a first touch in an image. Looks only at the newest image, which mostly
 * is the only one. */
OF_INLINE bool of_is_settled(uint64_t address) {
  /* acquire: pairs with the release in of_link_data */
  const of_data_image *image = of_load_acquire(&of_recorder.data_images);
  if (!image) return false;
  if (address - image->hull_start >= image->hull_size) return true;
  uint64_t offset = address - image->start;
  if (offset >= image->size) return false;
  /* acquire: pairs with the release in of_touched_bits */
  const uint64_t *touched = of_load_acquire(&image->touched);
  uint64_t granule = offset / ORDERFILE_DATA_GRANULE;
  /* relaxed: a stale "not yet" costs the look-up */
  return touched && (of_load_relaxed(&touched[granule / 64]) >> granule % 64 & 1);
}

/* An access that is not aligned can end in another granule than it begins in. */
OF_INLINE void of_touch(const void *pointer, uint64_t size) {
  uint64_t address = (uint64_t)pointer;
  bool is_across = address % ORDERFILE_DATA_GRANULE + size > ORDERFILE_DATA_GRANULE;
  if (of_is_settled(address) && (!is_across || of_is_settled(address + size - 1))) return;
  of_first_touch(address, size);
}

#define OF_TRACE_ACCESS(function, size)                                \
  OF_RUNTIME void function(const void *address);                       \
  void function(const void *address) { of_touch(address, (size)); } \
  OF_ONE_IN_AN_IMAGE(function)

OF_TRACE_ACCESS(__sanitizer_cov_load1, 1);
OF_TRACE_ACCESS(__sanitizer_cov_load2, 2);
OF_TRACE_ACCESS(__sanitizer_cov_load4, 4);
OF_TRACE_ACCESS(__sanitizer_cov_load8, 8);
OF_TRACE_ACCESS(__sanitizer_cov_load16, 16);
OF_TRACE_ACCESS(__sanitizer_cov_store1, 1);
OF_TRACE_ACCESS(__sanitizer_cov_store2, 2);
OF_TRACE_ACCESS(__sanitizer_cov_store4, 4);
OF_TRACE_ACCESS(__sanitizer_cov_store8, 8);
OF_TRACE_ACCESS(__sanitizer_cov_store16, 16);
