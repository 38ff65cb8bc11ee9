#include "guards.h"

#include "platform.h"

OF_DATA of_registration of_registrations[OF_IMAGES];
OF_DATA uint64_t of_registration_count; /* atomic */

OF_INTERNAL uint64_t of_entry_of_guard(const uint32_t *guard) {
  /* acquire: pairs with the release in of_publish_registration */
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

OF_INTERNAL of_registration *of_free_registration(const uint32_t *start, const uint32_t *stop) {
  uint64_t count = of_load_relaxed(&of_registration_count); /* relaxed: locked */
  for (uint64_t i = count; i-- > 0;) {
    of_registration *registration = &of_registrations[i];
    if (registration->guards >= stop || start >= registration->guards_end) continue;
    if (registration->guards == start && registration->guards_end == stop) return registration;
    break; /* an older one of the same range would be hidden by this one */
  }
  return count < OF_IMAGES ? &of_registrations[count] : NULL;
}

OF_INTERNAL void of_publish_registration(const of_registration *registration) {
  uint64_t count = of_load_relaxed(&of_registration_count); /* relaxed: locked */
  if (registration != &of_registrations[count]) return;
  /* release: publishes the registration; pairs with the acquire in of_entry_of_guard */
  of_store_release(&of_registration_count, count + 1);
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
  /* release: what was done under the lock; pairs with the acquire in of_lock_registration */
  of_store_release(&of_recorder.registering, 0);
}
