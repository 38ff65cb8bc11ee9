/* The stacks on which the handlers of this library run.
 *
 * A thread's own stack may be too small: a signal takes some kilobytes of it, more on a machine with more registers,
 * and a fault in the handler of a system call takes as much again. So each thread gets a signal stack, unless the
 * program gives it another one that is large enough. The kernel disables the stack while a handler runs on it
 * (SS_AUTODISARM). So a handler of the program that is called there may take its time, be interrupted, or jump out of
 * it. */
#ifndef OF_SIGNAL_STACKS_H
#define OF_SIGNAL_STACKS_H

#include "gate.h"

#if OF_TRACER_IS_SUPPORTED

/* The value of of_gate_task_began. */
OF_INTERNAL void of_task_began(void);

/* Gives this thread a signal stack. Not for a forked process: it keeps the stack of its parent's thread. */
OF_INTERNAL void of_give_stack(void);

/* Gives this thread its signal stack again after a jump out of a handler on that stack: the kernel gives the stack back
 * only when a handler returns. Without this library, the thread would have kept the program's own stack. STACK_POINTER
 * is the stack pointer of the interrupted code. CURRENT is the same as in of_change_stack. */
OF_INTERNAL void of_give_stack_again(uint64_t stack_pointer, void *current);

/* Makes this thread exchange the program's signal stack for ours, and then repeat the system call NUMBER, if the call
 * disables the program's stack, replaces it by one that is too small, or makes its memory inaccessible. The handler of
 * the call runs on the program's stack, so the thread makes the exchange when the handler has returned. CONTEXT is the
 * handler's ucontext_t. Returns false if there is nothing to exchange. */
OF_INTERNAL bool of_leave_stack(long number, const uint64_t *arguments, void *context);

/* Puts our signal stack into the ucontext_t that rt_sigreturn(2) restores, if this ucontext_t has a signal stack of the
 * program that can no longer be written. CONTEXT is the address of the ucontext_t. STACK_POINTER is the stack pointer
 * at the call of rt_sigreturn(2). */
OF_INTERNAL void of_keep_from_lost_stack(uint64_t context, uint64_t stack_pointer);

/* Makes the call sigaltstack(2) with ARGUMENTS for a thread that has one of our stacks, or that asks for a stack that
 * is too small. The program does not see our stacks. CURRENT is the thread's stack_t: changes to it take effect when
 * the handler of the call returns. Stores the result for the program. Returns false if the kernel is to make the
 * call. */
OF_INTERNAL bool of_change_stack(const uint64_t *arguments, uint64_t stack_pointer, void *current,
                                 int64_t *result);

#endif
#endif
