/* Which images this copy of the recorder serves, and their life: registration, pc-table, unload.
 *
 * The compiler's constructor calls the two init functions once per image, before the image's own
 * constructors of default priority. A call with a range that is registered already is either a
 * repetition (some linkers keep one constructor per object file), which is ignored, or another image
 * at an address that dlclose has freed. The loader's count of unloaded images tells the two apart.
 *
 * Hits may come before that call: of .preinit_array, of what ifunc resolvers call, of constructors with
 * a higher priority. In an image that reuses freed addresses they look like hits of the image that is
 * gone. The load record says where they begin, and their entry PCs are looked up again. An entry PC is
 * looked up in a copy of the pc-table, because the image that it lay in may be gone.
 *
 * An image with a copy of the recorder of its own says goodbye in a destructor. For an image that
 * uses the executable's copy no code of ours runs at dlclose: its unload record is written when the
 * next image registers. Until then its addresses can't be hit again, so no hit is misattributed.
 */
#include "recorder.h"

#define OF_IMAGES 1024u /* images whose entry PCs one copy can look up; further ones only lack those */

typedef struct of_registration {
  const uint32_t *guards, *guards_end;
  uint64_t *entries;     /* atomic; parallel to the guards; NULL until there is a pc-table */
  uint64_t *memory;      /* what `entries` was or will be; stays with the range */
  uint64_t image;        /* atomic; its number in the trace */
  uint64_t first_slot;   /* none of its hits stands before it in the trace */
  uint64_t start, end;   /* loaded range of the image */
  uint64_t unload_count; /* of the loader, when it was registered */
  uint32_t is_loaded;    /* atomic */
  bool is_own_library;   /* this copy of the recorder is linked into that image, and it is no program */
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
    const uint64_t *entries = of_load_acquire(&registration->entries);
    return entries ? of_load_relaxed(&entries[guard - registration->guards]) : 0; /* relaxed: a value */
  }
  return 0;
}

OF_INTERNAL bool of_is_loaded(uint64_t number) {
  uint64_t count = of_load_acquire(&of_registration_count); /* acquire: as in of_entry_of_guard */
  while (count-- > 0) {
    const of_registration *registration = &of_registrations[count];
    if (of_load_relaxed(&registration->image) == number) /* relaxed: a number */
      return of_load_relaxed(&registration->is_loaded);  /* relaxed: a flag */
  }
  return false;
}

OF_INTERNAL void of_lock_registration(void) {
  /* The loader runs constructors one at a time, so this waits only if a program calls an init function
   * by itself. A lock held by another process was copied by fork: here nobody will ever open it. */
  uint32_t self = of_process_number(), holder = 0;
  /* acquire: pairs with the release in of_unlock_registration */
  while (!of_compare_exchange_acquire(&of_recorder.registering, &holder, self)) {
    if (holder != self) continue;
    holder = 0;
    of_pause();
  }
}

OF_INTERNAL void of_unlock_registration(void) {
  of_store_release(&of_recorder.registering, 0); /* release: see of_lock_registration */
}

/* Writes a record about the images, whether or not the launch is over. Its slot, or UINT64_MAX. */
OF_LOCAL uint64_t of_write_record(orderfile_trace_header *trace, uint32_t kind, uint64_t subject,
                                  uint64_t entry, const void *first, uint64_t first_size,
                                  const void *second, uint64_t second_size) {
  uint64_t slot = of_claim_slots(trace, of_records_for(first_size + second_size));
  if (slot == UINT64_MAX) return slot;
  of_fill_record(&of_records(trace)[slot], kind, subject, entry, first, first_size, second,
                 second_size);
  return slot;
}

OF_LOCAL void of_unload(orderfile_trace_header *trace, of_registration *registration) {
  of_store_relaxed(&registration->is_loaded, 0); /* relaxed: a flag */
  of_write_record(trace, ORDERFILE_RECORD_UNLOAD, registration->image, 0, NULL, 0, NULL, 0);
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
    else
      registration->unload_count = unloads;
  }
  return is_registered;
}

