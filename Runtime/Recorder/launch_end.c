/* Stages and the end of a launch: marks, stop, exit, and the names that dladdr knows. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>

#include "recorder.h"

OF_RUNTIME void orderfile_rt_mark(const char *name);
OF_RUNTIME void orderfile_rt_stop(void);
OF_RUNTIME void orderfile_rt_write_names(void);

#define OF_MARK_SIZE 255u /* bytes of a mark's name that are kept */

void orderfile_rt_mark(const char *name) {
  orderfile_trace_header *trace = of_current_trace();
  /* relaxed: a flag */
  if (!trace || of_load_relaxed(&trace->state) != ORDERFILE_STATE_RECORDING) return;
  uint64_t size = of_length(name);
  if (size > OF_MARK_SIZE) size = OF_MARK_SIZE;
  of_write_record(trace, ORDERFILE_RECORD_MARK, 0, name, size, NULL, 0);
  of_calibrate(trace);
  if (of_recorder.stop_mark[0] && size == of_length(of_recorder.stop_mark) &&
      of_equal(name, of_recorder.stop_mark, size))
    of_store_relaxed(&trace->state, ORDERFILE_STATE_STOPPED_BY_MARK); /* relaxed: a flag */
}

void orderfile_rt_stop(void) {
  orderfile_trace_header *trace = of_current_trace();
  if (!trace) return;
  of_calibrate(trace);
  uint32_t recording = ORDERFILE_STATE_RECORDING;
  /* relaxed: a flag; the first reason stays */
  of_compare_exchange_relaxed(&trace->state, &recording, ORDERFILE_STATE_STOPPED_BY_CALL);
}

extern int dladdr(const void *, Dl_info *) __attribute__((weak));

void orderfile_rt_write_names(void) {
  orderfile_trace_header *trace = of_current_trace();
  if (!trace || !dladdr) return;
  uint64_t count = of_load_relaxed(&trace->next_record); /* relaxed: those recorded so far */
  of_reserve_records(trace, 4 * count);                  /* a head and three payloads each, say */
  uint64_t capacity = of_load_acquire(&trace->capacity); /* acquire: as in of_claim_slots */
  if (capacity > of_recorder.record_limit) capacity = of_recorder.record_limit;
  for (uint64_t i = 0; i < count && i < capacity; i++) {
    const orderfile_record *record = &of_records(trace)[i];
    /* acquire: pairs with the release in of_fill_function */
    if (of_load_acquire(&record->kind) != ORDERFILE_RECORD_FUNCTION) continue;
    uint64_t address = record->entry ? record->entry : record->return_address - 1;
    Dl_info symbol;
    if (!dladdr((const void *)address, &symbol) || !symbol.dli_sname) continue;
    of_write_record(trace, ORDERFILE_RECORD_NAME, address, symbol.dli_sname,
                    of_length(symbol.dli_sname), NULL, 0);
  }
}

OF_INTERNAL void of_unload_own_image(orderfile_trace_header *trace);

static OF_IMMUNE __attribute__((destructor, used)) void of_finish(void) {
  orderfile_trace_header *trace = of_current_trace();
  if (!trace) return;
  if (of_recorder.writes_names) orderfile_rt_write_names();
  of_unload_own_image(trace);
  of_calibrate(trace);
}
