/* The memory of ioctl(2). */
#ifndef OF_SYSTEM_CALL_IOCTL_H
#define OF_SYSTEM_CALL_IOCTL_H

#include <of_attributes.h>

#include "system_call_access.h"

/* Reports the memory of REQUEST with the argument ADDRESS. Returns false if REQUEST is not listed. */
OF_INTERNAL bool of_use_ioctl(uint64_t request, uint64_t address,
                              const struct orderfile_call_memory *memory);

#endif
