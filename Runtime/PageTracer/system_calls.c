#define _GNU_SOURCE
#include "system_calls.h"

#if OF_TRACER_IS_SUPPORTED
#include <errno.h>
#include <linux/audit.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "mapping_calls.h"
#include "memory_owner.h"
#include "page_records.h"
#include "page_touches.h"
#include "programs.h"
#include "restrictions.h"
#include "signal_stacks.h"
#include "signals.h"
#include "system_call_memory.h"
#include "threads.h"
#include "trace_end.h"
#include "watched_images.h"

enum { EPOLL_PWAIT2 = 441 }; /* older headers lack this constant */
/* si_code: SYS_USER_DISPATCH of <asm-generic/siginfo.h>. */
enum { STOPPED_BY_US = 2 };

struct call {
  long number;
  uint64_t arguments[6];
  uint64_t counter; /* the address of the instruction that calls */
};

OF_LOCAL void of_use_memory(void *context, uint64_t address, uint64_t size) {
  const struct call *call = context;
  of_touch_range(address, size, call->counter);
}

OF_LOCAL bool of_read_memory(void *context, uint64_t address, void *to, uint64_t size) {
  (void)context;
  volatile uint8_t *bytes = to;
  for (uint64_t i = 0; i < size; i++) {
    int byte = of_gate_peek(address + i);
    if (byte < 0) return false;
    bytes[i] = (uint8_t)byte;
  }
  return true;
}

OF_LOCAL bool of_write_memory(uint64_t address, const void *from, uint64_t size) {
  const uint8_t *bytes = from;
  for (uint64_t i = 0; i < size; i++)
    if (of_gate_poke(address + i, bytes[i]) != 0) return false;
  return true;
}

static uint64_t *mask_of(ucontext_t *context) { return (uint64_t *)&context->uc_sigmask; }

