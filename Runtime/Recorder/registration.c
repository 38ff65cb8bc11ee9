/* Registers the guards of an image, then its pc-table. The compiler's constructors call these functions once for each
 * image, or for each of its object files. The loader runs constructors one at a time, but a program may call the
 * functions itself. */
#include "current_trace.h"
#include "data_images.h"
#include "guards.h"
#include "image_table.h"
#include "launch_end.h"
#include "payload_file.h"
#include "platform.h"
#include "stages.h"
#include "trace_file.h"
#include "trace_start.h"

OF_RUNTIME void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop);
OF_RUNTIME void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop);

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
  if (start >= stop) return;
  of_lock_registration();
  uint64_t guards = (uint64_t)(stop - start);
  if (of_load_relaxed(&of_recorder.mode) == OF_UNDECIDED) { /* relaxed: locked */
    of_start_recording(guards);
    if (of_load_relaxed(&of_recorder.mode) == OF_RECORDING) of_watch_exit(of_finish); /* relaxed: ours */
  }
  orderfile_trace_header *trace = of_current_trace();
  /* relaxed: a flag. In a child another thread may be making the trace this very moment. */
  while (!trace && of_load_relaxed(&of_recorder.mode) == OF_RECORDING) {
    of_pause();
    trace = of_current_trace();
  }
  if (trace) {
    if (!of_is_registered(trace, start, stop)) of_add_registration(trace, start, stop);
    if (!of_is_over(trace)) of_calibrate(trace);
  } else if (of_load_relaxed(start) == OF_UNSEEN || of_load_relaxed(stop - 1) == OF_UNSEEN) {
    /* Nothing is recorded. This makes every call as cheap as a call of a seen function. It is done once, not for each
     * object file of a Mach-O image, whose constructors all have the same range. */
    of_ignore_data();
    for (uint32_t *guard = start; guard < stop; guard++)
      of_store_relaxed(guard, OF_SEEN); /* relaxed: a flag */
  }
  of_unlock_registration();
}
OF_ONE_IN_AN_IMAGE(__sanitizer_cov_trace_pc_guard_init);

/* The table is in the image whose guards were registered just before, and is parallel to them. */
void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop) {
  if (start >= stop) return;
  of_lock_registration();
  orderfile_trace_header *trace = of_current_trace();
  uint64_t count = of_registration_count();
  while (trace && count-- > 0) {
    of_registration *registration = of_registration_at(count);
    bool is_ours = of_load_relaxed(&registration->is_loaded) && /* relaxed: locked */
                   (uint64_t)start >= registration->start && (uint64_t)stop <= registration->end &&
                   (stop - start) / 2 == registration->guards_end - registration->guards;
    if (!is_ours) continue;
    if (of_load_relaxed(&registration->entries)) break; /* relaxed: locked */
    of_provide_entries(registration, start);
    if (of_load_relaxed(&registration->entries)) of_complete_early_hits(trace, registration); /* relaxed: ours */
    break;
  }
  of_unlock_registration();
  /* If the launch ended meanwhile, its payload could not be made. */
  if (trace && of_is_over(trace)) of_write_payload(trace);
}
OF_ONE_IN_AN_IMAGE(__sanitizer_cov_pcs_init);
