/* The start of a recording. */
#ifndef OF_TRACE_START_H
#define OF_TRACE_START_H

#include "state.h"

/* Decides whether to record, and creates or joins the process's trace, with room for an image with GUARDS guards. The
 * result is in `of_recorder.mode`. Called by the first initializer, with the lock of registrations. */
OF_INTERNAL void of_start_recording(uint64_t guards);

#endif
