#include "guards.h"

#include <of_bytes.h>

#include "platform.h"

OF_DATA of_registration_table *of_registrations;
static bool of_forgets; /* a registration was left out of a larger table */

#define OF_FIRST_CAPACITY 32u
/* In this image's data: a library that is closed takes it along. */
static uint64_t of_first_table[(sizeof(of_registration_table) +
                                OF_FIRST_CAPACITY * sizeof(of_registration)) / sizeof(uint64_t)];

OF_INTERNAL uint64_t of_entry_of_guard(const uint32_t *guard) {
  /* acquire: pairs with the release in of_enlarge_table */
  const of_registration_table *table = of_load_acquire(&of_registrations);
  if (!table) return 0;
  /* acquire: pairs with the release in of_publish_registration */
  uint64_t count = of_load_acquire(&table->count);
  while (count-- > 0) { /* the newest first, because addresses can be used again */
    const of_registration *registration = &table->rows[count];
    if (guard < registration->guards || guard >= registration->guards_end) continue;
    return of_entry_in(registration, guard);
  }
  return 0;
}

OF_INTERNAL bool of_is_loaded(uint64_t number) {
  const of_registration_table *table = of_load_acquire(&of_registrations); /* acquire: as above */
  uint64_t count = table ? of_load_acquire(&table->count) : 0;             /* acquire: as above */
  while (count-- > 0) {
    const of_registration *registration = &table->rows[count];
    if (of_load_relaxed(&registration->image) == number) /* relaxed: a number */
      return of_load_relaxed(&registration->is_loaded);  /* relaxed: a flag */
  }
  return false;
}

/* Whether look-ups still need REGISTRATION, or its memory is still of use. A library that contains the recorder may
 * still be hit at exit, after its unload. */
OF_LOCAL bool of_is_needed(const of_registration *registration) {
  return of_load_relaxed(&registration->is_loaded) || /* relaxed: locked */
         registration->is_own_library || registration->memory;
}

/* Replaces the table by one with at least one free row; false if there is no memory. The old table stays, because a hit
 * may be reading it. A new table has twice the room that is needed, so all old tables together take less memory than
 * the load records take in the trace. */
OF_LOCAL bool of_enlarge_table(void) {
  of_registration_table *old = of_registrations;
  uint64_t needed = 0;
  for (uint64_t i = 0; i < of_registration_count(); i++) needed += of_is_needed(of_registration_at(i));
  uint64_t capacity = needed < OF_FIRST_CAPACITY / 2 ? OF_FIRST_CAPACITY : 2 * needed;
  of_registration_table *table =
      old ? of_map_memory(sizeof *table + capacity * sizeof(of_registration)) : (void *)of_first_table;
  if (!table) return false;
  table->capacity = capacity;
  for (uint64_t i = 0; old && i < old->count; i++) {
    if (of_is_needed(&old->rows[i]))
      of_copy(&table->rows[table->count++], &old->rows[i], sizeof(of_registration));
    else
      of_forgets = true;
  }
  /* release: publishes the rows; pairs with the acquire in of_entry_of_guard */
  of_store_release(&of_registrations, table);
  return true;
}

OF_LOCAL bool of_overlaps(const of_registration *registration, const uint32_t *start,
                          const uint32_t *stop) {
  return start < registration->guards_end && registration->guards < stop;
}

OF_INTERNAL of_registration *of_free_registration(const uint32_t *start, const uint32_t *stop) {
  of_registration *newest = NULL; /* the newest registration of this range hides older ones */
  for (uint64_t i = 0; i < of_registration_count(); i++) {
    of_registration *registration = of_registration_at(i);
    if (!of_overlaps(registration, start, stop)) continue;
    newest = registration;
    if (!of_load_relaxed(&registration->is_loaded))   /* relaxed: locked */
      of_store_relaxed(&registration->entries, NULL); /* relaxed: a hit meanwhile finds the old entry or none */
  }
  bool is_same = newest && newest->guards == start && newest->guards_end == stop;
  if (is_same && !of_load_relaxed(&newest->is_loaded)) return newest; /* relaxed: locked */
  bool is_full = !of_registrations || of_registrations->count == of_registrations->capacity;
  if (is_full && !of_enlarge_table()) return NULL;
  return of_registration_at(of_registration_count());
}

