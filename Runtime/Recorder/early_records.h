/* What happens before the trace exists: hits, marks, in their order, in a buffer of this copy's. It moves to the
 * front of the trace. */
#ifndef OF_EARLY_RECORDS_H
#define OF_EARLY_RECORDS_H

#include <stdbool.h>

#include "state.h"

#define OF_EARLY_CAPACITY 4096u

/* COUNT records in a row, the caller's alone until he stores their kinds; NULL if the buffer is closed or full.
 * Nothing is counted. Any thread, any signal handler, before main, before relocation. */
OF_INTERNAL orderfile_record *of_claim_early_records(uint64_t count);

/* Whether anything waits; a guess, as others may come this moment. Any time. */
OF_INTERNAL bool of_has_early_records(void);

/* Closes the buffer, and moves what is in it to the COUNT slots from SLOT of TRACE, which is published
 * already; what does not fit, to further slots. By the initialiser that starts the recording. */
OF_INTERNAL void of_drain_early_records(orderfile_trace_header *trace, uint64_t slot, uint64_t count);

#endif
