// Hits COUNT guards for the first time each.
#include <stdint.h>
#include <stdlib.h>

void __sanitizer_cov_trace_pc_guard(uint32_t *guard);
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop);

static uint32_t guards[100000];

int main(int count, char **arguments) {
  long hits = count > 1 ? atol(arguments[1]) : 0;
  __sanitizer_cov_trace_pc_guard_init(guards, guards + 100000);
  for (long i = 0; i < hits; i++) __sanitizer_cov_trace_pc_guard(&guards[i]);
  return 0;
}
