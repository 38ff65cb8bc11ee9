/* Which images this copy of the recorder serves, and their life: registration, pc-table, unload.
 *
 * The compiler's constructor calls the two init functions once per image, before the image's own
 * constructors of default priority. A call with a range that is registered already is either a
 * repetition (some linkers keep one constructor per object file), which is ignored, or another image
 * at an address that dlclose has freed. The loader's count of unloaded images tells the two apart.
 *
 * An image with a copy of the recorder of its own says goodbye in a destructor. For an image that
 * uses the executable's copy no code of ours runs at dlclose: its unload record is written when the
 * next image registers. Until then its addresses can't be hit again, so no hit is misattributed.
 */
#include "recorder.h"

#define OF_IMAGES 1024u /* images whose entry PCs one copy can look up; further ones only lack those */

typedef struct of_registration {
  const uint32_t *guards, *guards_end;
  const uintptr_t *pc_table; /* atomic; pairs of entry PC and flags, parallel to the guards, or NULL */
  uint64_t image;            /* its number in the trace */
  uint64_t start, end;       /* loaded range of the image */
  uint64_t unload_count;     /* of the loader, when it was registered */
  uint32_t is_loaded;        /* atomic */
} of_registration;

static of_registration of_registrations[OF_IMAGES];
static uint64_t of_registration_count; /* atomic */

OF_RUNTIME void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop);
OF_RUNTIME void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop);

OF_INTERNAL uint64_t of_entry_of_guard(const uint32_t *guard) {
  /* acquire: pairs with the release in of_add_registration */
  uint64_t count = of_load_acquire(&of_registration_count);
  while (count-- > 0) { /* the newest first: addresses can be used again */
    const of_registration *registration = &of_registrations[count];
    if (guard < registration->guards || guard >= registration->guards_end) continue;
    /* acquire: pairs with the release in __sanitizer_cov_pcs_init */
    const uintptr_t *table = of_load_acquire(&registration->pc_table);
    return table ? table[2 * (guard - registration->guards)] : 0;
  }
  return 0;
}

OF_LOCAL void of_lock_registration(void) {
  /* acquire: pairs with the release in of_unlock_registration. The loader runs constructors one at a
   * time, so this waits only if a program calls an init function by itself. */
  while (of_exchange_acquire(&of_recorder.is_registering, 1)) of_yield();
}

OF_LOCAL void of_unlock_registration(void) {
  of_store_release(&of_recorder.is_registering, 0); /* release: see of_lock_registration */
}

OF_LOCAL void of_unload(orderfile_trace_header *trace, of_registration *registration) {
  of_store_relaxed(&registration->is_loaded, 0); /* relaxed: only registrations read it, locked */
  of_write_record(trace, ORDERFILE_RECORD_UNLOAD, registration->image, NULL, 0, NULL, 0);
}

/* Whether START..STOP is registered and its image still there; unloads what the range shows to be
 * gone, and every other image that the loader no longer has. */
OF_LOCAL bool of_is_registered(orderfile_trace_header *trace, const uint32_t *start,
                               const uint32_t *stop) {
  static of_image image; /* large; the lock makes it ours */
  uint64_t unloads = of_unload_count();
  bool is_registered = false;
  for (uint64_t i = 0; i < of_load_relaxed(&of_registration_count); i++) { /* relaxed: locked */
    of_registration *registration = &of_registrations[i];
    if (!of_load_relaxed(&registration->is_loaded)) continue; /* relaxed: locked */
    if (registration->unload_count == unloads) {
      is_registered |= registration->guards == start && registration->guards_end == stop;
      continue;
    }
    bool overlaps = start < registration->guards_end && registration->guards < stop;
    if (overlaps || !of_find_image((uint64_t)registration->guards, &image) ||
        image.start != registration->start)
      of_unload(trace, registration);
  }
  return is_registered;
}

