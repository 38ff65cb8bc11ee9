/* What touches of watched pages do: give access back, and write a record the first time.
 *
 * Each page of a watched image has a byte: what protection it has by right, and what kinds of access have
 * been seen. What the page may do follows from it, so it does not matter which of two threads that come to
 * one page at once changes the protection last: at worst the other faults once more. The thread that sets
 * the bit of a kind writes the record, so there is one for each page and kind.
 *
 * Any thread, any signal handler. */
#ifndef OF_PAGE_TOUCHES_H
#define OF_PAGE_TOUCHES_H

#include "gate.h"
#include "orderfile_page_trace.h"

#if OF_TRACER_IS_SUPPORTED

enum of_touch_result { OF_NOT_OURS, OF_GIVEN_BACK };

/* Gives back the page that holds ADDRESS for ACCESS by the instruction at COUNTER, unless it was not withheld. */
OF_INTERNAL enum of_touch_result of_touch(uint64_t address, enum orderfile_page_access access,
                                          uint64_t counter);

/* The same for all pages of a range of at least one byte that the kernel is going to use. */
OF_INTERNAL void of_touch_range(uint64_t address, uint64_t size, uint64_t counter);

/* The program has changed the PROTECTION of a range, or what is mapped there. */
OF_INTERNAL void of_note_protection(uint64_t address, uint64_t size, uint32_t protection);
OF_INTERNAL void of_note_unmapping(uint64_t address, uint64_t size);

/* Gives back everything, for good. */
OF_INTERNAL void of_release_images(void);

#endif
#endif
