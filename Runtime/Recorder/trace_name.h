/* The name of the process's trace. */
#ifndef OF_TRACE_NAME_H
#define OF_TRACE_NAME_H

#include "state.h"

/* Opens the process's trace under the first name that is ours or free; of_location has the template, and gets the path.
 * Returns 1 if another copy of the recorder had created the trace, 0 if it is new, -errno, or OF_NOT_A_TRACE. EXPECTED,
 * *TRACE and *LIMIT are as in of_create_trace. Called by an initializer, or by the one thread of a forked child that
 * sets up. */
OF_INTERNAL int of_open_trace(uint64_t expected, orderfile_trace_header **trace, uint64_t *limit);

#endif