OF_LOCAL long of_do_call(const struct call *call) {
  const uint64_t *a = call->arguments;
  return OF_CALL_6(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* rt_sigprocmask: CONTEXT contains the mask that takes effect when this handler returns. */
OF_LOCAL long of_change_mask(const struct call *call, ucontext_t *context) {
  struct of_thread *thread = of_this_thread();
  uint64_t old = *mask_of(context) | (thread ? thread->blocked : 0), set;
  if (call->arguments[3] != 8) return -EINVAL;
  if (call->arguments[1]) {
    if (!of_read_memory(NULL, call->arguments[1], &set, 8)) return -EFAULT;
    uint64_t mask = old;
    switch ((int)call->arguments[0]) {
    case SIG_BLOCK: mask |= set; break;
    case SIG_UNBLOCK: mask &= ~set; break;
    case SIG_SETMASK: mask = set; break;
    default: return -EINVAL;
    }
    *mask_of(context) = mask & ~OF_OUR_SIGNALS;
    if (thread) thread->blocked = mask & OF_OUR_SIGNALS;
  }
  if (call->arguments[2] && !of_write_memory(call->arguments[2], &old, 8)) return -EFAULT;
  of_send_held_signals(thread);
  return 0;
}

/* Answers rt_sigpending, and rt_sigtimedwait for a held signal. Returns false if the kernel is to make the call. */
OF_LOCAL bool of_look_for_held(const struct call *call, int64_t *result) {
  const uint64_t *a = call->arguments;
  uint64_t set, held = of_held_signals();
  siginfo_t info;
  if (!held) return false;
  if (call->number == SYS_rt_sigpending) {
    *result = of_do_call(call);
    if (*result == 0 && a[1] == 8 && of_read_memory(NULL, a[0], &set, 8)) {
      set |= held;
      of_write_memory(a[0], &set, 8);
    }
    return true;
  }
  if (a[3] != 8 || !of_read_memory(NULL, a[0], &set, 8)) return false;
  int signal = of_take_held_signal(set, &info);
  if (!signal) return false;
  *result = a[1] && !of_write_memory(a[1], &info, sizeof info) ? -EFAULT : signal;
  return true;
}

/* rt_sigreturn restores the signal mask from CONTEXT, on the stack, which the handler may have changed. Removes our
 * signals from this mask. */
OF_LOCAL void of_clean_mask(uint64_t context) {
  uint64_t mask, place = context + offsetof(ucontext_t, uc_sigmask);
  if (!of_read_memory(NULL, place, &mask, sizeof mask) || !(mask & OF_OUR_SIGNALS)) return;
  struct of_thread *thread = of_this_thread();
  if (thread) thread->blocked |= mask & OF_OUR_SIGNALS;
  mask &= ~OF_OUR_SIGNALS;
  of_write_memory(place, &mask, sizeof mask);
}

/* rt_sigaction: the kernel never gets the program's actions for our two signals, and no handler of the program blocks
 * them. */
OF_LOCAL long of_change_action(const struct call *call) {
  int signal = (int)call->arguments[0];
  struct of_kernel_action action;
  bool sets = call->arguments[1] != 0;
  if (call->arguments[3] != 8) return -EINVAL;
  if (sets && !of_read_memory(NULL, call->arguments[1], &action, sizeof action)) return -EFAULT;
  if (signal != SIGSEGV && signal != SIGSYS) {
    if (sets) action.mask &= ~OF_OUR_SIGNALS;
    return OF_CALL_4(SYS_rt_sigaction, signal, sets ? &action : NULL, call->arguments[2], 8);
  }
  struct of_kernel_action *program = of_program_action(signal);
  struct of_kernel_action old = *program;
  if (sets && of_owns_memory()) *program = action; /* if false, the actions are the parent's until exec */
  if (call->arguments[2] && !of_write_memory(call->arguments[2], &old, sizeof old)) return -EFAULT;
  return 0;
}

/* Removes CLONE_CLEAR_SIGHAND from a clone3: with default actions, the child would die at its first system call. The
 * child gets the program's actions instead, which end when it calls exec; glibc's posix_spawn uses the flag before
 * exec. */
OF_LOCAL void of_keep_actions(const struct call *call) {
  enum { SIZE = 8 };
  const uint64_t clear_actions = UINT64_C(1) << 32; /* CLONE_CLEAR_SIGHAND */
  uint64_t flags;
  if (call->number != SYS_clone3 || call->arguments[1] < SIZE ||
      !of_read_memory(NULL, call->arguments[0], &flags, SIZE) || !(flags & clear_actions))
    return;
  flags &= ~clear_actions;
  of_write_memory(call->arguments[0], &flags, SIZE);
}

/* Lies on the program's stack, below the red zone, while the kernel waits with a copy of the program's signal mask. The
 * stub in gate_x86_64.c restores the registers from this struct. */
struct wait {
  uint64_t rdi, r10, r8, r9;
  uint64_t mask, address, size, unused;
};
_Static_assert(sizeof(struct wait) == 64, "as in gate_x86_64.c");

/* For a call that waits with a signal mask: replaces the mask by a copy without our signals, because a handler that
 * runs meanwhile must not have our signals blocked. Returns false if there is no mask, or the mask has none of our
 * signals. */
OF_LOCAL bool of_wait_with_clean_mask(const struct call *call, ucontext_t *context) {
  greg_t *registers = context->uc_mcontext.gregs;
  int place;
  bool is_packed = false;
  switch (call->number) {
  case SYS_rt_sigsuspend: place = REG_RDI; break;
  case SYS_ppoll: place = REG_R10; break;
  case SYS_epoll_pwait:
  case EPOLL_PWAIT2: place = REG_R8; break;
  case SYS_pselect6:
  case SYS_io_pgetevents:
    place = REG_R9;
    is_packed = true;
    break;
  default: return false;
  }
  struct wait wait = {(uint64_t)registers[REG_RDI], (uint64_t)registers[REG_R10],
                      (uint64_t)registers[REG_R8], (uint64_t)registers[REG_R9], 0, 0, 8, 0};
  uint64_t stack = (uint64_t)registers[REG_RSP] - 128 - sizeof wait;
  uint64_t address = (uint64_t)registers[place], packed[2];
  if (is_packed) {
    if (!address || !of_read_memory(NULL, address, packed, sizeof packed) || packed[1] != 8) return false;
    address = packed[0];
  }
  if (!address || !of_read_memory(NULL, address, &wait.mask, 8) || !(wait.mask & OF_OUR_SIGNALS)) return false;
  wait.mask &= ~OF_OUR_SIGNALS;
  wait.address = stack + offsetof(struct wait, mask);
  uint64_t stub = of_gate_wait_stub(call->counter + 2);
  if (!stub || !of_write_memory(stack, &wait, sizeof wait)) return false;
  registers[place] = (greg_t)(stack + (is_packed ? offsetof(struct wait, address) : offsetof(struct wait, mask)));
  registers[REG_RSP] = (greg_t)stack;
  registers[REG_RIP] = (greg_t)stub;
  return true;
}

void of_system_call_stopped(int signal, void *information, void *context_pointer) {
  const siginfo_t *info = information;
  ucontext_t *context = context_pointer;
  greg_t *registers = context->uc_mcontext.gregs;
  if (info->si_code != STOPPED_BY_US) {
    of_forward_signal(signal, information, context_pointer);
    return;
  }
  if (info->si_arch != AUDIT_ARCH_X86_64) {
    of_note_problem(ORDERFILE_PAGE_FOREIGN_CALL, 0);
    of_stop_tracing();
    registers[REG_RIP] -= 2; /* makes INT 0x80 again, which is not intercepted any more */
    return;
  }
  struct call call;
  call.number = (long)registers[REG_RAX];
  static const uint8_t places[6] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
  for (int i = 0; i < 6; i++) call.arguments[i] = (uint64_t)registers[places[i]];
  uint64_t back = (uint64_t)registers[REG_RIP];
  call.counter = back - 2;

  of_note_return_from_exec();
  of_give_stack_again((uint64_t)registers[REG_RSP], &context->uc_stack);
  if (of_leave_stack(call.number, call.arguments, context)) return;
  struct orderfile_call_memory memory;
  memory.context = &call;
  memory.use = of_use_memory;
  memory.read = of_read_memory;
  enum orderfile_call_knowledge knowledge =
      orderfile_call_memory_used(call.number, call.arguments, &memory);
  if (knowledge != ORDERFILE_CALL_KNOWN && !of_data_is_released) {
    of_note_unknown_call(call.number, knowledge == ORDERFILE_CALL_LATER);
    of_release_data();
  }

  bool makes_process = false;
  int64_t result;
  switch (call.number) {
  case SYS_rt_sigprocmask: registers[REG_RAX] = of_change_mask(&call, context); return;
  case SYS_rt_sigreturn:
    of_clean_mask((uint64_t)registers[REG_RSP]);
    of_keep_from_lost_stack((uint64_t)registers[REG_RSP], (uint64_t)registers[REG_RSP]);
    break;
  case SYS_rt_sigaction: registers[REG_RAX] = of_change_action(&call); return;
  case SYS_rt_sigpending:
  case SYS_rt_sigtimedwait:
    if (of_look_for_held(&call, &result)) {
      registers[REG_RAX] = result;
      return;
    }
    break;
  case SYS_sigaltstack:
    if (of_change_stack(call.arguments, (uint64_t)registers[REG_RSP], &context->uc_stack, &result)) {
      registers[REG_RAX] = result;
      return;
    }
    break;
  case SYS_execve:
  case SYS_execveat: of_note_program(call.number, call.arguments); break;
  case SYS_mprotect:
  case SYS_pkey_mprotect:
  case SYS_munmap:
  case SYS_mremap:
  case SYS_mmap:
    if (of_make_mapping_call(call.number, call.arguments, &result)) {
      registers[REG_RAX] = result;
      return;
    }
    break;
  case SYS_clone:
  case SYS_clone3:
  case SYS_fork:
  case SYS_vfork:
    makes_process = true;
    of_owns_memory();
    of_keep_actions(&call);
    break;
  default: break;
  }
  struct of_restriction restriction = of_restriction_by(call.number, call.arguments);
  if (restriction.problem) {
    of_note_problem(restriction.problem, restriction.detail);
    of_stop_tracing();
    /* Otherwise the program would also handle the system calls that our handlers make. */
    if (restriction.problem == ORDERFILE_PAGE_DISPATCHED) *mask_of(context) |= of_give_signals_back();
  }
  if (of_wait_with_clean_mask(&call, context)) return;
  uint64_t stub = of_gate_stub(back, makes_process);
  if (stub) registers[REG_RIP] = (greg_t)stub;
  else registers[REG_RAX] = of_do_call(&call);
}

#endif
