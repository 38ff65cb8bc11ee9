#define _GNU_SOURCE
#include "memory_owner.h"

#if OF_TRACER_IS_SUPPORTED
#include <of_atomics.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* The process number of the owner, in a page that is zero after a fork: 0 until the child asks. */
static uint32_t *of_memory_owner;

void of_own_memory(void) {
  enum { SIZE = 4096, WIPE_ON_FORK = 18 }; /* MADV_WIPEONFORK */
  long memory =
      OF_CALL_6(SYS_mmap, 0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory < 0 && memory > -4096) return;
  if (OF_CALL_3(SYS_madvise, memory, SIZE, WIPE_ON_FORK)) return;
  of_memory_owner = (uint32_t *)memory;
  of_owns_memory();
}

bool of_owns_memory(void) {
  if (!of_memory_owner) return true;
  uint32_t pid = (uint32_t)OF_CALL_0(SYS_getpid), owner = 0;
  /* relaxed: the first to ask is in the process that made the memory */
  return of_compare_exchange_relaxed(of_memory_owner, &owner, pid) || owner == pid;
}
#endif
