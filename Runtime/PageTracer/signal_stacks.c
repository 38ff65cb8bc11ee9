#define _GNU_SOURCE
#include "signal_stacks.h"

#if OF_TRACER_IS_SUPPORTED
#include <errno.h>
#include <of_atomics.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "mapping_calls.h"
#include "memory_owner.h"
#include "threads.h"
#include "watched_images.h"

/* Only pages of a stack that are used take memory. A handler of the program may run on such a stack, too. */
enum { STACK_SIZE = 128 << 10, GUARD_SIZE = OF_PAGE };
#define AUTODISARM (1u << 31)

/* The smallest stack of the program with room for a signal and for a fault in the signal's handler. */
enum { ENOUGH = 16 << 10, SMALLEST = 2048 /* MINSIGSTKSZ */ };

static uint64_t of_stacks; /* the address of the stacks, one for each thread entry but the last; 0: none yet */
/* The stack of the first thread. It is static because a limit may refuse new memory. */
static char of_first_stack[STACK_SIZE] __attribute__((aligned(16)));

OF_LOCAL uint64_t of_all_stacks(void) {
  uint64_t stacks = of_load_relaxed(&of_stacks); /* relaxed: nothing is read there */
  if (stacks) return stacks;
  long size = (long)OF_THREADS * STACK_SIZE;
  long memory = OF_CALL_6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory < 0 && memory > -4096) return 0;
  if (of_compare_exchange_relaxed(&of_stacks, &stacks, (uint64_t)memory)) return (uint64_t)memory;
  OF_CALL_2(SYS_munmap, memory, size); /* another thread has stored its stacks first */
  return stacks;
}

OF_LOCAL bool of_is_first_stack(uint64_t place) {
  return place - (uint64_t)(uintptr_t)of_first_stack < STACK_SIZE;
}

OF_LOCAL bool of_is_other_stack(uint64_t place) {
  uint64_t stacks = of_load_relaxed(&of_stacks); /* relaxed: as above */
  return stacks && place - stacks < (uint64_t)OF_THREADS * STACK_SIZE;
}

OF_LOCAL bool of_is_our_stack(uint64_t place) { return of_is_first_stack(place) || of_is_other_stack(place); }

/* Stores the stack of the thread with ENTRY; returns false if there is no memory for it. */
OF_LOCAL bool of_stack_of(struct of_thread *entry, stack_t *stack) {
  uint64_t index = of_index_of_thread(entry);
  stack->ss_flags = (int)AUTODISARM;
  if (index == OF_THREADS) {
    stack->ss_sp = of_first_stack;
    stack->ss_size = STACK_SIZE;
    return true;
  }
  uint64_t stacks = of_all_stacks();
  if (!stacks) return false;
  uint64_t place = stacks + index * STACK_SIZE;
  if (!entry->has_guard) entry->has_guard = OF_CALL_3(SYS_mprotect, place, GUARD_SIZE, PROT_NONE) == 0;
  stack->ss_sp = (void *)(uintptr_t)(place + GUARD_SIZE);
  stack->ss_size = STACK_SIZE - GUARD_SIZE;
  return true;
}

void of_task_began(void) {
  stack_t stack;
  if (OF_CALL_0(SYS_getpid) != OF_CALL_0(SYS_gettid)) {
    of_give_stack();
    return;
  }
  /* In a forked process, this thread goes on using the signal stack of its parent's thread. */
  if (!of_owns_memory() || OF_CALL_2(SYS_sigaltstack, 0, &stack) != 0) return;
  uint64_t place = (uint64_t)(uintptr_t)stack.ss_sp;
  if (of_is_other_stack(place))
    of_continue_thread(of_thread_at((place - of_load_relaxed(&of_stacks)) / STACK_SIZE)); /* relaxed: as above */
}

void of_give_stack(void) {
  stack_t stack;
  struct of_thread *thread = of_claim_thread();
  if (!thread || !of_stack_of(thread, &stack)) return;
  thread->wanted.ss_size = 0;
  thread->has_stack = true;
  OF_CALL_2(SYS_sigaltstack, &stack, 0);
}

