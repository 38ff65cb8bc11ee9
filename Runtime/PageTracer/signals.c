/* The faults that withheld pages cause, and what becomes of those that they did not cause. */
#define _GNU_SOURCE
#include "tracer.h"

#if TRACER_IS_SUPPORTED
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

TRACER_BEGIN

/* What the program wants done; the kernel has ours. */
static struct kernel_action program_actions[2];

struct kernel_action *signals_program_action(int signal) {
  return &program_actions[signal == SIGSYS];
}

static uint32_t access_of(const ucontext_t *context) {
  /* Of the page-fault error code: Intel SDM volume 3, 4.7. */
  uint64_t error = (uint64_t)context->uc_mcontext.gregs[REG_ERR];
  return error & 16 ? ORDERFILE_PAGE_EXECUTE
                    : error & 2 ? ORDERFILE_PAGE_WRITE : ORDERFILE_PAGE_READ;
}

static void faulted(int signal, void *information, void *context_pointer) {
  const siginfo_t *info = information;
  ucontext_t *context = context_pointer;
  uint64_t counter = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
  uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
  /* Where the launch ends: the page is withheld, and does not count, or the instruction was replaced. */
  bool is_fetched = info->si_code == SEGV_ACCERR && address == counter;
  if ((is_fetched || info->si_code == SI_KERNEL) && images_is_stop(counter)) {
    trace_stop();
    return;
  }
  if (info->si_code == SEGV_ACCERR) {
    if (images_touch(address, access_of(context), counter) == TOUCH_GIVEN) return;
  }
  if (gate_is_access(counter)) {
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)gate_after_failure();
    return;
  }
  signals_forward(signal, information, context_pointer);
}

static void set_action(int signal, const struct kernel_action *action) {
  CALL_4(SYS_rt_sigaction, signal, action, 0, 8);
}

static void die_of(int signal, const siginfo_t *info) {
  struct kernel_action action;
  action.handler = NULL; /* SIG_DFL */
  action.flags = 0;
  action.restorer = NULL;
  action.mask = 0;
  set_action(signal, &action);
  /* A fault comes again when the instruction does; a signal that somebody sent must be sent again. */
  if (info->si_code <= 0 || signal == SIGSYS)
    CALL_3(SYS_tgkill, CALL_0(SYS_getpid), CALL_0(SYS_gettid), signal);
}

void signals_forward(int signal, void *information, void *context_pointer) {
  const siginfo_t *info = information;
  ucontext_t *context = context_pointer;
  struct kernel_action *program = signals_program_action(signal);
  void *handler = program->handler;
  bool is_sent = info->si_code <= 0;
  if (handler == (void *)SIG_IGN && is_sent) return;
  if (handler == (void *)SIG_DFL || handler == (void *)SIG_IGN) {
    die_of(signal, info);
    return;
  }
  uint64_t mask = *(uint64_t *)&context->uc_sigmask | program->mask;
  mask &= ~OUR_SIGNALS;
  if (program->flags & SA_RESETHAND) program->handler = NULL;
  CALL_4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
  if (program->flags & SA_SIGINFO)
    ((void (*)(int, void *, void *))handler)(signal, information, context_pointer);
  else
    ((void (*)(int))handler)(signal);
}

void signals_take(void) {
  static const int ours[2] = {SIGSEGV, SIGSYS};
  for (int i = 0; i < 2; i++) {
    CALL_4(SYS_rt_sigaction, ours[i], 0, &program_actions[i], 8);
    struct kernel_action action;
    action.handler = ours[i] == SIGSEGV ? (void *)&faulted : (void *)&system_call_stopped;
    /* On the program's own signal stack if it has one. */
    action.flags = SA_SIGINFO | SA_ONSTACK | 0x04000000; /* SA_RESTORER */
    action.restorer = (void *)&gate_return_from_signal;
    /* Whoever is called in the middle of ours would make system calls. A fault may come: in gate_peek and gate_poke. */
    action.mask = ~(UINT64_C(1) << (SIGSEGV - 1));
    if (ours[i] == SIGSEGV) action.mask = ~UINT64_C(0);
    set_action(ours[i], &action);
  }
  uint64_t mask = OUR_SIGNALS;
  CALL_4(SYS_rt_sigprocmask, SIG_UNBLOCK, &mask, 0, 8);
}

TRACER_END
#endif
