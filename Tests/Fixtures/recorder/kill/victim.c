// victim PROGRESS COUNT: hits COUNT guards one after the other, and writes their number to PROGRESS after each hit.
// Then it stops; the killer continues it and kills it.
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GUARDS = 4000 };

void __sanitizer_cov_trace_pc_guard(uint32_t *guard);
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop);

static uint32_t guards[GUARDS];

int main(int count, char **arguments) {
  if (count < 3) return 1;
  uint32_t stop = (uint32_t)atoi(arguments[2]);
  int file = open(arguments[1], O_RDWR);
  volatile uint32_t *progress = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (progress == MAP_FAILED) return 1;
  __sanitizer_cov_trace_pc_guard_init(guards, guards + GUARDS);
  for (uint32_t i = 0; i < GUARDS; i++) {
    if (i == stop) raise(SIGSTOP);
    __sanitizer_cov_trace_pc_guard(&guards[i]);
    *progress = i + 1;
  }
  for (;;) pause();
}
