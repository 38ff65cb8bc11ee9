/* Hits and marks from the time before the trace exists, in order, in a buffer of this copy. It is moved to
 * the front of the trace. */
#ifndef OF_EARLY_RECORDS_H
#define OF_EARLY_RECORDS_H

#include <stdbool.h>

#include "state.h"

#define OF_EARLY_CAPACITY 4096u

/* Claims COUNT consecutive records; they belong to the caller until their kinds are stored. NULL if the
 * buffer is closed or full. Nothing is counted. Any thread, any signal handler, before main, before
 * relocation. */
OF_INTERNAL orderfile_record *of_claim_early_records(uint64_t count);

/* Whether anything is in the buffer; a guess, because more may arrive at any moment. Any time. */
OF_INTERNAL bool of_has_early_records(void);

/* Closes the buffer, and moves its contents to the COUNT slots from SLOT of TRACE, which is already
 * published; what does not fit goes to further slots. By the initializer that starts the recording. */
OF_INTERNAL void of_drain_early_records(orderfile_trace_header *trace, uint64_t slot, uint64_t count);

#endif
