/* Finds the function of a guard: the ranges of guards that this copy of the recorder serves, each with its pc-table or
 * a copy of the table, because the image that contains the table may be gone before this one.
 *
 * The table changes only under the lock of registrations; looking up takes no lock. */
#ifndef OF_GUARDS_H
#define OF_GUARDS_H

#include <stdbool.h>

#include "data_images.h"
#include "platform.h"
#include "state.h"

/* A guard's value. The loader provides zero, which means "not seen yet", so that code before any
 * initializer is recorded too. */
enum { OF_UNSEEN = 0, OF_SEEN = 1 };

typedef struct of_registration {
  const uint32_t *guards, *guards_end;
  const uint64_t *entries; /* atomic; parallel to the guards; NULL until there is a pc-table */
  uint32_t entry_shift;  /* binary logarithm of the distance between two entries */
  uint64_t *memory;      /* the memory of `entries`, if they are a copy */
  uint64_t room;         /* the number of entries that `memory` can hold */
  uint64_t image;        /* atomic; the image's number in the trace */
  uint64_t first_slot;   /* the image has no hit before this slot of the trace */
  uint64_t load_slot;    /* the slot of its load record in the trace; UINT64_MAX if there was no room */
  uint64_t start, end;   /* loaded range of the image */
  of_data_image data;    /* for the list of data_images.h, if that has no entry for the range */
  uint64_t unload_count; /* the loader's count of unloads when the image was registered */
  uint32_t is_loaded;    /* atomic */
  bool is_own;           /* this copy of the recorder is linked into that image */
  bool is_own_library;   /* the image with this copy is a library, not the program */
  bool is_program;       /* the image is the program */
} of_registration;

/* A row never moves. A full table is replaced by a larger copy, and stays for threads that are reading it. */
typedef struct of_registration_table {
  uint64_t count;    /* atomic */
  uint64_t capacity;
  of_registration rows[];
} of_registration_table;

OF_EXTERN of_registration_table *of_registrations; /* atomic; NULL before the first one */

/* The number of registrations, and the one with NUMBER, from 0: the oldest first. With the lock held. */
OF_INLINE uint64_t of_registration_count(void) {
  return of_registrations ? of_registrations->count : 0;
}
OF_INLINE of_registration *of_registration_at(uint64_t number) {
  return &of_registrations->rows[number];
}

/* The entry PC that the pc-table states for GUARD, or 0. Any thread, any signal handler, before main. */
OF_INTERNAL uint64_t of_entry_of_guard(const uint32_t *guard);

/* Whether the image NUMBER belongs to this copy and is still loaded. Any thread, any signal handler. */
OF_INTERNAL bool of_is_loaded(uint64_t number);

/* Returns the registration of exactly START..STOP whose image is gone, or the next free one; NULL if there is no
 * memory. From here on, a look-up finds no entry of an image that was at START..STOP before. With the lock held; the
 * table keeps the registration. */
OF_INTERNAL of_registration *of_free_registration(const uint32_t *start, const uint32_t *stop);

/* Makes REGISTRATION, from of_free_registration and now filled in, visible to look-ups. With the lock
 * held. */
OF_INTERNAL void of_publish_registration(const of_registration *registration);

/* Gives REGISTRATION the entries of the pc-table at TABLE. An entry has two words, and the first word is the entry PC.
 * If the image may be gone before this copy of the recorder, the entries are copied, if there is memory. With the lock
 * held. */
OF_INTERNAL void of_provide_entries(of_registration *registration, const uintptr_t *table);

/* The entry PC of GUARD, which is among the guards of REGISTRATION; 0 if REGISTRATION has no entries. */
OF_INLINE uint64_t of_entry_in(const of_registration *registration, const uint32_t *guard) {
  /* acquire: pairs with the release in of_provide_entries */
  const uint64_t *entries = of_load_acquire(&registration->entries);
  if (!entries) return 0;
  uint64_t index = (uint64_t)(guard - registration->guards) << registration->entry_shift;
  return of_strip_signature((const void *)of_load_relaxed(&entries[index])); /* relaxed: a value */
}

/* Whether guards in START..STOP may have been registered before. With the lock held. */
OF_INTERNAL bool of_was_used(const uint32_t *start, const uint32_t *stop);

/* The lock for registrations and for growing the trace. From initializers only: a signal handler could wait for the
 * thread that it interrupts. */
OF_INTERNAL void of_lock_registration(void);
/* Waits for the lock a while. At exit, which a signal handler may call, and in orderfile_write_names. Returns false if
 * another thread, or the interrupted one, keeps the lock. */
OF_INTERNAL bool of_await_registration(void);
/* Takes the lock if nobody has it. Any thread, any signal handler. */
OF_INTERNAL bool of_try_lock_registration(void);
OF_INTERNAL void of_unlock_registration(void);

#endif
