#include "current_trace.h"

#include "platform.h"
#include "trace_fork.h"

/* Whether the trace is this process's own: false in a forked child that has not made one. */
OF_LOCAL bool of_owns_trace(void) {
  /* acquire: the child's trace; pairs with the release in of_replace_trace_after_fork */
  if (of_recorder.ownership) return of_load_acquire(of_recorder.ownership) == OF_OWNED;
  uint32_t owner = of_load_acquire(&of_recorder.owner); /* acquire: as above */
  return owner == of_process_number() || of_shares_memory(owner);
}

OF_INTERNAL orderfile_trace_header *of_own_trace(void) {
  /* acquire: the header and the rest of the state are filled in before the pointer is set; pairs with the
   * releases in of_start_recording and of_replace_trace_after_fork */
  if (!of_load_acquire(&of_recorder.trace) || !of_owns_trace()) return NULL;
  return of_load_acquire(&of_recorder.trace); /* acquire: the load above may have found the parent's trace */
}

OF_INTERNAL orderfile_trace_header *of_current_trace(void) {
  orderfile_trace_header *trace = of_own_trace();
  /* acquire: as above. It is NULL, the parent's, or the trace that another thread has just started. */
  if (trace || !of_load_acquire(&of_recorder.trace)) return trace;
  /* From here, a first hit reaches the files that create traces: none of our code runs when a process
   * forks, so a child's first hit is the first to notice. */
  of_replace_trace_after_fork();
  return of_own_trace(); /* NULL if another thread of the child is creating the trace, or could not */
}
