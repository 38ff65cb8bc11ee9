#include "early_records.h"

#include "launch_end.h"
#include "platform.h"
#include "slots.h"

#define OF_FIRST_RECORDS 4096ull           /* the first records are in this copy's data */
#define OF_FURTHER_RECORDS (1ull << 20)    /* 40 MiB of address space; memory only for those that are used */
#define OF_EARLY_CAPACITY (OF_FIRST_RECORDS + OF_FURTHER_RECORDS)

/* Zero at load. */
static struct {
  uint64_t next;             /* atomic; far above the capacity once closed */
  orderfile_record *further; /* atomic; NULL until the first ones are used up */
  orderfile_record first[OF_FIRST_RECORDS];
} of_early;

/* The records after the first ones, or NULL if they can't be mapped. Any time. */
OF_LOCAL orderfile_record *of_further_early_records(void) {
  orderfile_record *further = of_load_acquire(&of_early.further); /* acquire: the records are zero, as mapped */
  if (further) return further;
  uint64_t size = OF_FURTHER_RECORDS * sizeof(orderfile_record);
  orderfile_record *mapped = of_map_memory(size);
  if (!mapped) return NULL;
  /* release: pairs with the acquire above; picks one winner among the threads */
  if (of_compare_exchange_release(&of_early.further, &further, mapped)) return mapped;
  of_unmap(mapped, size);
  return of_load_acquire(&of_early.further); /* acquire: the winner's */
}

/* The record at INDEX, which has been claimed; NULL if there is no memory for it. */
OF_LOCAL orderfile_record *of_early_record(uint64_t index) {
  if (index < OF_FIRST_RECORDS) return &of_early.first[index];
  orderfile_record *further = of_load_acquire(&of_early.further); /* acquire: as above */
  return further ? &further[index - OF_FIRST_RECORDS] : NULL;
}

/* Marks the records from FIRST to END as unused. */
OF_LOCAL void of_set_aside(uint64_t first, uint64_t end) {
  for (; first < end; first++) {
    orderfile_record *record = of_early_record(first);
    if (!record) return;
    record->subject = 1;
    of_store_release(&record->kind, ORDERFILE_RECORD_UNUSED); /* release: publishes the record to its readers */
  }
}

OF_INTERNAL orderfile_record *of_claim_early_records(uint64_t count) {
  for (;;) {
    /* acquire: a thread that finds the buffer closed also finds the trace; pairs with the release in
     * of_drain_early_records */
    uint64_t slot = of_fetch_add_acquire(&of_early.next, count);
    if (slot >= OF_EARLY_CAPACITY || count > OF_EARLY_CAPACITY - slot) {
      of_set_aside(slot, OF_EARLY_CAPACITY);
      return NULL;
    }
    if (slot + count <= OF_FIRST_RECORDS) return &of_early.first[slot];
    orderfile_record *further = of_further_early_records();
    if (!further) return NULL;
    if (slot >= OF_FIRST_RECORDS) return &further[slot - OF_FIRST_RECORDS];
    /* The content must follow its head in one piece, but these records are in two pieces of memory. */
    of_set_aside(slot, slot + count);
  }
}

/* Whether the mark in RECORD, which is complete, ends the launch. */
OF_LOCAL bool of_ends_launch(orderfile_trace_header *trace, const orderfile_record *record) {
  OF_RAW char name[ORDERFILE_TRACE_MARK_SIZE];
  const orderfile_content *content = (const orderfile_content *)(record + 1);
  for (uint64_t i = 0; i < record->content_size; i++)
    name[i] = (char)content[i / ORDERFILE_CONTENT_BYTES].bytes[i % ORDERFILE_CONTENT_BYTES];
  of_end_launch_at_mark(trace, name, record->content_size);
  return of_load_relaxed(&trace->state) != ORDERFILE_STATE_RECORDING; /* relaxed: a flag */
}

OF_INTERNAL uint64_t of_early_record_count(void) {
  uint64_t count = of_load_relaxed(&of_early.next); /* relaxed: an estimate */
  return count < OF_EARLY_CAPACITY ? count : OF_EARLY_CAPACITY;
}

OF_INTERNAL void of_drain_early_records(orderfile_trace_header *trace, uint64_t slot, uint64_t count) {
  /* release: closes the buffer after the trace's pointer is set, so that a thread that finds it closed also finds the
   * trace. Pairs with the acquire in of_claim_early_records. */
  uint64_t early = of_exchange_release(&of_early.next, (uint64_t)1 << 62);
  if (early > OF_EARLY_CAPACITY) early = OF_EARLY_CAPACITY; /* the other records were counted as lost */
  if (early > OF_FIRST_RECORDS && !of_further_early_records()) early = OF_FIRST_RECORDS; /* as above */
  uint64_t used = 0, length;
  int patience = 1000;
  for (uint64_t i = 0; i < early; i += length) {
    orderfile_record *waiting = of_early_record(i);
    length = 1;
    /* acquire: pairs with the release that stores every kind. Another thread is still writing the record, and needs the
     * processor. Or this thread is, interrupted by a signal handler that calls this: then no patience helps. */
    uint32_t kind = of_load_acquire(&waiting->kind);
    for (; !kind && patience > 0; patience--) {
      of_pause();
      kind = of_load_acquire(&waiting->kind); /* acquire: as above */
    }
    if (kind == ORDERFILE_RECORD_MARK) length = of_records_for(waiting->content_size);
    uint64_t target = slot + i;
    if (i + length <= count) used = i + length;
    else target = of_claim_slots(trace, length);
    if (target == UINT64_MAX || !kind) continue; /* the record is lost, or was never completed: both are counted */
    of_copy_records(&of_records(trace)[target], waiting, length);
    if (kind == ORDERFILE_RECORD_MARK && of_ends_launch(trace, waiting)) break;
  }
  if (used == count) return;
  orderfile_record *rest = &of_records(trace)[slot + used];
  rest->subject = count - used;
  of_store_release(&rest->kind, ORDERFILE_RECORD_UNUSED); /* release: publishes the record to its readers */
}
