#include "launch_end.h"

#include <of_bytes.h>

#include "payload_file.h"
#include "platform.h"

OF_INTERNAL void of_pass_on_losses(orderfile_trace_header *trace) {
  uint64_t lost = of_exchange_relaxed(&of_recorder.lost_records, 0); /* relaxed: a count */
  if (lost) of_fetch_add_relaxed(&trace->lost_records, lost);        /* relaxed: a count */
  lost = of_exchange_relaxed(&of_recorder.lost_marks, 0);            /* relaxed: a count */
  if (lost) of_fetch_add_relaxed(&trace->lost_marks, lost);          /* relaxed: a count */
}

OF_INTERNAL void of_calibrate_at(orderfile_trace_header *trace, uint64_t now) {
  of_store_relaxed(&trace->last_pair.ticks, of_ticks()); /* relaxed: about now is good enough */
  of_store_relaxed(&trace->last_pair.nanoseconds, now);  /* relaxed: as above */
  of_pass_on_losses(trace);
}

OF_INTERNAL void of_calibrate(orderfile_trace_header *trace) { of_calibrate_at(trace, of_clock()); }

OF_INTERNAL bool of_time_is_up(orderfile_trace_header *trace) {
  if (of_clock() < trace->stop_time) return false;
  of_end_launch(trace, ORDERFILE_STATE_STOPPED_BY_TIME);
  return true;
}

OF_INTERNAL void of_end_launch(orderfile_trace_header *trace, uint32_t reason) {
  if (of_load_relaxed(&trace->state) != ORDERFILE_STATE_RECORDING) return; /* relaxed: a flag */
  of_calibrate(trace);
  uint32_t recording = ORDERFILE_STATE_RECORDING;
  /* relaxed: a flag, which publishes nothing; a hit that misses it is the launch's last */
  if (of_compare_exchange_relaxed(&trace->state, &recording, reason)) of_write_payload(trace);
}

OF_INTERNAL void of_end_launch_at_mark(orderfile_trace_header *trace, const char *name,
                                       uint64_t size) {
  const char *wanted = (const char *)trace->stop_mark;
  if (wanted[0] && size == of_length(wanted) && of_equal(name, wanted, size))
    of_end_launch(trace, ORDERFILE_STATE_STOPPED_BY_MARK);
}
