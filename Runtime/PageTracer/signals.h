/* The two signals that this library takes from the program, SIGSEGV and SIGSYS, and the program's actions
 * for those that are not ours. */
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

/* Sets HANDLER for SIGNAL, one of the two, keeps the program's action, and unblocks the signal. Once,
 * before the program's first instruction. */
OF_INTERNAL void of_take_signal(int signal, void (*handler)(int, void *, void *));

/* The program's action for SIGNAL, one of the two, to be read and changed. */
OF_INTERNAL struct of_kernel_action *of_program_action(int signal);

/* Handles SIGNAL as the program, or by default the kernel, would. Called in our handler, with its
 * arguments. */
OF_INTERNAL void of_forward_signal(int signal, void *information, void *context);

#endif
#endif
