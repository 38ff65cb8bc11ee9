/* A forked child's own trace. */
#ifndef OF_TRACE_FORK_H
#define OF_TRACE_FORK_H

#include "state.h"

/* In a forked child, replaces the parent's trace by the child's own, or by none if the launch is over or no trace can
 * be created. One thread does this; others wait for it, for a few tenths of a second at most.
 *
 * Any thread, any signal handler: it opens, allocates and maps a file by system calls, and takes no lock. */
OF_INTERNAL void of_replace_trace_after_fork(void);

#endif
