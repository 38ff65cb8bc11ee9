/* What this library keeps for each thread of the program.
 *
 * A thread has an entry unless the table has no room for it, or the thread uses the memory of another process (a child
 * of vfork). Only the thread itself uses its entry, also in signal handlers. */
#ifndef OF_THREADS_H
#define OF_THREADS_H

#include "gate.h"

#if OF_TRACER_IS_SUPPORTED
#include <signal.h>

enum { OF_THREADS = 1024 };

/* A signal that was sent to a thread that blocks it. */
struct of_pending_signal {
  siginfo_t info;
  bool is_there;
};

struct of_thread {
  uint32_t number;    /* atomic; 0: no thread has had this entry yet */
  bool has_stack;     /* the thread has our signal stack, or had it before the program set another one */
  bool has_guard;     /* the stack of this entry has a guard page */
  stack_t wanted;     /* the signal stack that the program asked for and did not get; size 0 for none */
  uint64_t blocked;   /* the signals of this library that the program blocks, as bits of a mask */
  struct of_pending_signal pending[2]; /* SIGSEGV, SIGSYS */
};

/* The entry of this thread; NULL if the thread has none. */
OF_INTERNAL struct of_thread *of_this_thread(void);

/* Finds a free entry for this thread, which has no entry yet; NULL if no free one is found. */
OF_INTERNAL struct of_thread *of_claim_thread(void);

/* Makes ENTRY the entry of this thread. ENTRY belonged to the parent's thread that forked this process. */
OF_INTERNAL void of_continue_thread(struct of_thread *entry);

/* The entry at INDEX, 0 to OF_THREADS. The last entry belongs to the first thread of the program. */
OF_INTERNAL struct of_thread *of_thread_at(uint64_t index);
OF_INTERNAL uint64_t of_index_of_thread(const struct of_thread *entry);

#endif
#endif
