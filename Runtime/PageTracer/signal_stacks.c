#define _GNU_SOURCE
#include "signal_stacks.h"

#if OF_TRACER_IS_SUPPORTED
#include <errno.h>
#include <of_atomics.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "memory_owner.h"

/* Only pages that are used take memory. A handler of the program may run there, too. */
enum { STACKS = 1024, STACK_SIZE = 128 << 10, GUARD_SIZE = 4096, TRIES = 16 };
#define AUTODISARM (1u << 31)

static uint64_t of_stacks;              /* where they are; 0: nowhere yet */
static uint32_t of_stack_users[STACKS]; /* threads, by number; 0: none so far */

OF_LOCAL uint64_t of_all_stacks(void) {
  uint64_t stacks = of_load_relaxed(&of_stacks); /* relaxed: nothing is read there */
  if (stacks) return stacks;
  long size = (long)STACKS * STACK_SIZE;
  long memory = OF_CALL_6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory < 0 && memory > -4096) return 0;
  if (of_compare_exchange_relaxed(&of_stacks, &stacks, (uint64_t)memory)) return (uint64_t)memory;
  OF_CALL_2(SYS_munmap, memory, size); /* another thread was faster */
  return stacks;
}

/* A stack that nobody uses, for thread TID of process PID; 0 if none is found soon. The stack of a thread that has
 * ended is free, but nobody says so. */
OF_LOCAL uint64_t of_claim_stack(long pid, uint32_t tid) {
  uint64_t stacks = of_all_stacks();
  if (!stacks) return 0;
  uint32_t index = tid * 0x9e3779b9u % STACKS;
  for (int tries = 0; tries < TRIES; tries++, index = (index + 1) % STACKS) {
    uint32_t user = of_load_relaxed(&of_stack_users[index]); /* relaxed: the number is all there is to it */
    if (user && user != tid && OF_CALL_3(SYS_tgkill, pid, user, 0) != -ESRCH) continue;
    uint64_t stack = stacks + (uint64_t)index * STACK_SIZE;
    if (!of_compare_exchange_relaxed(&of_stack_users[index], &user, tid)) continue;
    if (!user) OF_CALL_3(SYS_mprotect, stack, GUARD_SIZE, PROT_NONE);
    return stack;
  }
  return 0;
}

bool of_is_our_stack(const void *stack) {
  uint64_t stacks = of_load_relaxed(&of_stacks);
  return stacks && (uint64_t)(uintptr_t)stack - stacks < (uint64_t)STACKS * STACK_SIZE;
}

void of_task_began(void) {
  stack_t stack;
  long pid = OF_CALL_0(SYS_getpid), tid = OF_CALL_0(SYS_gettid);
  if (pid == tid) { /* a process: a forked one goes on using the stack of its parent's thread */
    if (!of_load_relaxed(&of_stacks) || !of_owns_memory()) return;
    if (OF_CALL_2(SYS_sigaltstack, 0, &stack) != 0 || !of_is_our_stack(stack.ss_sp)) return;
    uint64_t index = ((uint64_t)(uintptr_t)stack.ss_sp - of_load_relaxed(&of_stacks)) / STACK_SIZE;
    of_store_relaxed(&of_stack_users[index], (uint32_t)tid); /* relaxed: it has no other thread yet */
    return;
  }
  uint64_t place = of_claim_stack(pid, (uint32_t)tid);
  if (!place) return;
  stack.ss_sp = (void *)(uintptr_t)(place + GUARD_SIZE);
  stack.ss_flags = (int)AUTODISARM;
  stack.ss_size = STACK_SIZE - GUARD_SIZE;
  OF_CALL_2(SYS_sigaltstack, &stack, 0);
}

OF_LOCAL bool of_copy_in(uint64_t from, void *to, size_t size) {
  for (size_t i = 0; i < size; i++) {
    int byte = of_gate_peek(from + i);
    if (byte < 0) return false;
    ((volatile uint8_t *)to)[i] = (uint8_t)byte;
  }
  return true;
}

OF_LOCAL bool of_copy_out(uint64_t to, const void *from, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (of_gate_poke(to + i, ((const uint8_t *)from)[i]) != 0) return false;
  return true;
}

long of_change_stack(uint64_t new_stack, uint64_t old_stack, void *changed) {
  stack_t wanted, none;
  if (new_stack) {
    if (!of_copy_in(new_stack, &wanted, sizeof wanted)) return -EFAULT;
    unsigned mode = (unsigned)wanted.ss_flags & ~AUTODISARM;
    if (mode != 0 && mode != SS_ONSTACK && mode != SS_DISABLE) return -EINVAL;
    if (mode != SS_DISABLE && wanted.ss_size < 2048 /* MINSIGSTKSZ */) return -ENOMEM;
    if (mode != SS_DISABLE) *(stack_t *)changed = wanted;
  }
  none.ss_sp = NULL;
  none.ss_flags = SS_DISABLE;
  none.ss_size = 0;
  return old_stack && !of_copy_out(old_stack, &none, sizeof none) ? -EFAULT : 0;
}
#endif
