#include "early_records.h"

#include "launch_end.h"
#include "platform.h"
#include "slots.h"

/* Zero at load. */
static struct {
  uint64_t next; /* atomic; far above the capacity once closed */
  orderfile_record records[OF_EARLY_CAPACITY];
} of_early;

OF_INTERNAL orderfile_record *of_claim_early_records(uint64_t count) {
  /* acquire: whoever finds the buffer closed finds the trace; pairs with the release in
   * of_drain_early_records */
  uint64_t slot = of_fetch_add_acquire(&of_early.next, count);
  if (slot < OF_EARLY_CAPACITY && count <= OF_EARLY_CAPACITY - slot) return &of_early.records[slot];
  for (; slot < OF_EARLY_CAPACITY; slot++) {
    of_early.records[slot].subject = 1;
    of_store_release(&of_early.records[slot].kind, ORDERFILE_RECORD_UNUSED); /* release: as every kind */
  }
  return NULL;
}

OF_INTERNAL bool of_has_early_records(void) {
  return of_load_relaxed(&of_early.next) != 0; /* relaxed: a guess */
}

OF_INTERNAL void of_drain_early_records(orderfile_trace_header *trace, uint64_t slot, uint64_t count) {
  /* release: closes the buffer behind the trace's pointer; whoever finds it closed finds the trace.
   * pairs with the acquire in of_claim_early_records. */
  uint64_t early = of_exchange_release(&of_early.next, (uint64_t)1 << 62);
  if (early > OF_EARLY_CAPACITY) early = OF_EARLY_CAPACITY; /* the others were counted as they came */
  uint64_t used = 0, length;
  int patience = 1000;
  for (uint64_t i = 0; i < early; i += length) {
    orderfile_record *waiting = &of_early.records[i];
    length = 1;
    /* acquire: pairs with the release that every kind is stored with. Its writer is another thread that has to
     * be given the processor; or this one, below a signal handler, and then no patience helps. */
    uint32_t kind = of_load_acquire(&waiting->kind);
    for (; !kind && patience > 0; patience--) {
      of_pause();
      kind = of_load_acquire(&waiting->kind); /* acquire: likewise */
    }
    if (kind == ORDERFILE_RECORD_MARK) length = of_records_for(waiting->payload_size);
    uint64_t target = slot + i;
    if (i + length <= count) used = i + length;
    else target = of_claim_slots(trace, length);
    if (target == UINT64_MAX || !kind) continue; /* lost, or in flight for good: both are counted */
    of_copy_records(&of_records(trace)[target], waiting, length);
    if (kind != ORDERFILE_RECORD_MARK) continue;
    of_end_launch_at_mark(trace, waiting);
    if (of_load_relaxed(&trace->state) != ORDERFILE_STATE_RECORDING) break; /* relaxed: a flag */
  }
  if (used == count) return;
  orderfile_record *rest = &of_records(trace)[slot + used];
  rest->subject = count - used;
  of_store_release(&rest->kind, ORDERFILE_RECORD_UNUSED); /* release: as every kind */
}
