/* Records of what happens in the launch: hits and marks. */
#ifndef OF_RECORDER_H
#define OF_RECORDER_H

#include "state.h"

/* COUNT records in a row, the caller's alone until he stores their kinds: in the trace, or in the early buffer
 * while there is no trace. NULL if the launch is over, nobody listens, or there is no room; that loss is
 * counted. Any thread, any signal handler, before main, before relocation. */
OF_INTERNAL orderfile_record *of_claim_records(uint64_t count);

#endif