void of_give_stack_again(uint64_t stack_pointer, void *current) {
  stack_t *kernels = current;
  if (!(kernels->ss_flags & SS_DISABLE) || of_is_our_stack(stack_pointer)) return;
  struct of_thread *thread = of_this_thread();
  if (!thread || !thread->has_stack || !thread->wanted.ss_size) return;
  if (!((unsigned)thread->wanted.ss_flags & AUTODISARM)) of_stack_of(thread, kernels);
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

OF_LOCAL bool of_is_on(const stack_t *stack, uint64_t place) {
  return place - (uint64_t)(uintptr_t)stack->ss_sp < stack->ss_size;
}

/* Whether STACK is an enabled signal stack of the program. */
OF_LOCAL bool of_is_own(const stack_t *stack) {
  return stack->ss_size && !(stack->ss_flags & SS_DISABLE) && !of_is_our_stack((uint64_t)(uintptr_t)stack->ss_sp);
}

OF_LOCAL bool of_overlaps(const stack_t *stack, uint64_t address, uint64_t size) {
  uint64_t start = (uint64_t)(uintptr_t)stack->ss_sp, end = (address + size + OF_PAGE - 1) & ~(uint64_t)(OF_PAGE - 1);
  return address % OF_PAGE == 0 && address < end && address < start + stack->ss_size && start < end;
}

/* Whether the system call NUMBER with the arguments A makes STACK, the signal stack of the program, useless to this
 * library. */
OF_LOCAL bool of_loses(const stack_t *stack, long number, const uint64_t *a) {
  stack_t wanted;
  switch (number) {
  case SYS_sigaltstack: {
    if (!a[0] || !of_copy_in(a[0], &wanted, sizeof wanted)) return false;
    unsigned mode = (unsigned)wanted.ss_flags & ~AUTODISARM;
    bool is_small = wanted.ss_size >= SMALLEST && wanted.ss_size < ENOUGH;
    return mode == SS_DISABLE || ((mode == 0 || mode == SS_ONSTACK) && is_small);
  }
  case SYS_munmap: return of_overlaps(stack, a[0], a[1]);
  case SYS_mprotect:
  case SYS_pkey_mprotect: return !(a[2] & PROT_WRITE) && of_overlaps(stack, a[0], a[1]);
  case SYS_mmap: return of_replaces(a) && of_overlaps(stack, a[0], a[1]);
  case SYS_mremap: return of_overlaps(stack, a[0], a[1]) || (of_moves_to(a) && of_overlaps(stack, a[4], a[2]));
  case SYS_brk: {
    uint64_t from = (a[0] + OF_PAGE - 1) & ~(uint64_t)(OF_PAGE - 1), to = (uint64_t)OF_CALL_2(SYS_brk, 0, 0);
    return a[0] && from < to && of_overlaps(stack, from, to - from);
  }
  default: return false;
  }
}

/* The arguments and the registers of an exchange of signal stacks. This struct lies on the program's stack, below the
 * red zone. The stub in gate_x86_64.c restores the registers from it. */
struct exchange {
  uint64_t rdi, rsi, rax, unused;
  stack_t stack;
  uint64_t unused_too;
};
_Static_assert(sizeof(struct exchange) == 64, "as in gate_x86_64.c");

bool of_leave_stack(long number, const uint64_t *arguments, void *context_pointer) {
  ucontext_t *context = context_pointer;
  greg_t *registers = context->uc_mcontext.gregs;
  const stack_t *own = &context->uc_stack;
  uint64_t stack_pointer = (uint64_t)registers[REG_RSP];
  /* The kernel refuses to change a signal stack while the thread runs on it. */
  if (!of_is_own(own) || of_is_on(own, stack_pointer) || !of_loses(own, number, arguments)) return false;
  struct of_thread *thread = of_this_thread();
  struct exchange exchange = {.rdi = (uint64_t)registers[REG_RDI], .rsi = (uint64_t)registers[REG_RSI], .rax = (uint64_t)number};
  /* If `wanted` is this stack already, this call was repeated after an exchange that the kernel refused. */
  if (!thread || (thread->wanted.ss_size && thread->wanted.ss_sp == own->ss_sp)) return false;
  if (!of_stack_of(thread, &exchange.stack)) return false;
  uint64_t stub = of_gate_repeat_stub((uint64_t)registers[REG_RIP] - 2), place = stack_pointer - 128 - sizeof exchange;
  if (!stub || !of_copy_out(place, &exchange, sizeof exchange)) return false;
  thread->wanted = *own;
  thread->has_stack = true;
  registers[REG_RAX] = SYS_sigaltstack;
  registers[REG_RDI] = (greg_t)(place + offsetof(struct exchange, stack));
  registers[REG_RSI] = 0;
  registers[REG_RSP] = (greg_t)place;
  registers[REG_RIP] = (greg_t)stub;
  return true;
}

/* Whether the upper end of STACK, which a signal uses first, can be written. */
OF_LOCAL bool of_can_write(const stack_t *stack) {
  uint64_t start = (uint64_t)(uintptr_t)stack->ss_sp, end = start + stack->ss_size;
  for (uint64_t at = end - (stack->ss_size < ENOUGH ? stack->ss_size : ENOUGH); at < end;
       at = (at & ~(uint64_t)(OF_PAGE - 1)) + OF_PAGE) {
    int byte = of_gate_peek(at);
    if (byte < 0 || of_gate_poke(at, (uint8_t)byte) != 0) return false;
  }
  return true;
}

void of_keep_from_lost_stack(uint64_t context, uint64_t stack_pointer) {
  stack_t stack, ours;
  uint64_t place = context + offsetof(ucontext_t, uc_stack);
  struct of_thread *thread = of_this_thread();
  if (!thread || !of_copy_in(place, &stack, sizeof stack) || !of_is_own(&stack) || of_is_on(&stack, stack_pointer)) return;
  if (of_can_write(&stack)) {
    thread->wanted.ss_size = 0;
    thread->has_stack = false;
  } else if (of_stack_of(thread, &ours) && of_copy_out(place, &ours, sizeof ours)) {
    thread->wanted = stack;
    thread->has_stack = true;
  }
}

bool of_change_stack(const uint64_t *arguments, uint64_t stack_pointer, void *current, int64_t *result) {
  stack_t *kernels = current, wanted, ours, old;
  uint64_t new_stack = arguments[0], old_stack = arguments[1];
  struct of_thread *thread = of_this_thread();
  bool is_ours = thread && of_is_our_stack((uint64_t)(uintptr_t)kernels->ss_sp), is_wanted = false;
  if (!is_ours && !new_stack) return false;
  *result = -EFAULT;
  if (new_stack) {
    if (!of_copy_in(new_stack, &wanted, sizeof wanted)) return true;
    unsigned mode = (unsigned)wanted.ss_flags & ~AUTODISARM;
    is_wanted = mode != SS_DISABLE;
    bool is_valid = mode == 0 || mode == SS_ONSTACK || mode == SS_DISABLE;
    bool is_enough = is_wanted && wanted.ss_size >= ENOUGH;
    bool is_on_it = of_is_on(kernels, stack_pointer);
    /* The kernel makes the call if the program's own stack stays, or is replaced by one that is large enough. */
    if (!is_ours && (is_enough || !is_valid || is_on_it || !thread || !of_stack_of(thread, &ours))) return false;
    *result = -EINVAL;
    if (!is_valid) return true;
    *result = -ENOMEM;
    if (is_wanted && wanted.ss_size < SMALLEST) return true;
  }
  if (!is_ours) old = *kernels;
  else if (thread->wanted.ss_size) old = thread->wanted;
  else old.ss_sp = NULL, old.ss_flags = SS_DISABLE, old.ss_size = 0;
  if (new_stack) {
    thread->wanted.ss_size = 0;
    thread->has_stack = true;
    if (is_wanted && wanted.ss_size >= ENOUGH) {
      *kernels = wanted;
      thread->has_stack = false;
    } else {
      if (!is_ours) *kernels = ours;
      if (is_wanted) thread->wanted = wanted;
    }
  }
  *result = old_stack && !of_copy_out(old_stack, &old, sizeof old) ? -EFAULT : 0;
  return true;
}
#endif
