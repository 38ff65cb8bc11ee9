#define _GNU_SOURCE
#include "faults.h"

#if OF_TRACER_IS_SUPPORTED
#include <signal.h>
#include <ucontext.h>

#include "page_touches.h"
#include "signals.h"
#include "stop_place.h"
#include "trace_end.h"

OF_LOCAL enum orderfile_page_access of_access_of(const ucontext_t *context) {
  /* Bits of the page-fault error code: Intel SDM volume 3, 4.7. */
  uint64_t error = (uint64_t)context->uc_mcontext.gregs[REG_ERR];
  return error & 16 ? ORDERFILE_PAGE_EXECUTE
                    : error & 2 ? ORDERFILE_PAGE_WRITE : ORDERFILE_PAGE_READ;
}

void of_fault(int signal, void *information, void *context_pointer) {
  const siginfo_t *info = information;
  ucontext_t *context = context_pointer;
  uint64_t counter = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
  uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
  /* At the stop place, the page is withheld and does not count, or a stopping instruction is planted. */
  bool is_fetched = info->si_code == SEGV_ACCERR && address == counter;
  if ((is_fetched || info->si_code == SI_KERNEL) && of_is_at_stop(counter)) {
    of_stop_tracing();
    return;
  }
  if (info->si_code == SEGV_ACCERR &&
      of_touch(address, of_access_of(context), counter) == OF_GIVEN_BACK)
    return;
  if (of_gate_is_access(counter)) {
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)of_gate_after_failure();
    return;
  }
  of_forward_signal(signal, information, context_pointer);
}
#endif
