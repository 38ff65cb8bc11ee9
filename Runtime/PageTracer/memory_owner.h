/* The process that owns this memory: a child of vfork uses its parent's memory, and its changes stay.
 *
 * Any thread, any signal handler; nothing here waits. */
#ifndef OF_MEMORY_OWNER_H
#define OF_MEMORY_OWNER_H

#include <stdbool.h>

#include "gate.h"

#if OF_TRACER_IS_SUPPORTED

/* Call this before the first thread begins, and before of_owns_memory. */
OF_INTERNAL void of_own_memory(void);

/* Whether this process owns its memory. After a fork, the first process that asks becomes the owner, so call this also
 * before creating a process. */
OF_INTERNAL bool of_owns_memory(void);

#endif
#endif
