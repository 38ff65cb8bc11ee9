/* A forked child's own trace. */
#ifndef OF_TRACE_FORK_H
#define OF_TRACE_FORK_H

#include "state.h"

/* In a forked child, puts a trace of its own in the place of its parent's, or none if the launch is over or no
 * trace can be made. One thread does it; all others return at once.
 *
 * Any thread, any signal handler: it opens, allocates and maps a file by system calls, and takes no lock. */
OF_INTERNAL void of_replace_trace_after_fork(void);

#endif