/* How many slots are in use and mapped here. */
OF_LOCAL uint64_t of_used_slots(const orderfile_trace_header *trace) {
  uint64_t count = of_load_relaxed(&trace->next_record); /* relaxed: later ones look after themselves */
  uint64_t capacity = of_load_acquire(&trace->capacity); /* acquire: as in of_claim_slots */
  if (count > capacity) count = capacity;
  return count < of_recorder.record_limit ? count : of_recorder.record_limit;
}

/* The slot of the first hit in START..STOP, an image that is about to register; UINT64_MAX if none came
 * yet. The seen guards tell how many there were, so hits of an image that was there before stay its. */
OF_LOCAL uint64_t of_first_early_hit(orderfile_trace_header *trace, const uint32_t *start,
                                     const uint32_t *stop) {
  uint64_t hits = 0;
  for (const uint32_t *guard = start; guard < stop; guard++)
    hits += of_load_relaxed(guard) != OF_UNSEEN; /* relaxed: later hits need no help */
  uint64_t first = UINT64_MAX;
  for (uint64_t slot = of_used_slots(trace); hits && slot-- > 0;) {
    orderfile_record *record = &of_records(trace)[slot];
    /* acquire: pairs with the release in of_fill_function */
    if (of_load_acquire(&record->kind) != ORDERFILE_RECORD_FUNCTION) continue;
    const uint32_t *guard = (const uint32_t *)record->subject;
    if (guard < start || guard >= stop) continue;
    record->entry = 0; /* found in the pc-table of whoever was there before */
    first = slot;
    hits--;
  }
  return first;
}

/* The registration of the very range START..STOP whose image is gone, or a new one; NULL if there is
 * no room. */
OF_LOCAL of_registration *of_free_registration(const uint32_t *start, const uint32_t *stop) {
  uint64_t count = of_load_relaxed(&of_registration_count); /* relaxed: locked */
  for (uint64_t i = count; i-- > 0;) {
    of_registration *registration = &of_registrations[i];
    if (registration->guards >= stop || start >= registration->guards_end) continue;
    if (registration->guards == start && registration->guards_end == stop) return registration;
    break; /* an older one of the same range would be hidden by this one */
  }
  return count < OF_IMAGES ? &of_registrations[count] : NULL;
}

