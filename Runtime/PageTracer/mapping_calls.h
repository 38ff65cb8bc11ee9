/* Makes the calls that change mappings of watched images. */
#ifndef OF_MAPPING_CALLS_H
#define OF_MAPPING_CALLS_H

#include "gate.h"

#if OF_TRACER_IS_SUPPORTED

/* Makes the call NUMBER with ARGUMENTS if it may map, replace, move or protect an image, and stores its result. Returns
 * false if the kernel is to make the call. */
OF_INTERNAL bool of_make_mapping_call(long number, const uint64_t *arguments, int64_t *result);

/* Whether a call of mmap(2) with ARGUMENTS replaces the mappings at its address. */
OF_INTERNAL bool of_replaces(const uint64_t *arguments);
/* Whether a call of mremap(2) with ARGUMENTS names the new address (MREMAP_FIXED). */
OF_INTERNAL bool of_moves_to(const uint64_t *arguments);

#endif
#endif
