/* The state of a page of a watched image, in one byte. It determines what access the page allows.
 *
 * Any thread, any signal handler: these functions keep no state. */
#ifndef OF_PAGE_STATES_H
#define OF_PAGE_STATES_H

#include <of_attributes.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

#include "orderfile_page_trace.h"

enum {
  OF_BY_RIGHT = PROT_READ | PROT_WRITE | PROT_EXEC, /* the protection that the program gave the page */
  OF_WATCHED = 8,
  OF_SEEN_READ = 16,
  OF_SEEN_WRITE = 32,
  OF_SEEN_EXECUTE = 64,
  OF_SEEN = OF_SEEN_READ | OF_SEEN_WRITE | OF_SEEN_EXECUTE,
};
_Static_assert(OF_BY_RIGHT < OF_WATCHED, "protection and the rest share a byte");

/* The access that a page in STATE allows now, PROT_ of mmap(2). HAS_BEGUN: an instruction of its image has
 * run. */
OF_INTERNAL uint32_t of_allowed(uint8_t state, bool has_begun);

/* The protection that the program must have given a page for us to restore ACCESS. */
OF_INTERNAL uint8_t of_right_for(enum orderfile_page_access access);

/* The bits that ACCESS adds to the state. */
OF_INTERNAL uint8_t of_seen_by(enum orderfile_page_access access);

#endif
