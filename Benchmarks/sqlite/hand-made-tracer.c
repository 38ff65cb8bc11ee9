// A tracer as people write it today: it logs the address of each function once, and the addresses are symbolized later.
// It is the baseline of layout.sh.
#include <stdint.h>
#include <stdio.h>

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
  for (uint32_t *guard = start; guard < stop; guard++) *guard = 1;
}

void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop) { (void)start, (void)stop; }

void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
  if (!*guard) return;
  *guard = 0;
  static FILE *log;
  if (!log) log = fopen("hand-made.log", "w");
  if (log) fprintf(log, "%p\n", (char *)__builtin_return_address(0) - 1);
}
