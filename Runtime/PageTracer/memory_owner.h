/* The owner of this memory: a child of vfork uses its parent's, and its changes stay.
 *
 * Any thread, any signal handler; nothing here waits. */
#ifndef OF_MEMORY_OWNER_H
#define OF_MEMORY_OWNER_H

#include <stdbool.h>

#include "gate.h"

#if OF_TRACER_IS_SUPPORTED

/* Before the first thread, and before of_owns_memory. */
OF_INTERNAL void of_own_memory(void);

/* Whether this process is the one that its memory was made for. Call it also before creating a process: a
 * fork finds out by its first call. */
OF_INTERNAL bool of_owns_memory(void);

#endif
#endif
