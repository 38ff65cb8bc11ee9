/* The end of a launch before the end of the program. */
#ifndef OF_TRACE_END_H
#define OF_TRACE_END_H

#include "gate.h"

#if OF_TRACER_IS_SUPPORTED

/* Marks the launch as over in the trace, and restores all pages and system calls of this process. Any
 * thread, any signal handler. */
OF_INTERNAL void of_stop_tracing(void);

/* Stops tracing at the mark. If the command has asked for a stop, this process stops with all its threads, until the
 * command has read its memory. Only the first process that reaches the mark stops. Any thread. */
OF_INTERNAL void of_stop_at_mark(void);

#endif
#endif
