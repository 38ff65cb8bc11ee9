#include "slots.h"

#include <of_bytes.h>
#include <stddef.h>

#include "platform.h"

OF_INTERNAL uint64_t of_claim_slots(orderfile_trace_header *trace, uint64_t count) {
  /* acquire: pairs with the release in of_raise_capacity, which follows the allocation of the blocks */
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

OF_INTERNAL uint64_t of_used_slots(const orderfile_trace_header *trace, uint64_t limit) {
  uint64_t count = of_load_relaxed(&trace->next_record); /* relaxed: slots that are claimed later may be left out */
  uint64_t capacity = of_load_acquire(&trace->capacity); /* acquire: as in of_claim_slots */
  if (count > capacity) count = capacity;
  return count < limit ? count : limit;
}

OF_INTERNAL void of_fill_record(orderfile_record *record, uint32_t kind, uint64_t subject,
                                uint64_t entry, const void *first, uint64_t first_size,
                                const void *second, uint64_t second_size) {
  uint64_t size = first_size + second_size;
  orderfile_content *content = (orderfile_content *)(record + 1);
  for (uint64_t i = 0; i < size; i++) {
    content[i / ORDERFILE_CONTENT_BYTES].bytes[i % ORDERFILE_CONTENT_BYTES] =
        i < first_size ? ((const uint8_t *)first)[i] : ((const uint8_t *)second)[i - first_size];
    OF_KEEP_LOOP();
  }
  for (uint64_t i = 0; i * ORDERFILE_CONTENT_BYTES < size; i++)
    of_store_release(&content[i].kind, ORDERFILE_RECORD_CONTENT); /* release: publishes the bytes */
  record->subject = subject;
  record->content_size = size;
  record->entry = entry;
  record->ticks = of_ticks();
  /* The thread does not matter for other kinds, and asking for it may take a forbidden system call. */
  record->thread = kind == ORDERFILE_RECORD_MARK ? of_thread_number() : 0;
  /* release: publishes the fields and the content; pairs with the acquire of whoever reads a kind */
  of_store_release(&record->kind, kind);
}

OF_INTERNAL void of_copy_records(orderfile_record *to, const orderfile_record *from, uint64_t length) {
  while (length-- > 0) {
    of_copy(&to[length], &from[length], offsetof(orderfile_record, kind));
    /* release: publishes the fields; pairs with the acquire of whoever reads a kind */
    of_store_release(&to[length].kind, from[length].kind);
  }
}
