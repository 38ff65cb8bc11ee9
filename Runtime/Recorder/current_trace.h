/* The trace that this process writes to; a forked child has to create one first. */
#ifndef OF_CURRENT_TRACE_H
#define OF_CURRENT_TRACE_H

#include "state.h"

/* The trace to write to, or NULL; also NULL in a forked child that has no trace yet. Any thread, any signal handler,
 * before main, before relocation. */
OF_INTERNAL orderfile_trace_header *of_own_trace(void);

/* The trace to write to, or NULL; creates a forked child's own trace first. Any thread, any signal handler, before
 * main, before relocation. */
OF_INTERNAL orderfile_trace_header *of_current_trace(void);

#endif
