/* Records of events in the launch: hits and marks. */
#ifndef OF_RECORDER_H
#define OF_RECORDER_H

#include "state.h"

/* Claims COUNT consecutive records, which belong to the caller until their kinds are stored: in the trace,
 * or in the early buffer while there is no trace. NULL if the launch is over, nothing is recorded, or
 * there is no room, which is counted as a loss. Any thread, any signal handler, before main, before
 * relocation. */
OF_INTERNAL orderfile_record *of_claim_records(uint64_t count);

#endif
