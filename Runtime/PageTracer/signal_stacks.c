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

/* The smallest stack of the program with room for a signal and for a fault in the signal's handler. */
enum { ENOUGH = 16 << 10 };

static uint64_t of_stacks;              /* where they are; 0: nowhere yet */
static uint32_t of_stack_users[STACKS]; /* threads, by number; 0: none so far */
/* The stack of the first thread. It is static because a limit may refuse new memory. */
static char of_first_stack[STACK_SIZE] __attribute__((aligned(16)));
/* The stacks that the program has asked for and did not get; size 0 for none. The last entry is for the first
 * thread. */
static stack_t of_wanted_stacks[STACKS + 1];

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

OF_LOCAL bool of_is_first_stack(const void *stack) {
  return (uint64_t)(uintptr_t)stack - (uint64_t)(uintptr_t)of_first_stack < STACK_SIZE;
}

OF_LOCAL bool of_is_our_stack(const void *stack) {
  uint64_t stacks = of_load_relaxed(&of_stacks);
  return of_is_first_stack(stack) ||
         (stacks && (uint64_t)(uintptr_t)stack - stacks < (uint64_t)STACKS * STACK_SIZE);
}

OF_LOCAL stack_t *of_wanted_instead_of(const void *stack) {
  if (of_is_first_stack(stack)) return &of_wanted_stacks[STACKS];
  return &of_wanted_stacks[((uint64_t)(uintptr_t)stack - of_load_relaxed(&of_stacks)) / STACK_SIZE];
}

/* Stores our stack for this thread; returns false if there is none. */
OF_LOCAL bool of_find_stack(stack_t *stack) {
  long pid = OF_CALL_0(SYS_getpid), tid = OF_CALL_0(SYS_gettid);
  stack->ss_flags = (int)AUTODISARM;
  if (pid == tid) {
    if (!of_owns_memory()) return false;
    stack->ss_sp = of_first_stack;
    stack->ss_size = STACK_SIZE;
    return true;
  }
  uint64_t place = of_claim_stack(pid, (uint32_t)tid);
  stack->ss_sp = (void *)(uintptr_t)(place + GUARD_SIZE);
  stack->ss_size = STACK_SIZE - GUARD_SIZE;
  return place != 0;
}

void of_task_began(void) {
  stack_t stack;
  long pid = OF_CALL_0(SYS_getpid), tid = OF_CALL_0(SYS_gettid);
  if (pid == tid) { /* a process: a forked one goes on using the stack of its parent's thread */
    if (!of_owns_memory() || OF_CALL_2(SYS_sigaltstack, 0, &stack) != 0) return;
    if (!of_is_our_stack(stack.ss_sp) || of_is_first_stack(stack.ss_sp)) return;
    uint64_t index = ((uint64_t)(uintptr_t)stack.ss_sp - of_load_relaxed(&of_stacks)) / STACK_SIZE;
    of_store_relaxed(&of_stack_users[index], (uint32_t)tid); /* relaxed: it has no other thread yet */
    return;
  }
  of_give_stack();
}

void of_give_stack(void) {
  stack_t stack;
  if (!of_find_stack(&stack)) return;
  of_wanted_instead_of(stack.ss_sp)->ss_size = 0;
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

bool of_change_stack(const uint64_t *arguments, uint64_t stack_pointer, void *current, int64_t *result) {
  stack_t *kernels = current, wanted, ours, old;
  uint64_t new_stack = arguments[0], old_stack = arguments[1];
  bool is_ours = of_is_our_stack(kernels->ss_sp), is_wanted = false;
  if (!is_ours && !new_stack) return false;
  *result = -EFAULT;
  if (new_stack) {
    if (!of_copy_in(new_stack, &wanted, sizeof wanted)) return true;
    unsigned mode = (unsigned)wanted.ss_flags & ~AUTODISARM;
    is_wanted = mode != SS_DISABLE;
    bool is_valid = mode == 0 || mode == SS_ONSTACK || mode == SS_DISABLE;
    bool is_enough = is_wanted && wanted.ss_size >= ENOUGH;
    bool is_on_it = stack_pointer - (uint64_t)(uintptr_t)kernels->ss_sp < kernels->ss_size;
    /* The kernel makes the call if the program's own stack stays, or is replaced by one that is large enough. */
    if (!is_ours && (is_enough || !is_valid || is_on_it || !of_find_stack(&ours))) return false;
    *result = -EINVAL;
    if (!is_valid) return true;
    *result = -ENOMEM;
    if (is_wanted && wanted.ss_size < 2048 /* MINSIGSTKSZ */) return true;
  }
  stack_t *instead = is_ours ? of_wanted_instead_of(kernels->ss_sp) : NULL;
  if (!is_ours) old = *kernels;
  else if (instead->ss_size) old = *instead;
  else old.ss_sp = NULL, old.ss_flags = SS_DISABLE, old.ss_size = 0;
  if (new_stack) {
    if (is_wanted && wanted.ss_size >= ENOUGH) {
      *kernels = wanted;
    } else {
      if (!is_ours) *kernels = ours;
      instead = of_wanted_instead_of(kernels->ss_sp);
      if (is_wanted) *instead = wanted;
      else instead->ss_size = 0;
    }
  }
  *result = old_stack && !of_copy_out(old_stack, &old, sizeof old) ? -EFAULT : 0;
  return true;
}
#endif
