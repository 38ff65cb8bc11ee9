/* From a guard to the function that it is of: the ranges of guards that this copy of the recorder serves, each
 * with a copy of its pc-table, because the image that the table lies in may be gone.
 *
 * The table grows and changes under the lock of registrations alone; looking up takes no lock. */
#ifndef OF_GUARDS_H
#define OF_GUARDS_H

#include <stdbool.h>

#include "state.h"

/* A guard's value. The zero that the loader provides means "not seen yet", so code that runs before
 * any initialiser is recorded too. */
enum { OF_UNSEEN = 0, OF_SEEN = 1 };

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

extern OF_DATA of_registration of_registrations[OF_IMAGES];
extern OF_DATA uint64_t of_registration_count; /* atomic */

/* The entry PC that the pc-table states for GUARD, or 0. Any thread, any signal handler, before main. */
OF_INTERNAL uint64_t of_entry_of_guard(const uint32_t *guard);

/* Whether the image NUMBER is one of this copy's and still loaded. Any thread, any signal handler. */
OF_INTERNAL bool of_is_loaded(uint64_t number);

/* The registration of the very range START..STOP whose image is gone, or the one that will be the next; NULL
 * if there is no room. With the lock held; the table keeps it. */
OF_INTERNAL of_registration *of_free_registration(const uint32_t *start, const uint32_t *stop);

/* Makes REGISTRATION, which of_free_registration gave and which is filled in by now, one that is looked up.
 * With the lock held. */
OF_INTERNAL void of_publish_registration(const of_registration *registration);

/* One registration at a time, and one growth of the trace. From initialisers, at exit and by
 * orderfile_write_names; never in a signal handler, which could wait for the thread that it interrupts. */
OF_INTERNAL void of_lock_registration(void);
OF_INTERNAL void of_unlock_registration(void);

#endif