OF_LOCAL void of_add_registration(orderfile_trace_header *trace, uint32_t *start, uint32_t *stop) {
  static of_image image; /* large; the lock makes it ours */
  if (!of_find_image((uint64_t)start, &image)) return; /* guards outside every image: nobody's */
  /* relaxed: a number */
  uint64_t number = of_fetch_add_relaxed(&trace->next_image, 1);

  uint8_t weak_id[8];
  for (int i = 0; i < 8; i++) weak_id[i] = (uint8_t)(image.weak_id >> (56 - 8 * i));
  orderfile_trace_image payload = {
      .slide = image.slide,
      .text_start = image.text_start,
      .text_size = image.text_end - image.text_start,
      .guard_start = (uint64_t)start,
      .guard_size = (uint64_t)stop - (uint64_t)start,
      .id_kind = image.id ? ORDERFILE_ID_BUILD_ID : ORDERFILE_ID_WEAK,
      .id_size = image.id ? image.id_size : sizeof weak_id,
      .path_size = (uint32_t)of_length(image.path),
  };
  /* The ID and the path go out in one piece behind the structure. */
  static uint8_t text[64 + OF_PATH_SIZE];
  if (payload.id_size > 64) payload.id_size = 64;
  of_copy(text, image.id ? image.id : weak_id, payload.id_size);
  of_copy(text + payload.id_size, image.path, payload.path_size);
  of_write_record(trace, ORDERFILE_RECORD_LOAD, number, &payload, sizeof payload, text,
                  payload.id_size + payload.path_size);

  uint64_t count = of_load_relaxed(&of_registration_count); /* relaxed: locked */
  if (count == OF_IMAGES) return;
  of_registration *registration = &of_registrations[count];
  registration->guards = start;
  registration->guards_end = stop;
  registration->image = number;
  registration->start = image.start;
  registration->end = image.end;
  registration->unload_count = of_unload_count();
  of_store_relaxed(&registration->is_loaded, 1); /* relaxed: locked */
  /* release: publishes the registration; pairs with the acquire in of_entry_of_guard */
  of_store_release(&of_registration_count, count + 1);
}

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
  if (start >= stop) return;
  of_lock_registration();
  uint64_t guards = (uint64_t)(stop - start);
  if (of_load_relaxed(&of_recorder.mode) == OF_UNDECIDED) of_start_recording(); /* relaxed: locked */
  orderfile_trace_header *trace = of_current_trace();
  if (trace) {
    if (!of_is_registered(trace, start, stop)) {
      of_reserve_records(trace, guards);
      of_add_registration(trace, start, stop);
    }
    of_calibrate(trace);
  } else {
    /* Nobody listens: make every call as cheap as a seen one. */
    for (uint32_t *guard = start; guard < stop; guard++)
      of_store_relaxed(guard, OF_SEEN); /* relaxed: a flag */
  }
  of_unlock_registration();
}

/* Hits that came before the image was registered have no entry PC yet. */
OF_LOCAL void of_complete_early_hits(orderfile_trace_header *trace,
                                     const of_registration *registration) {
  uint64_t count = of_load_relaxed(&trace->next_record); /* relaxed: later ones complete themselves */
  uint64_t capacity = of_load_acquire(&trace->capacity); /* acquire: as in of_claim_slots */
  if (count > capacity) count = capacity;
  if (count > of_recorder.record_limit) count = of_recorder.record_limit;
  for (uint64_t i = 0; i < count; i++) {
    orderfile_record *record = &of_records(trace)[i];
    /* acquire: pairs with the release in of_fill_function */
    if (of_load_acquire(&record->kind) != ORDERFILE_RECORD_FUNCTION || record->entry) continue;
    const uint32_t *guard = (const uint32_t *)record->subject;
    if (guard >= registration->guards && guard < registration->guards_end)
      record->entry = registration->pc_table[2 * (guard - registration->guards)];
  }
}

/* The table lies in the image whose guards were registered just before, and is parallel to them. */
void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop) {
  if (start >= stop) return;
  of_lock_registration();
  orderfile_trace_header *trace = of_current_trace();
  uint64_t count = of_load_relaxed(&of_registration_count); /* relaxed: locked */
  while (trace && count-- > 0) {
    of_registration *registration = &of_registrations[count];
    bool is_ours = of_load_relaxed(&registration->is_loaded) && /* relaxed: locked */
                   (uint64_t)start >= registration->start && (uint64_t)stop <= registration->end &&
                   (stop - start) / 2 == registration->guards_end - registration->guards;
    if (!is_ours) continue;
    if (!of_load_relaxed(&registration->pc_table)) { /* relaxed: locked */
      /* release: publishes the table's relocated contents; pairs with of_entry_of_guard */
      of_store_release(&registration->pc_table, start);
      of_complete_early_hits(trace, registration);
    }
    break;
  }
  of_unlock_registration();
}

/* At dlclose of a library with its own copy, and at exit. At exit it stays mapped and may still be
 * hit; readers attribute a hit behind the unload record to it all the same. */
OF_INTERNAL void of_unload_own_image(orderfile_trace_header *trace) {
  static of_image own; /* large; the lock makes it ours */
  of_lock_registration();
  if (of_find_image((uint64_t)&of_registrations, &own) && !own.is_executable) {
    for (uint64_t i = 0; i < of_load_relaxed(&of_registration_count); i++) { /* relaxed: locked */
      of_registration *registration = &of_registrations[i];
      if (of_load_relaxed(&registration->is_loaded) && registration->start == own.start)
        of_unload(trace, registration);
    }
  }
  of_unlock_registration();
}
