/* The buffer of this copy of the recorder for hits and marks from the time before the trace exists, in order. The
 * contents are moved to the front of the trace.
 *
 * On ELF such records are few. On Mach-O the compiler's constructors come after every +load and among the program's own
 * constructors, so much of a launch can be over by then. The first records are in this copy's data, and further ones in
 * memory that is mapped when the first ones are used up. */
#ifndef OF_EARLY_RECORDS_H
#define OF_EARLY_RECORDS_H

#include "state.h"

/* Claims COUNT consecutive records; they belong to the caller until their kinds are stored. NULL if the
 * buffer is closed or full. Nothing is counted. Any thread, any signal handler, before main, before
 * relocation. */
OF_INTERNAL orderfile_record *of_claim_early_records(uint64_t count);

/* The number of records in the buffer; more may arrive at any moment. Any time. */
OF_INTERNAL uint64_t of_early_record_count(void);

/* Closes the buffer, and moves its contents to the COUNT slots from SLOT of TRACE, which is already published. What
 * does not fit goes to further slots. Called by the initializer that starts the recording. */
OF_INTERNAL void of_drain_early_records(orderfile_trace_header *trace, uint64_t slot, uint64_t count);

#endif
