#define _GNU_SOURCE
#include "signals.h"

#if OF_TRACER_IS_SUPPORTED
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <ucontext.h>

/* The program's actions; the kernel has ours. */
static struct of_kernel_action of_program_actions[2];

struct of_kernel_action *of_program_action(int signal) {
  return &of_program_actions[signal == SIGSYS];
}

OF_LOCAL void of_set_action(int signal, const struct of_kernel_action *action) {
  OF_CALL_4(SYS_rt_sigaction, signal, action, 0, 8);
}

OF_LOCAL void of_die_of(int signal, const siginfo_t *info) {
  struct of_kernel_action action;
  action.handler = NULL; /* SIG_DFL */
  action.flags = 0;
  action.restorer = NULL;
  action.mask = 0;
  of_set_action(signal, &action);
  /* A fault recurs when the instruction runs again; a signal that was sent must be sent again. */
  if (info->si_code <= 0 || signal == SIGSYS)
    OF_CALL_3(SYS_tgkill, OF_CALL_0(SYS_getpid), OF_CALL_0(SYS_gettid), signal);
}

void of_forward_signal(int signal, void *information, void *context_pointer) {
  const siginfo_t *info = information;
  ucontext_t *context = context_pointer;
  struct of_kernel_action *program = of_program_action(signal);
  void *handler = program->handler;
  bool is_sent = info->si_code <= 0;
  if (handler == (void *)SIG_IGN && is_sent) return;
  if (handler == (void *)SIG_DFL || handler == (void *)SIG_IGN) {
    of_die_of(signal, info);
    return;
  }
  uint64_t mask = *(uint64_t *)&context->uc_sigmask | program->mask;
  mask &= ~OF_OUR_SIGNALS;
  if (program->flags & SA_RESETHAND) program->handler = NULL;
  OF_CALL_4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
  if (program->flags & SA_SIGINFO)
    ((void (*)(int, void *, void *))handler)(signal, information, context_pointer);
  else
    ((void (*)(int))handler)(signal);
}

void of_take_signal(int signal, void (*handler)(int, void *, void *)) {
  OF_CALL_4(SYS_rt_sigaction, signal, 0, of_program_action(signal), 8);
  struct of_kernel_action action;
  action.handler = (void *)handler;
  /* On the program's own signal stack, if it has one, or else on that of signal_stacks.c, if the thread has one. */
  action.flags = SA_SIGINFO | SA_ONSTACK | 0x04000000; /* SA_RESTORER */
  action.restorer = (void *)&of_gate_return_from_signal;
  /* A handler that interrupts ours would make system calls. A fault is allowed: in of_gate_peek and
   * of_gate_poke. */
  action.mask = signal == SIGSEGV ? ~UINT64_C(0) : ~(UINT64_C(1) << (SIGSEGV - 1));
  of_set_action(signal, &action);
  uint64_t mask = UINT64_C(1) << (signal - 1);
  OF_CALL_4(SYS_rt_sigprocmask, SIG_UNBLOCK, &mask, 0, 8);
}
#endif
