/* The end of a launch: the state in the trace, which all copies of the recorder in the process share. The
 * first reason is kept.
 *
 * Any thread, any signal handler, before main. Pointers are not NULL. */
#ifndef OF_LAUNCH_END_H
#define OF_LAUNCH_END_H

#include <stdbool.h>

#include "state.h"

/* Returns whether the stop time of TRACE, which has one, has passed. If so, ends the launch. */
OF_INTERNAL bool of_time_is_up(orderfile_trace_header *trace);

/* Whether TRACE takes no more hits, for any reason. */
OF_INLINE bool of_is_over(orderfile_trace_header *trace) {
  if (of_load_relaxed(&trace->state) != ORDERFILE_STATE_RECORDING) return true; /* relaxed: a flag */
  return trace->stop_time && of_time_is_up(trace);
}

/* Counts in TRACE the losses from the time without a trace. */
OF_INTERNAL void of_pass_on_losses(orderfile_trace_header *trace);

/* Stores the present time as the later calibration pair, and the losses from the time without a trace. */
OF_INTERNAL void of_calibrate(orderfile_trace_header *trace);
/* Does the same as of_calibrate. NOW is the result of of_clock. */
OF_INTERNAL void of_calibrate_at(orderfile_trace_header *trace, uint64_t now);

/* Ends the launch for REASON, an ORDERFILE_STATE_STOPPED_, calibrates, and writes the payload if one is wanted. Does
 * nothing if the launch is over. */
OF_INTERNAL void of_end_launch(orderfile_trace_header *trace, uint32_t reason);

/* Ends the launch if NAME, the SIZE bytes that are kept of a mark's name, is the name of the mark to stop at. */
OF_INTERNAL void of_end_launch_at_mark(orderfile_trace_header *trace, const char *name,
                                       uint64_t size);

#endif
