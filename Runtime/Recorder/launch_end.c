#include "launch_end.h"

#include <of_bytes.h>

#include "platform.h"

OF_INTERNAL bool of_time_is_up(orderfile_trace_header *trace) {
  if (of_clock() < trace->stop_time) return false;
  of_end_launch(trace, ORDERFILE_STATE_STOPPED_BY_TIME);
  return true;
}

OF_INTERNAL void of_end_launch(orderfile_trace_header *trace, uint32_t reason) {
  uint32_t recording = ORDERFILE_STATE_RECORDING;
  /* relaxed: a flag, which publishes nothing; a hit that misses it is the launch's last */
  of_compare_exchange_relaxed(&trace->state, &recording, reason);
}

OF_INTERNAL void of_end_launch_at_mark(orderfile_trace_header *trace,
                                       const orderfile_record *record) {
  const orderfile_payload *payload = (const orderfile_payload *)(record + 1);
  const uint8_t *wanted = trace->stop_mark;
  if (!wanted[0] || record->payload_size != of_length((const char *)wanted)) return;
  for (uint64_t i = 0; i < record->payload_size; i++)
    if (wanted[i] != payload[i / ORDERFILE_PAYLOAD_BYTES].bytes[i % ORDERFILE_PAYLOAD_BYTES]) return;
  of_end_launch(trace, ORDERFILE_STATE_STOPPED_BY_MARK);
}
