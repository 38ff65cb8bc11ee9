#define _GNU_SOURCE /* dladdr */
#include "stages.h"

#include <dlfcn.h>
#include <of_bytes.h>

#include "current_trace.h"
#include "guards.h"
#include "image_table.h"
#include "launch_end.h"
#include "platform.h"
#include "recorder.h"
#include "slots.h"
#include "trace_file.h"

#define OF_MARK_SIZE 255u /* bytes of a mark's name that are kept */

void orderfile_rt_mark(const char *name) {
  uint64_t size = of_length(name);
  if (size > OF_MARK_SIZE) size = OF_MARK_SIZE;
  orderfile_record *record = of_claim_records(of_records_for(size));
  if (record) of_fill_record(record, ORDERFILE_RECORD_MARK, 0, 0, name, size, NULL, 0);
  orderfile_trace_header *trace = of_own_trace();
  if (!trace) return;
  of_calibrate(trace);
  if (record) of_end_launch_at_mark(trace, record);
}
OF_ONE_IN_AN_IMAGE(orderfile_rt_mark);

void orderfile_rt_stop(void) {
  of_store_relaxed(&of_recorder.is_stopped, 1); /* relaxed: a flag; for a trace that is yet to come */
  orderfile_trace_header *trace = of_current_trace();
  if (!trace) return;
  of_calibrate(trace);
  of_end_launch(trace, ORDERFILE_STATE_STOPPED_BY_CALL);
}
OF_ONE_IN_AN_IMAGE(orderfile_rt_stop);

extern int dladdr(const void *, Dl_info *) __attribute__((weak));

/* The name of the function in RECORD, or NULL, with the address that it was asked for. */
OF_LOCAL const char *of_name_of(const orderfile_record *record, uint64_t *address) {
  /* acquire: pairs with the release in of_fill_function */
  if (of_load_acquire(&record->kind) != ORDERFILE_RECORD_FUNCTION) return NULL;
  *address = record->entry ? record->entry : record->return_address - 1;
  OF_RAW Dl_info symbol;
  return dladdr((const void *)*address, &symbol) ? symbol.dli_sname : NULL;
}

void orderfile_rt_write_names(void) {
  orderfile_trace_header *trace = of_current_trace();
  if (!trace || !dladdr) return;
  uint64_t count = of_used_slots(trace, of_recorder.record_limit); /* those recorded so far */
  uint64_t wanted = 0, address;
  for (uint64_t i = 0; i < count; i++) {
    const char *name = of_name_of(&of_records(trace)[i], &address);
    if (name) wanted += of_records_for(of_length(name));
  }
  /* Only one thread grows the trace at a time. dladdr is not called under the lock: it takes the loader's,
   * and a thread in dlopen takes the two in the opposite order. */
  of_lock_registration();
  of_reserve_records(trace, wanted);
  of_unlock_registration();
  for (uint64_t i = 0; i < count; i++) {
    const char *name = of_name_of(&of_records(trace)[i], &address);
    if (!name) continue;
    uint64_t size = of_length(name), slot = of_claim_slots(trace, of_records_for(size));
    if (slot == UINT64_MAX) break;
    of_fill_record(&of_records(trace)[slot], ORDERFILE_RECORD_NAME, address, 0, name, size, NULL, 0);
  }
}
OF_ONE_IN_AN_IMAGE(orderfile_rt_write_names);

OF_INTERNAL void of_finish(void) {
  orderfile_trace_header *trace = of_own_trace();
  if (!trace) return;
  if (of_recorder.writes_names) orderfile_rt_write_names();
  of_unload_own_image(trace);
  of_calibrate(trace);
}
