#define _GNU_SOURCE
#include "signals.h"

#if OF_TRACER_IS_SUPPORTED
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "threads.h"

/* The program's actions for the two signals; in the kernel, this library's actions are set. */
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

OF_LOCAL uint64_t of_bit_of(int signal) { return UINT64_C(1) << (signal - 1); }

/* A signal that was sent is pending while the thread blocks it. For a blocked fault, the kernel takes the default
 * action. */
OF_LOCAL void of_hold_signal(struct of_thread *thread, int signal, const siginfo_t *info) {
  struct of_pending_signal *pending = &thread->pending[signal == SIGSYS];
  if (pending->is_there) return;
  pending->info = *info;
  pending->is_there = true;
}

void of_send_held_signals(struct of_thread *thread) {
  static const int signals[2] = {SIGSEGV, SIGSYS};
  for (int i = 0; thread && i < 2; i++) {
    struct of_pending_signal *pending = &thread->pending[i];
    if (!pending->is_there || thread->blocked & of_bit_of(signals[i])) continue;
    pending->is_there = false;
    /* The signal comes when our handler returns. */
    uint64_t mask = of_bit_of(signals[i]);
    OF_CALL_4(SYS_rt_sigprocmask, SIG_BLOCK, &mask, 0, 8);
    OF_CALL_4(SYS_rt_tgsigqueueinfo, OF_CALL_0(SYS_getpid), OF_CALL_0(SYS_gettid), signals[i], &pending->info);
  }
}

int of_take_held_signal(uint64_t wanted, siginfo_t *info) {
  struct of_thread *thread = of_this_thread();
  static const int signals[2] = {SIGSEGV, SIGSYS};
  for (int i = 0; thread && i < 2; i++) {
    if (!thread->pending[i].is_there || !(wanted & of_bit_of(signals[i]))) continue;
    thread->pending[i].is_there = false;
    *info = thread->pending[i].info;
    return signals[i];
  }
  return 0;
}

uint64_t of_held_signals(void) {
  const struct of_thread *thread = of_this_thread();
  if (!thread) return 0;
  return (thread->pending[0].is_there ? of_bit_of(SIGSEGV) : 0) |
         (thread->pending[1].is_there ? of_bit_of(SIGSYS) : 0);
}

uint64_t of_give_signals_back(void) {
  const struct of_thread *thread = of_this_thread();
  of_set_action(SIGSEGV, of_program_action(SIGSEGV));
  of_set_action(SIGSYS, of_program_action(SIGSYS));
  return thread ? thread->blocked : 0;
}

void of_forward_signal(int signal, void *information, void *context_pointer) {
  const siginfo_t *info = information;
  ucontext_t *context = context_pointer;
  struct of_kernel_action *program = of_program_action(signal);
  void *handler = program->handler;
  bool is_sent = info->si_code <= 0;
  struct of_thread *thread = of_this_thread();
  if (handler == (void *)SIG_IGN && is_sent) return;
  if (thread && thread->blocked & of_bit_of(signal)) {
    if (is_sent) of_hold_signal(thread, signal, info);
    else of_die_of(signal, info);
    return;
  }
  if (handler == (void *)SIG_DFL || handler == (void *)SIG_IGN) {
    of_die_of(signal, info);
    return;
  }
  uint64_t *kept_mask = (uint64_t *)&context->uc_sigmask;
  uint64_t mask = *kept_mask | program->mask;
  mask &= ~OF_OUR_SIGNALS;
  if (thread) {
    /* The handler finds the signal mask of the interrupted code in its context, and may change the mask there. */
    *kept_mask |= thread->blocked;
    thread->blocked |= program->mask & OF_OUR_SIGNALS;
    if (!(program->flags & SA_NODEFER)) thread->blocked |= of_bit_of(signal);
  }
  if (program->flags & SA_RESETHAND) program->handler = NULL;
  OF_CALL_4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
  if (program->flags & SA_SIGINFO)
    ((void (*)(int, void *, void *))handler)(signal, information, context_pointer);
  else
    ((void (*)(int))handler)(signal);
  if (thread) thread->blocked = *kept_mask & OF_OUR_SIGNALS;
  *kept_mask &= ~OF_OUR_SIGNALS;
  of_send_held_signals(thread);
}

void of_take_signal(int signal, void (*handler)(int, void *, void *)) {
  OF_CALL_4(SYS_rt_sigaction, signal, 0, of_program_action(signal), 8);
  struct of_kernel_action action;
  action.handler = (void *)handler;
  /* The handler runs on the program's own signal stack, if there is one, or else on the one of signal_stacks.c, if
   * there is one. */
  action.flags = SA_SIGINFO | SA_ONSTACK | 0x04000000; /* SA_RESTORER */
  action.restorer = (void *)&of_gate_return_from_signal;
  /* Other signals are blocked, because a handler that interrupts ours would make system calls. The handler of SIGSYS
   * permits faults: in of_gate_peek and of_gate_poke. */
  action.mask = signal == SIGSEGV ? ~UINT64_C(0) : ~(UINT64_C(1) << (SIGSEGV - 1));
  of_set_action(signal, &action);
  uint64_t mask = UINT64_C(1) << (signal - 1);
  OF_CALL_4(SYS_rt_sigprocmask, SIG_UNBLOCK, &mask, 0, 8);
}
#endif
