/* The start of a recording. */
#ifndef OF_TRACE_START_H
#define OF_TRACE_START_H

#include "state.h"

/* Decides whether to record, and makes or joins the process's trace, with room for an image of so many GUARDS.
 * `of_recorder.mode` says what came of it. By the first initialiser, with the lock of registrations. */
OF_INTERNAL void of_start_recording(uint64_t guards);

#endif
