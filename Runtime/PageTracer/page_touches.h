/* Handles touches of watched pages: restores access, and writes a record the first time.
 *
 * Each page of a watched image has a byte: the protection that the program gave the page, and the kinds of access seen
 * so far. These determine what access the page allows. So if two threads touch a page at the same time, it does not
 * matter which of them changes the protection last: at worst the other thread faults again. The thread that sets the
 * bit of a kind writes the record, so there is one record for each page and kind.
 *
 * Any thread, any signal handler. */
#ifndef OF_PAGE_TOUCHES_H
#define OF_PAGE_TOUCHES_H

#include "gate.h"
#include "orderfile_page_trace.h"

#if OF_TRACER_IS_SUPPORTED

enum of_touch_result { OF_NOT_OURS, OF_GIVEN_BACK };

/* Restores ACCESS to the page that contains ADDRESS, if it was withheld. The instruction at COUNTER made the access. */
OF_INTERNAL enum of_touch_result of_touch(uint64_t address, enum orderfile_page_access access,
                                          uint64_t counter);

/* Does the same as of_touch, for all pages of a range of at least one byte that the kernel will use. */
OF_INTERNAL void of_touch_range(uint64_t address, uint64_t size, uint64_t counter);

/* Note that the program has changed the PROTECTION of a range, or has unmapped it. */
OF_INTERNAL void of_note_protection(uint64_t address, uint64_t size, uint32_t protection);
OF_INTERNAL void of_note_unmapping(uint64_t address, uint64_t size);

/* Restores all access to the pages of a range permanently. Later touches of these pages do not count. */
OF_INTERNAL void of_release_range(uint64_t address, uint64_t size);

/* Restores reading and writing permanently, also in images that are loaded later. */
OF_INTERNAL void of_release_data(void);

/* Restores all access permanently. */
OF_INTERNAL void of_release_images(void);

#endif
#endif
