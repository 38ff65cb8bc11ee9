#define _GNU_SOURCE /* dladdr */
#include "stages.h"

#include <dlfcn.h>
#include <of_bytes.h>

#include "current_trace.h"
#include "guards.h"
#include "image_table.h"
#include "launch_end.h"
#include "payload.h"
#include "payload_file.h"
#include "platform.h"
#include "recorder.h"
#include "slots.h"
#include "trace_file.h"

/* Claims COUNT records for a mark; NULL if of_claim_records returns NULL, or if the marks have used up their share. */
OF_LOCAL orderfile_record *of_claim_mark(uint64_t count) {
  orderfile_trace_header *trace = of_current_trace();
  if (trace && of_is_over(trace)) return NULL;
  uint64_t *used = trace ? &trace->mark_slots : &of_recorder.early_mark_slots;
  if (of_fetch_add_relaxed(used, count) + count <= OF_MARK_SLOTS) /* relaxed: a count */
    return of_claim_records(count);
  of_fetch_add_relaxed(trace ? &trace->lost_marks : &of_recorder.lost_marks, 1); /* relaxed: a count */
  return NULL;
}

void orderfile_rt_mark(const char *name) {
  uint64_t size = of_length(name);
  if (size > ORDERFILE_TRACE_MARK_SIZE - 1) size = ORDERFILE_TRACE_MARK_SIZE - 1;
  orderfile_record *record = of_claim_mark(of_records_for(size));
  if (record) of_fill_record(record, ORDERFILE_RECORD_MARK, 0, 0, name, size, NULL, 0);
  orderfile_trace_header *trace = of_own_trace();
  if (!trace || of_is_over(trace)) return;
  of_calibrate(trace);
  of_end_launch_at_mark(trace, name, size);
}
OF_ONE_IN_AN_IMAGE(orderfile_rt_mark);

void orderfile_rt_stop(void) {
  of_store_relaxed(&of_recorder.is_stopped, 1); /* relaxed: a flag; for a trace that is yet to come */
  orderfile_trace_header *trace = of_current_trace();
  if (trace) of_end_launch(trace, ORDERFILE_STATE_STOPPED_BY_CALL);
}
OF_ONE_IN_AN_IMAGE(orderfile_rt_stop);

unsigned long orderfile_rt_write_payload(void *buffer, unsigned long size, unsigned long token) {
  orderfile_trace_header *trace = of_own_trace();
  return trace ? of_make_payload(trace, token, buffer, size) : 0;
}
OF_ONE_IN_AN_IMAGE(orderfile_rt_write_payload);

extern int dladdr(const void *, Dl_info *) __attribute__((weak));

/* Returns the name of the function in RECORD, or NULL, and stores the address whose name was looked up. */
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
  uint64_t count = of_used_slots(trace, of_recorder.record_limit); /* the slots used so far */
  uint64_t wanted = 0, address;
  for (uint64_t i = 0; i < count; i++) {
    const char *name = of_name_of(&of_records(trace)[i], &address);
    if (name) wanted += of_records_for(of_length(name));
  }
  /* Only one thread grows the trace at a time. dladdr is not called under the lock: it takes the loader's lock, and a
   * thread in dlopen takes the two locks in the opposite order. */
  if (!of_await_registration()) return;
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
  of_write_payload(trace); /* unless that was done when the launch ended */
  of_unload_own_image(trace);
  /* By now the program may have forbidden itself all system calls except exit. */
  if (of_load_relaxed(&trace->state) == ORDERFILE_STATE_RECORDING) /* relaxed: a flag */
    of_calibrate_at(trace, of_clock_at_exit());
}