OF_INTERNAL void of_publish_registration(const of_registration *registration) {
  uint64_t count = of_registration_count();
  if (registration != of_registration_at(count)) return;
  /* release: publishes the registration; pairs with the acquire in of_entry_of_guard */
  of_store_release(&of_registrations->count, count + 1);
}

/* Gives REGISTRATION memory for COUNT entries: the memory that it has, that of an image that is gone, or new memory.
 * Returns false if there is no memory. */
OF_LOCAL bool of_provide_memory(of_registration *registration, uint64_t count) {
  if (registration->memory && registration->room < count) registration->memory = NULL;
  for (uint64_t i = 0; !registration->memory && i < of_registration_count(); i++) {
    of_registration *other = of_registration_at(i);
    if (of_load_relaxed(&other->is_loaded) || !other->memory || other->room < count) continue; /* relaxed: locked */
    of_store_relaxed(&other->entries, NULL); /* relaxed: the image is gone, so it is not hit */
    registration->memory = other->memory;
    registration->room = other->room;
    other->memory = NULL;
  }
  if (registration->memory) return true;
  uint64_t page = 4096 / sizeof(uint64_t); /* rounded up, so that the memory can be used again for more images */
  registration->room = (count + page - 1) / page * page;
  registration->memory = of_map_memory(registration->room * sizeof(uint64_t));
  return registration->memory != NULL;
}

OF_INTERNAL void of_provide_entries(of_registration *registration, const uintptr_t *table) {
  const uint64_t *entries = (const uint64_t *)table;
  registration->entry_shift = 1;
  if (!registration->is_own) {
    uint64_t count = (uint64_t)(registration->guards_end - registration->guards);
    if (!of_provide_memory(registration, count)) return;
    registration->entry_shift = 0;
    entries = registration->memory;
    for (uint64_t i = 0; i < count; i++)
      of_store_relaxed(&registration->memory[i], table[2 * i]); /* relaxed: published below */
  }
  /* release: publishes the copy; pairs with the acquire in of_entry_in */
  of_store_release(&registration->entries, entries);
}

OF_INTERNAL bool of_was_used(const uint32_t *start, const uint32_t *stop) {
  for (uint64_t i = 0; i < of_registration_count(); i++)
    if (of_overlaps(of_registration_at(i), start, stop)) return true;
  return of_forgets;
}

/* Returns this process's number, if possible without a system call: at exit the program may have forbidden system
 * calls. */
OF_LOCAL uint32_t of_own_number(void) {
  const uint32_t *ownership = of_recorder.ownership;
  /* acquire: pairs with the release in of_replace_trace_after_fork */
  if (ownership && of_load_acquire(ownership) == OF_OWNED)
    return of_load_relaxed(&of_recorder.owner); /* relaxed: ordered by the acquire */
  return of_process_number();
}

OF_INTERNAL void of_lock_registration(void) {
  /* The loader runs constructors one at a time, so this waits only if a program itself calls an init function. A lock
   * that another process holds was copied by fork: nobody in this process will ever release it. */
  uint32_t self = of_own_number(), holder = 0;
  /* acquire: pairs with the release in of_unlock_registration */
  while (!of_compare_exchange_acquire(&of_recorder.registering, &holder, self)) {
    if (holder != self) continue;
    holder = 0;
    of_pause();
  }
}

OF_INTERNAL bool of_try_lock_registration(void) {
  uint32_t self = of_own_number(), holder = 0;
  /* acquire: as above */
  if (of_compare_exchange_acquire(&of_recorder.registering, &holder, self)) return true;
  return holder != self && of_compare_exchange_acquire(&of_recorder.registering, &holder, self); /* acquire: as above */
}

OF_INTERNAL bool of_await_registration(void) {
  for (int patience = OF_PATIENCE; patience > 0; patience--) {
    if (of_try_lock_registration()) return true;
    of_pause();
  }
  return false;
}

OF_INTERNAL void of_unlock_registration(void) {
  /* release: what was done under the lock; pairs with the acquire in of_lock_registration */
  of_store_release(&of_recorder.registering, 0);
}
