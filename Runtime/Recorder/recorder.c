/* The hot path: what runs on a hit, and nothing else.
 *
 * A seen call is a load, a compare and a return. A first hit exchanges the guard, claims a slot and
 * fills it: two atomic read-modify-writes, no lock, no allocation, no libc call, no thread-local
 * storage, no pointer that a relocation would have to set. So it is safe on any thread, in signal
 * handlers, in ifunc resolvers, in .preinit_array and in constructors of any priority, in a static
 * executable before its start-up code has run, and in a forked child.
 *
 * Before the first initialiser of an image there is no file. Such hits go to a static buffer, which
 * trace_start.c copies to the front of the trace.
 */
#include "recorder.h"

#if defined(__has_include)
#if __has_include(<sanitizer/coverage_interface.h>)
#include <sanitizer/coverage_interface.h> /* checks our signatures against the compiler's */
#endif
#endif

OF_DATA of_recorder_state of_recorder;
OF_DATA of_early_records of_early;

OF_RUNTIME void __sanitizer_cov_trace_pc_guard(uint32_t *guard);
OF_LOCAL void of_first_hit(uint32_t *guard, const void *return_address);

/* Called at the entry of each instrumented function. The return address is taken here and handed on:
 * a compiler that splits cold code off would otherwise answer with an address inside this function. */
void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
  if (of_load_relaxed(guard) != OF_UNSEEN) return; /* relaxed: a stale "unseen" costs the exchange */
  of_first_hit(guard, __builtin_return_address(0));
}

OF_INLINE void of_fill_function(orderfile_record *record, const uint32_t *guard,
                                uint64_t return_address) {
  record->subject = (uint64_t)guard; /* plain stores: the slot is ours alone until kind is set */
  record->return_address = return_address;
  record->entry = of_entry_of_guard(guard);
  record->ticks = of_ticks();
  record->thread = of_thread_number();
  /* release: publishes the fields; pairs with the acquire of whoever reads a kind */
  of_store_release(&record->kind, ORDERFILE_RECORD_FUNCTION);
}

static void of_first_hit(uint32_t *guard, const void *pointer) {
  /* relaxed: picks one winner among the threads and publishes nothing */
  if (of_exchange_relaxed(guard, OF_SEEN) != OF_UNSEEN) return;
  orderfile_record *record = of_claim_records(1);
  if (record) of_fill_function(record, guard, of_strip_signature(pointer));
}

/* COUNT records of the early buffer; NULL if it is closed or full. */
OF_LOCAL orderfile_record *of_claim_early_records(uint64_t count) {
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

OF_INTERNAL orderfile_record *of_claim_records(uint64_t count) {
  orderfile_trace_header *trace = of_current_trace();
  if (!trace) {
    if (of_load_relaxed(&of_recorder.mode) == OF_SILENT) return NULL; /* relaxed: a late one is dropped */
    if (of_load_relaxed(&of_recorder.is_stopped)) return NULL;        /* relaxed: a flag */
    orderfile_record *early = of_claim_early_records(count);
    if (early) return early;
    trace = of_current_trace(); /* the buffer may have been closed because the trace is there */
    if (!trace) {
      of_fetch_add_relaxed(&of_recorder.lost_records, 1); /* relaxed: a count */
      return NULL;
    }
  }
  if (of_load_relaxed(&trace->state) != ORDERFILE_STATE_RECORDING) return NULL; /* relaxed: a flag */
  if (trace->stop_time && of_clock() >= trace->stop_time) {
    of_store_relaxed(&trace->state, ORDERFILE_STATE_STOPPED_BY_TIME); /* relaxed: a flag */
    return NULL;
  }
  uint64_t slot = of_claim_slots(trace, count);
  return slot == UINT64_MAX ? NULL : &of_records(trace)[slot];
}

/* Whether the trace is this process's own: false in a forked child that has not made one. */
OF_LOCAL bool of_owns_trace(void) {
  /* acquire: pairs with the release in of_replace_trace_after_fork */
  if (of_recorder.ownership) return of_load_acquire(of_recorder.ownership) == OF_OWNED;
  uint32_t owner = of_load_acquire(&of_recorder.owner); /* acquire: likewise */
  return owner == of_process_number() || of_shares_memory(owner);
}

OF_INTERNAL orderfile_trace_header *of_own_trace(void) {
  /* acquire: pairs with the release in of_use_trace; the header and the rest of the state are filled
   * in before the pointer is set */
  if (!of_load_acquire(&of_recorder.trace) || !of_owns_trace()) return NULL;
  return of_load_acquire(&of_recorder.trace); /* acquire: and not the parent's, seen above */
}

OF_INTERNAL orderfile_trace_header *of_current_trace(void) {
  orderfile_trace_header *trace = of_own_trace();
  if (trace || !of_load_relaxed(&of_recorder.trace)) return trace; /* relaxed: NULL or the parent's */
  of_replace_trace_after_fork();
  return of_own_trace(); /* NULL: another thread of the child is at it, or it has failed */
}

OF_INTERNAL uint64_t of_claim_slots(orderfile_trace_header *trace, uint64_t count) {
  /* acquire: pairs with the release in of_reserve_records, behind the allocation of the blocks */
  uint64_t capacity = of_load_acquire(&trace->capacity);
  if (capacity > of_recorder.record_limit) capacity = of_recorder.record_limit;
  uint64_t next = of_load_relaxed(&trace->next_record); /* relaxed: the exchange below decides */
  do {
    if (next >= capacity || capacity - next < count) {
      of_fetch_add_relaxed(&trace->lost_records, 1); /* relaxed: a count */
      return UINT64_MAX;
    }
    /* relaxed: hands out numbers; a record is published by its kind */
  } while (!of_compare_exchange_relaxed(&trace->next_record, &next, next + count));
  return next;
}

OF_INTERNAL void of_fill_record(orderfile_record *record, uint32_t kind, uint64_t subject,
                                uint64_t entry, const void *first, uint64_t first_size,
                                const void *second, uint64_t second_size) {
  uint64_t size = first_size + second_size;
  orderfile_payload *payload = (orderfile_payload *)(record + 1);
  for (uint64_t i = 0; i < size; i++) {
    payload[i / ORDERFILE_PAYLOAD_BYTES].bytes[i % ORDERFILE_PAYLOAD_BYTES] =
        i < first_size ? ((const uint8_t *)first)[i] : ((const uint8_t *)second)[i - first_size];
    OF_KEEP_LOOP();
  }
  for (uint64_t i = 0; i * ORDERFILE_PAYLOAD_BYTES < size; i++)
    of_store_release(&payload[i].kind, ORDERFILE_RECORD_PAYLOAD); /* release: publishes the bytes */
  record->subject = subject;
  record->payload_size = size;
  record->entry = entry;
  record->ticks = of_ticks();
  record->thread = of_thread_number();
  of_store_release(&record->kind, kind); /* release: publishes the fields and the payload */
}
