/* A forked child continues with its own trace.
 *
 * On its next first hit the child finds that the kernel has wiped the page of `ownership`, whatever call has made the
 * child. The child creates its own file, copies the load records of its own images (the parent may have loaded others
 * since), and continues there. The parent's mapping stays: a signal handler may have forked during a hit, whose last
 * stores still need a target.
 */
#include "trace_fork.h"

#include <errno.h>
#include <of_bytes.h>
#include <stddef.h>

#include "complaint.h"
#include "guards.h"
#include "launch_end.h"
#include "mapped_files.h"
#include "platform.h"
#include "slots.h"
#include "trace_file.h"
#include "trace_location.h"
#include "trace_name.h"
#include "trace_path.h"

/* Copies the load records of this copy's images, with their contents, to TO. LIMIT slots of FROM are mapped. */
OF_LOCAL void of_inherit_images(orderfile_trace_header *from, uint64_t limit,
                                orderfile_trace_header *to) {
  uint64_t count = of_used_slots(from, limit); /* the parent may go on, with records that are not ours */
  for (uint64_t i = 0; i < count; i++) {
    orderfile_record *record = &of_records(from)[i];
    uint32_t kind = of_load_acquire(&record->kind); /* acquire: pairs with of_fill_record */
    if (kind != ORDERFILE_RECORD_LOAD || !of_is_loaded(record->subject)) continue;
    uint64_t length = of_records_for(record->content_size);
    if (length > count - i) return;
    uint64_t slot = of_claim_slots(to, length);
    if (slot == UINT64_MAX) return;
    orderfile_record *copy = &of_records(to)[slot];
    of_copy_records(copy + 1, record + 1, length - 1);
    of_copy(copy, record, offsetof(orderfile_record, kind));
    copy->entry = 0; /* the slot of a hit in the parent's trace */
    of_store_release(&copy->kind, kind); /* release: publishes the fields and the content */
  }
}

/* Opens the child's trace, as of_open_trace does. If the requested folder is gone, opens it beside the parent's trace,
 * which may have been moved since. If the parent has ended, opens it where `orderfile record` has put the parent's
 * trace. */
OF_LOCAL int of_open_childs_trace(const orderfile_trace_header *parents, uint64_t expected,
                                  orderfile_trace_header **trace, uint64_t *limit) {
  int result = of_open_trace(expected, trace, limit);
  if (result != -ENOENT) return result;
  const char *told = (const char *)parents->path_template;
  if (of_present_path(parents, of_location.path)) {
    if (!of_escape_path(of_location.path, of_location.template_path)) return -ENAMETOOLONG;
  } else if (*told) {
    of_copy(of_location.template_path, told, of_length(told) + 1);
  }
  return of_open_trace(expected, trace, limit);
}

/* The thread that sets up; atomic. */
static uint32_t of_setting_up_thread;

/* Waits for the thread that sets up, as long as CLAIM is MINE; otherwise the hits of this thread would be lost. A
 * signal handler does not wait for the thread that it has interrupted. The wait has a limit, because the thread that
 * sets up may be interrupted by a signal handler that waits for this thread. */
OF_LOCAL void of_wait_for_trace(const uint32_t *claim, uint32_t mine) {
  uint32_t self = of_thread_number();
  for (int patience = OF_PATIENCE; patience > 0; patience--) {
    /* acquire: pairs with the releases at the end of of_replace_trace_after_fork */
    if (of_load_acquire(claim) != mine || of_load_relaxed(&of_setting_up_thread) == self) return; /* relaxed: a number */
    of_pause();
  }
}

OF_INTERNAL void of_replace_trace_after_fork(void) {
  /* Selects the one thread of the child that sets up. Without the page, a claim with another process's
   * number was made by a thread of the parent, and copied. */
  uint32_t *claim = of_recorder.ownership ? of_recorder.ownership : &of_recorder.setting_up;
  uint32_t mine = of_recorder.ownership ? OF_SETTING_UP : of_process_number();
  uint32_t found = of_recorder.ownership ? OF_FORKED : of_load_relaxed(claim); /* relaxed: the exchange decides */
  if (found == mine || !of_compare_exchange_relaxed(claim, &found, mine)) { /* relaxed: picks one thread */
    of_wait_for_trace(claim, mine);
    return;
  }
  of_remember_thread();
  of_store_relaxed(&of_setting_up_thread, of_thread_number()); /* relaxed: a number */

  if (!of_recorder.ownership && of_load_acquire(&of_recorder.owner) == mine) { /* acquire: as above */
    of_store_release(claim, 0); /* release: as below. Another thread finished between our two looks. */
    return;
  }
  orderfile_trace_header *parents = of_recorder.trace;
  orderfile_trace_header *trace = NULL;
  uint64_t parents_limit = of_recorder.record_limit, limit = 0;
  of_location.parent = of_location.self.pid;
  of_identify_self();
  of_store_relaxed(&of_recorder.lost_records, 0); /* relaxed: these fields are the parent's */
  bool is_stopped = of_is_over(parents);
  int result = OF_NOT_ASKED;
  /* The parent's reservation covers the images that the child has, too, and their load records. */
  uint64_t demand = of_load_relaxed(&parents->demand); /* relaxed: a sum */
  demand = demand > OF_SPARE_RECORDS ? demand - OF_SPARE_RECORDS : 0;
  if (!is_stopped) result = of_open_childs_trace(parents, demand, &trace, &limit);
  if (result < 0) {
    if (!is_stopped) of_complain("record to", of_location.path, result, OF_UNRECORDED);
    of_store_relaxed(&of_recorder.mode, OF_SILENT); /* relaxed: published with the pointer */
    trace = NULL;
  } else {
    of_recorder.record_limit = limit;
    if (result == 0) {
      trace->stop_time = parents->stop_time;
      of_copy(trace->stop_mark, parents->stop_mark, sizeof trace->stop_mark);
      /* relaxed: only another copy of this process could have it mapped by now */
      of_store_relaxed(&trace->next_image, of_load_relaxed(&parents->next_image));
      of_store_relaxed(&trace->touch_slots, of_load_relaxed(&parents->touch_slots)); /* relaxed: as above */
      of_reserve_records(trace, demand);
    }
    of_inherit_images(parents, parents_limit, trace);
  }
  of_store_release(&of_recorder.trace, trace);       /* release: pairs with of_own_trace */
  of_store_release(&of_recorder.owner, of_location.self.pid); /* release: pairs with of_owns_trace */
  if (of_recorder.ownership)
    of_store_release(of_recorder.ownership, OF_OWNED); /* release: as above */
  else
    of_store_release(&of_recorder.setting_up, 0); /* release: a child of ours needs it */
  if (trace) of_pass_on_losses(trace);
}
