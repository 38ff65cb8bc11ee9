/* The two signals that this library takes from the program, SIGSEGV and SIGSYS, and what the program wants done
 * with those that are not ours. */
#ifndef OF_SIGNALS_H
#define OF_SIGNALS_H

#include "gate.h"

#if OF_TRACER_IS_SUPPORTED

/* The kernel's struct sigaction. */
struct of_kernel_action {
  void *handler;
  uint64_t flags;
  void *restorer;
  uint64_t mask;
};

/* SIGSEGV and SIGSYS, as bits of a mask. */
#define OF_OUR_SIGNALS (UINT64_C(1) << 10 | UINT64_C(1) << 30)

/* Has HANDLER called for SIGNAL, one of the two, keeps what the program wants done, and unblocks it. Once, before
 * the program's first instruction. */
OF_INTERNAL void of_take_signal(int signal, void (*handler)(int, void *, void *));

/* What the program wants done at SIGNAL, one of the two: its own action, to be read and changed. */
OF_INTERNAL struct of_kernel_action *of_program_action(int signal);

/* Does with SIGNAL what the program wants, or what the kernel would. In our handler, with what it was given. */
OF_INTERNAL void of_forward_signal(int signal, void *information, void *context);

#endif
#endif
