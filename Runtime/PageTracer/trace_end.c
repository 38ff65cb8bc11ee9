#include "trace_end.h"

#if OF_TRACER_IS_SUPPORTED
#include <of_atomics.h>
#include <signal.h>
#include <sys/syscall.h>

#include "page_records.h"
#include "page_touches.h"

void of_stop_tracing(void) {
  /* relaxed: another thread may add one more record */
  of_store_relaxed(&of_page_trace->stopped, 1);
  of_gate_selector = OF_GATE_PASS;
  of_release_images();
}

void of_stop_at_mark(void) {
  uint32_t pid = (uint32_t)OF_CALL_0(SYS_getpid), nobody = 0;
  /* relaxed: the release below publishes it */
  bool stops = of_page_trace->stops_process &&
               of_compare_exchange_relaxed(&of_page_trace->stopped_process, &nobody, pid);
  /* release: pairs with the acquire in cpages_was_stopped, after which the command reads who stops */
  if (stops) of_store_release(&of_page_trace->stopped, 1);
  of_stop_tracing();
  if (!stops) return;
  OF_CALL_2(SYS_kill, pid, SIGSTOP);
  /* relaxed: a flag. The command also sees it if the signal was refused. */
  of_store_relaxed(&of_page_trace->stopped_process, UINT32_MAX);
}
#endif
