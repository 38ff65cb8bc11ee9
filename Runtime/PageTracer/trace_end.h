/* The end of a launch before that of the program. */
#ifndef OF_TRACE_END_H
#define OF_TRACE_END_H

#include "gate.h"

#if OF_TRACER_IS_SUPPORTED

/* Says in the trace that the launch is over, and gives back all pages and system calls of this process. Any
 * thread, any signal handler. */
OF_INTERNAL void of_stop_tracing(void);

#endif
#endif
