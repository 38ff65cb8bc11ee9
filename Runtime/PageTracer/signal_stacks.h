/* The stacks on which the handlers of this library run in threads other than the first.
 *
 * A thread's own stack may be too small: a signal takes some kilobytes of it, the more registers the machine has, and
 * a fault in the handler of a system call takes as much again. So a new thread gets a signal stack, unless the
 * program gives it another one. The kernel puts it away while a handler runs on it (SS_AUTODISARM), so that a handler
 * of the program that is called there may take its time, be interrupted, or jump out of it. */
#ifndef OF_SIGNAL_STACKS_H
#define OF_SIGNAL_STACKS_H

#include "gate.h"

#if OF_TRACER_IS_SUPPORTED

/* For of_gate_task_began. */
OF_INTERNAL void of_task_began(void);

/* sigaltstack(2) of a thread with such a stack, which the program does not know of: STACK is its present one, and
 * CHANGED takes effect when the handler of the call returns. Returns the result for the program. */
OF_INTERNAL bool of_is_our_stack(const void *stack);
OF_INTERNAL long of_change_stack(uint64_t new_stack, uint64_t old_stack, void *changed);

#endif
#endif
