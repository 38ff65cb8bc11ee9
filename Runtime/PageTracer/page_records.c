#include "page_records.h"

#if OF_TRACER_IS_SUPPORTED
#include <of_atomics.h>
#include <stddef.h>
#include <sys/syscall.h>

OF_DATA struct orderfile_page_trace *of_page_trace;
static uint32_t of_known_process; /* atomic; the process that wrote last; 0 at first */

OF_LOCAL uint32_t of_traced_process(void);

struct orderfile_page_record *of_claim_page_records(uint32_t count) {
  if (of_page_trace->stopped) return NULL;
  uint32_t pid = of_traced_process();
  uint32_t index = of_fetch_add_relaxed(&of_page_trace->next, count); /* relaxed: picks a place */
  uint32_t capacity = of_page_trace->capacity;
  if (index > capacity || count > capacity - index) return NULL;
  struct orderfile_page_record *record = &of_page_trace->records[index];
  record->pid = pid;
  return record;
}

void of_finish_page_record(struct orderfile_page_record *record,
                           enum orderfile_page_record_kind kind) {
  /* release: publishes the fields; pairs with the acquire in cpages_next, in the command */
  of_store_release(&record->kind, (uint32_t)kind);
}

/* Returns the number of this process, and reports a fork. */
OF_LOCAL uint32_t of_traced_process(void) {
  uint32_t pid = (uint32_t)OF_CALL_0(SYS_getpid);
  uint32_t known = of_exchange_relaxed(&of_known_process, pid); /* relaxed: picks who reports */
  if (known == pid || known == 0) return pid;
  struct orderfile_page_record *record = of_claim_page_records(1);
  if (!record) return pid;
  record->address = known;
  of_finish_page_record(record, ORDERFILE_PAGE_FORK);
  return pid;
}

void of_note_unknown_call(long number, bool is_later) {
  uint32_t none = 0;
  /* relaxed: the first call counts; the command reads it when the processes have ended */
  if (of_compare_exchange_relaxed(&of_page_trace->unknown_call, &none, (uint32_t)number + 1))
    of_page_trace->unknown_is_later = is_later;
}

void of_note_problem(enum orderfile_page_problem problem, long detail) {
  uint32_t none = 0;
  /* relaxed: the first problem counts; the command reads it when the processes have ended */
  if (of_compare_exchange_relaxed(&of_page_trace->problem, &none, (uint32_t)problem))
    of_page_trace->problem_detail = (int32_t)detail;
}
#endif
