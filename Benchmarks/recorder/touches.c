// Calls the callback of a load COUNT times: "seen" and "stack" for one address, "first" for a new granule each time.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void __sanitizer_cov_load8(uint64_t *address);
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop);

static uint32_t guards[1];
static uint64_t granules[100000];

int main(int count, char **arguments) {
  long touches = count > 2 ? atol(arguments[2]) : 0;
  const char *kind = count > 1 ? arguments[1] : "";
  uint64_t local = 0;
  __sanitizer_cov_trace_pc_guard_init(guards, guards + 1);
  uint64_t *address = strcmp(kind, "stack") == 0 ? &local : granules;
  long step = strcmp(kind, "first") == 0;
  for (long i = 0; i < touches; i++) __sanitizer_cov_load8(address + i * step);
  return 0;
}
