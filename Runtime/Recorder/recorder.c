/* The hot path: what runs on a hit, and nothing else.
 *
 * A call of a seen function is a load, a compare and a return. A first hit exchanges the guard, claims a slot
 * and fills it: two atomic read-modify-writes, no lock, no allocation, no libc call, no thread-local storage,
 * no pointer that needs a relocation. So it is safe on any thread, in signal handlers, in ifunc resolvers, in
 * .preinit_array and in constructors of any priority, in a static executable before its startup code has run,
 * and in a forked child, which then creates its own trace.
 *
 * Before the first initializer of an image there is no file. Hits from that time go to a static buffer
 * (early_records.c), which is moved to the front of the trace.
 */
#include "recorder.h"

#include "current_trace.h"
#include "early_records.h"
#include "guards.h"
#include "launch_end.h"
#include "platform.h"
#include "slots.h"

#if defined(__has_include)
#if __has_include(<sanitizer/coverage_interface.h>)
#include <sanitizer/coverage_interface.h> /* checks our signatures against the compiler's */
#endif
#endif

OF_RUNTIME void __sanitizer_cov_trace_pc_guard(uint32_t *guard);
OF_LOCAL void of_first_hit(uint32_t *guard, const void *return_address);

/* Called at the entry of each instrumented function. The return address is taken here and passed on: if the compiler
 * splits off cold code, of_first_hit would find an address inside this function. */
void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
  if (of_load_relaxed(guard) != OF_UNSEEN) return; /* relaxed: a stale "unseen" costs the exchange */
  of_first_hit(guard, __builtin_return_address(0));
}
OF_ONE_IN_AN_IMAGE(__sanitizer_cov_trace_pc_guard);

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

OF_INTERNAL orderfile_record *of_claim_records(uint64_t count) {
  orderfile_trace_header *trace = of_current_trace();
  if (!trace) {
    if (of_load_relaxed(&of_recorder.mode) == OF_SILENT) return NULL; /* relaxed: a late hit is dropped */
    if (of_load_relaxed(&of_recorder.is_stopped)) return NULL;        /* relaxed: a flag */
    orderfile_record *early = of_claim_early_records(count);
    if (early) return early;
    trace = of_current_trace(); /* the buffer may have been closed because the trace is there */
    if (!trace) {
      of_fetch_add_relaxed(&of_recorder.lost_records, 1); /* relaxed: a count */
      trace = of_own_trace(); /* another thread may just have created the trace, and passed on an earlier count */
      if (trace) of_pass_on_losses(trace);
      return NULL;
    }
  }
  if (of_is_over(trace)) return NULL;
  uint64_t slot = of_claim_slots(trace, count);
  return slot == UINT64_MAX ? NULL : &of_records(trace)[slot];
}
