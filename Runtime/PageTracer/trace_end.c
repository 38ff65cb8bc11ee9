#include "trace_end.h"

#if OF_TRACER_IS_SUPPORTED
#include <of_atomics.h>

#include "page_records.h"
#include "page_touches.h"

void of_stop_tracing(void) {
  of_store_relaxed(&of_page_trace->stopped, 1); /* relaxed: another thread may add one more record */
  of_gate_selector = OF_GATE_PASS;
  of_release_images();
}
#endif
