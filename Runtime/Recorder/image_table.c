#include "image_table.h"

#include <of_bytes.h>

#include "data_images.h"
#include "images.h"
#include "launch_end.h"
#include "slots.h"
#include "trace_file.h"

#define OF_UNLOAD_RECORDS 1u

/* Writes a record about the images, whether or not the launch is over. Returns its slot, or UINT64_MAX. */
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

OF_INTERNAL bool of_is_registered(orderfile_trace_header *trace, const uint32_t *start,
                                  const uint32_t *stop) {
  static of_image image; /* static because it is large; the lock guards it */
  uint64_t unloads = of_unload_count();
  bool is_registered = false;
  for (uint64_t i = 0; i < of_registration_count(); i++) {
    of_registration *registration = of_registration_at(i);
    if (!of_load_relaxed(&registration->is_loaded)) continue; /* relaxed: locked */
    if (registration->unload_count == unloads) {
      is_registered |= registration->guards == start && registration->guards_end == stop;
      continue;
    }
    bool overlaps = start < registration->guards_end && registration->guards < stop;
    if (overlaps || !of_find_image((uint64_t)registration->guards, &image) ||
        image.start != registration->start) {
      of_forget_data_image(registration->image);
      of_unload(trace, registration);
    } else {
      registration->unload_count = unloads;
    }
  }
  return is_registered;
}

/* Returns the number of functions of START..STOP that have run. */
OF_LOCAL uint64_t of_seen_count(const uint32_t *start, const uint32_t *stop) {
  uint64_t count = 0;
  for (const uint32_t *guard = start; guard < stop; guard++)
    count += of_load_relaxed(guard) != OF_UNSEEN; /* relaxed: later hits need no help */
  return count;
}

/* Returns the slot of the first hit in START..STOP, an image that is about to register; UINT64_MAX if it has no hit
 * yet. The image has as many hits as it has seen guards, so the hits of an image that was there before are not
 * counted. */
OF_LOCAL uint64_t of_first_early_hit(orderfile_trace_header *trace, const uint32_t *start,
                                     const uint32_t *stop) {
  uint64_t hits = of_seen_count(start, stop);
  uint64_t first = UINT64_MAX;
  for (uint64_t slot = of_used_slots(trace, of_recorder.record_limit); hits && slot-- > 0;) {
    orderfile_record *record = &of_records(trace)[slot];
    /* acquire: pairs with the release in of_fill_function (recorder.c) */
    if (of_load_acquire(&record->kind) != ORDERFILE_RECORD_FUNCTION) continue;
    const uint32_t *guard = (const uint32_t *)record->subject;
    if (guard < start || guard >= stop) continue;
    record->entry = 0; /* found in the pc-table of the image that was there before */
    first = slot;
    hits--;
  }
  return first;
}

/* Gives the number of an image to the touches of data in START..END that came before the image could register. */
OF_LOCAL void of_claim_early_touches(orderfile_trace_header *trace, uint64_t number, uint64_t start,
                                     uint64_t end) {
  uint64_t count = of_used_slots(trace, of_recorder.record_limit);
  for (uint64_t i = 0; i < count; i++) {
    orderfile_record *record = &of_records(trace)[i];
    /* acquire: pairs with the release in of_first_touch (touches.c) */
    if (of_load_acquire(&record->kind) != ORDERFILE_RECORD_DATA || record->subject) continue;
    if (record->entry >= start && record->entry < end) record->subject = number;
  }
}

OF_INTERNAL void of_add_registration(orderfile_trace_header *trace, const uint32_t *start,
                                     const uint32_t *stop) {
  static of_image image; /* static because it is large; the lock guards it */
  if (!of_find_image((uint64_t)start, &image)) return; /* guards outside of all images belong to nobody */
  uint64_t number = of_fetch_add_relaxed(&trace->next_image, 1); /* relaxed: a number */
  /* When the launch is over, guards are set without a record. Then the hits of an image that was there before can't be
   * distinguished from the hits of this image. */
  bool is_known = !of_is_over(trace) || !of_was_used(start, stop);
  uint64_t first_hit = is_known ? of_first_early_hit(trace, start, stop) : UINT64_MAX;

  static orderfile_trace_image load; /* no initialiser, which could become a call of memset */
  load.slide = image.slide;
  load.text_start = image.text_start;
  load.text_size = image.text_end - image.text_start;
  load.guard_start = (uint64_t)start;
  load.guard_size = (uint64_t)stop - (uint64_t)start;
  load.id_kind = image.id ? image.id_kind : ORDERFILE_ID_WEAK;
  load.id_size = image.id ? image.id_size : sizeof image.weak_id;
  load.path_size = (uint32_t)of_length(image.path);
  /* The ID and the path are written in one piece after the structure. */
  static uint8_t text[64 + OF_PATH_SIZE];
  if (load.id_size > 64) load.id_size = 64;
  uint64_t size = sizeof load + load.id_size + load.path_size;
  of_reserve_records(trace, (uint64_t)(stop - start) + of_records_for(size) + OF_UNLOAD_RECORDS);
  of_copy(text, image.id ? image.id : image.weak_id, load.id_size);
  of_copy(text + load.id_size, image.path, load.path_size);
  uint64_t slot = of_write_record(trace, ORDERFILE_RECORD_LOAD, number, first_hit + 1, &load,
                                  sizeof load, text, load.id_size + load.path_size);

  of_registration *registration = of_free_registration(start, stop);
  if (!registration) return;
  registration->guards = start;
  registration->guards_end = stop;
  registration->first_slot = first_hit < slot ? first_hit : slot;
  registration->load_slot = slot;
  registration->is_program = image.is_executable;
  registration->start = image.start;
  registration->is_own =
      image.start <= (uint64_t)&of_recorder && (uint64_t)&of_recorder < image.end;
  if (!registration->is_own && first_hit != UINT64_MAX)
    of_fetch_add_relaxed(&trace->early_functions, of_seen_count(start, stop)); /* relaxed: a count */
  registration->is_own_library = registration->is_own && !image.is_executable;
  registration->end = image.end;
  registration->unload_count = of_unload_count();
  of_store_relaxed(&registration->image, number); /* relaxed: a number */
  of_store_relaxed(&registration->is_loaded, 1);  /* relaxed: a flag */
  if (of_add_data_image(&registration->data, number, image.start, image.end))
    of_claim_early_touches(trace, number, image.start, image.end);
  of_publish_registration(registration);
}

OF_INTERNAL void of_complete_early_hits(orderfile_trace_header *trace,
                                        const of_registration *registration) {
  uint64_t count = of_used_slots(trace, of_recorder.record_limit);
  for (uint64_t i = registration->first_slot; i < count; i++) {
    orderfile_record *record = &of_records(trace)[i];
    /* acquire: pairs with the release in of_fill_function (recorder.c) */
    if (of_load_acquire(&record->kind) != ORDERFILE_RECORD_FUNCTION || record->entry) continue;
    const uint32_t *guard = (const uint32_t *)record->subject;
    if (guard >= registration->guards && guard < registration->guards_end)
      record->entry = of_entry_in(registration, guard);
  }
}

OF_INTERNAL void of_unload_own_image(orderfile_trace_header *trace) {
  if (!of_await_registration()) return;
  for (uint64_t i = 0; i < of_registration_count(); i++) {
    of_registration *registration = of_registration_at(i);
    if (of_load_relaxed(&registration->is_loaded) && registration->is_own_library) /* relaxed: a flag */
      of_unload(trace, registration);
  }
  of_unlock_registration();
}