OF_LOCAL void of_add_registration(orderfile_trace_header *trace, uint32_t *start, uint32_t *stop) {
  static of_image image; /* large; the lock makes it ours */
  if (!of_find_image((uint64_t)start, &image)) return; /* guards outside every image: nobody's */
  /* relaxed: a number */
  uint64_t number = of_fetch_add_relaxed(&trace->next_image, 1);
  uint64_t first_hit = of_first_early_hit(trace, start, stop);

  OF_RAW uint8_t weak_id[8];
  for (int i = 0; i < 8; i++) weak_id[i] = (uint8_t)(image.weak_id >> (56 - 8 * i));
  static orderfile_trace_image payload; /* no initialiser, which could become a call of memset */
  payload.slide = image.slide;
  payload.text_start = image.text_start;
  payload.text_size = image.text_end - image.text_start;
  payload.guard_start = (uint64_t)start;
  payload.guard_size = (uint64_t)stop - (uint64_t)start;
  payload.id_kind = image.id ? image.id_kind : ORDERFILE_ID_WEAK;
  payload.id_size = image.id ? image.id_size : sizeof weak_id;
  payload.path_size = (uint32_t)of_length(image.path);
  /* The ID and the path go out in one piece behind the structure. */
  static uint8_t text[64 + OF_PATH_SIZE];
  if (payload.id_size > 64) payload.id_size = 64;
  of_copy(text, image.id ? image.id : weak_id, payload.id_size);
  of_copy(text + payload.id_size, image.path, payload.path_size);
  uint64_t slot = of_write_record(trace, ORDERFILE_RECORD_LOAD, number, first_hit + 1, &payload,
                                  sizeof payload, text, payload.id_size + payload.path_size);

  of_registration *registration = of_free_registration(start, stop);
  if (!registration) return;
  uint64_t count = of_load_relaxed(&of_registration_count); /* relaxed: locked */
  of_store_relaxed(&registration->entries, NULL); /* relaxed: a hit of now finds the old image's or none */
  registration->guards = start;
  registration->guards_end = stop;
  registration->first_slot = first_hit < slot ? first_hit : slot;
  registration->start = image.start;
  registration->is_own_library = !image.is_executable && image.start <= (uint64_t)of_registrations &&
                                 (uint64_t)of_registrations < image.end;
  registration->end = image.end;
  registration->unload_count = of_unload_count();
  of_store_relaxed(&registration->image, number); /* relaxed: a number */
  of_store_relaxed(&registration->is_loaded, 1);  /* relaxed: a flag */
  /* release: publishes the registration; pairs with the acquire in of_entry_of_guard */
  if (registration == &of_registrations[count]) of_store_release(&of_registration_count, count + 1);
}

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
  if (start >= stop) return;
  of_lock_registration();
  uint64_t guards = (uint64_t)(stop - start);
  if (of_load_relaxed(&of_recorder.mode) == OF_UNDECIDED) of_start_recording(guards); /* relaxed: locked */
  orderfile_trace_header *trace = of_current_trace();
  /* relaxed: a flag. In a child another thread may be making the trace this very moment. */
  while (!trace && of_load_relaxed(&of_recorder.mode) == OF_RECORDING) {
    of_pause();
    trace = of_current_trace();
  }
  if (trace) {
    if (!of_is_registered(trace, start, stop)) {
      of_reserve_records(trace, guards);
      of_add_registration(trace, start, stop);
    }
    of_calibrate(trace);
  } else if (of_load_relaxed(start) == OF_UNSEEN || of_load_relaxed(stop - 1) == OF_UNSEEN) {
    /* Nobody listens: make every call as cheap as a seen one. Not again for each object file of a Mach-O
     * image, whose constructors all come by with the same range. */
    for (uint32_t *guard = start; guard < stop; guard++)
      of_store_relaxed(guard, OF_SEEN); /* relaxed: a flag */
  }
  of_unlock_registration();
}

/* Hits that came before the image was registered have no entry PC yet. */
OF_LOCAL void of_complete_early_hits(orderfile_trace_header *trace,
                                     const of_registration *registration) {
  uint64_t count = of_used_slots(trace);
  for (uint64_t i = registration->first_slot; i < count; i++) {
    orderfile_record *record = &of_records(trace)[i];
    /* acquire: pairs with the release in of_fill_function */
    if (of_load_acquire(&record->kind) != ORDERFILE_RECORD_FUNCTION || record->entry) continue;
    const uint32_t *guard = (const uint32_t *)record->subject;
    if (guard >= registration->guards && guard < registration->guards_end)
      record->entry = registration->entries[guard - registration->guards];
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
    if (of_load_relaxed(&registration->entries)) break; /* relaxed: locked */
    uint64_t guards = (uint64_t)(registration->guards_end - registration->guards);
    if (!registration->memory) registration->memory = of_map_memory(guards * sizeof(uint64_t));
    if (!registration->memory) break;
    for (uint64_t i = 0; i < guards; i++)
      of_store_relaxed(&registration->memory[i], /* relaxed: published below */
                       of_strip_signature((const void *)start[2 * i]));
    /* release: publishes the copy; pairs with of_entry_of_guard */
    of_store_release(&registration->entries, registration->memory);
    of_complete_early_hits(trace, registration);
    break;
  }
  of_unlock_registration();
}

/* At dlclose of a library with its own copy, and at exit. At exit it stays mapped and may still be
 * hit; readers attribute a hit behind the unload record to it all the same. The loader is not asked: in
 * a forked child a thread of the parent may hold its lock for ever. */
OF_INTERNAL void of_unload_own_image(orderfile_trace_header *trace) {
  of_lock_registration();
  for (uint64_t i = 0; i < of_load_relaxed(&of_registration_count); i++) { /* relaxed: locked */
    of_registration *registration = &of_registrations[i];
    if (of_load_relaxed(&registration->is_loaded) && registration->is_own_library) /* relaxed: a flag */
      of_unload(trace, registration);
  }
  of_unlock_registration();
}
