/* The two signals that this library takes from the program, SIGSEGV and SIGSYS, and the program's actions for the
 * signals that are not ours. */
#ifndef OF_SIGNALS_H
#define OF_SIGNALS_H

#include "gate.h"

#if OF_TRACER_IS_SUPPORTED
#include "threads.h"

/* The kernel's struct sigaction. */
struct of_kernel_action {
  void *handler;
  uint64_t flags;
  void *restorer;
  uint64_t mask;
};

/* SIGSEGV and SIGSYS, as bits of a mask. */
#define OF_OUR_SIGNALS (UINT64_C(1) << 10 | UINT64_C(1) << 30)

/* Sets HANDLER for SIGNAL, one of the two, keeps the program's action, and unblocks the signal. Call this once, before
 * the program's first instruction. */
OF_INTERNAL void of_take_signal(int signal, void (*handler)(int, void *, void *));

/* The program's action for SIGNAL, one of the two, to be read and changed. */
OF_INTERNAL struct of_kernel_action *of_program_action(int signal);

/* The program may block SIGSEGV and SIGSYS, but this library never blocks them in the kernel. The entry of a thread
 * (threads.h) shows which of them the program blocks, and keeps the signals that were sent meanwhile. */

/* Sends this thread the held signals that THREAD no longer blocks. They come when our handler returns. THREAD may be
 * NULL. The caller must not access the program's memory after this. */
OF_INTERNAL void of_send_held_signals(struct of_thread *thread);

/* Takes a held signal whose bit is set in the mask WANTED: stores the information about the signal, and returns its
 * number; 0 if there is no such signal. */
OF_INTERNAL int of_take_held_signal(uint64_t wanted, siginfo_t *info);

/* The signals that are held for this thread, as bits of a mask. */
OF_INTERNAL uint64_t of_held_signals(void);

/* Gives the actions of SIGSEGV and SIGSYS back to the program, which handles its own system calls from now on. Returns
 * the mask of SIGSEGV and SIGSYS as the program has set it for this thread. */
OF_INTERNAL uint64_t of_give_signals_back(void);

/* Handles SIGNAL as the program, or by default the kernel, would. Called in our handler, with its
 * arguments. */
OF_INTERNAL void of_forward_signal(int signal, void *information, void *context);

#endif
#endif
