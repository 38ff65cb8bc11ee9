/* The page tracer: a library that `orderfile pages` has loaded into a program (LD_PRELOAD).
 *
 * Idea. The program's images lose access to their pages (mprotect). The first touch of a page is a fault;
 * the handler of SIGSEGV notes page, kind of access and instruction, gives access back, and the
 * instruction runs again. So each page costs a fault for each kind of access, and nothing after it.
 *
 * What is withheld. Of a watched image execution, as soon as it is mapped or, of what is mapped already, when
 * this library is initialised. All else when its first instruction runs, since before that the loader works
 * on it: that reads the tables and writes the relocated pages, for every image alike, and does not count.
 * Read, write and execute are given back one by one, but nothing can be executed or written on x86-64 that
 * can't be read, so a read behind those is not seen.
 *
 * System calls. The kernel does not fault on a page without access: the call fails (EFAULT), or a part of it
 * is not done, and what it took out of a pipe is lost. So what it is going to use must be there before.
 * Therefore each system call of the program stops (PR_SET_SYSCALL_USER_DISPATCH: SIGSYS), the pages that its
 * arguments tell are given back and noted as the kernel's, and it is done from a stub: `syscall`, and a
 * jump back to behind the program's own. There is a stub for each place that calls, so that no register
 * is needed and a new thread or process comes out of it where it belongs. The kernel leaves calls alone
 * that come from one range of addresses: the stubs, and what this library calls itself (gate_x86_64.c).
 * A new thread is not stopped at its calls unless it asks for it; the stubs of clone and fork do.
 *
 * Signals. Both handlers must be able to run at any instant: no system call gets to block SIGSEGV or
 * SIGSYS, and the program's own actions for the two are kept here, to be called with what is not ours.
 *
 * Nothing here allocates or needs another library: libc may be watched, and is initialised later. The library
 * has no code of the compiler's either: to end it, that would look for a symbol in the program's tables.
 *
 * What it leaves out: a system call that reaches memory through an address within a structure that
 * system_call_memory.c does not know (most of ioctl, io_uring); threads that block SIGSEGV within
 * sigsuspend, pselect and ppoll and touch a new page in a handler there; a page while mprotect(2) of
 * the program works on it. */
#ifndef TRACER_H
#define TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orderfile_page_trace.h"

#if defined(__linux__) && defined(__x86_64__)
#define TRACER_IS_SUPPORTED 1

#define HIDDEN __attribute__((visibility("hidden")))

/* gate_x86_64.c */

/* A system call that does not stop. */
HIDDEN long gate_call(long number, long a, long b, long c, long d, long e, long f);
#define CALL_0(n) gate_call(n, 0, 0, 0, 0, 0, 0)
#define CALL_2(n, a, b) gate_call(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define CALL_3(n, a, b, c) gate_call(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define CALL_4(n, a, b, c, d) gate_call(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define CALL_6(n, a, b, c, d, e, f) \
  gate_call(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
/* Returns from a signal handler; to be given to the kernel. */
HIDDEN void gate_return_from_signal(void);
/* Reads or writes the byte at ADDRESS; -1 if that can't be done. The handler of a fault in them, which
 * gate_is_access tells, goes on at gate_after_failure. */
HIDDEN int gate_peek(uint64_t address);
HIDDEN int gate_poke(uint64_t address, uint8_t byte);
HIDDEN bool gate_is_access(uint64_t counter);
HIDDEN uint64_t gate_after_failure(void);
/* Where the call that ends at RETURN_ADDRESS is to be done instead; 0 if there is no room. */
HIDDEN uint64_t gate_stub(uint64_t return_address, bool makes_process);
/* Makes the system calls of this thread stop, as long as *SELECTOR says so. */
HIDDEN long gate_begin(void);
HIDDEN extern char gate_selector;
enum { GATE_PASS = 0, GATE_STOP = 1 };

/* watched_images.c */

/* Finds images that are new, and withholds execution of those to be watched. */
HIDDEN void images_find(void);
enum touch_result { TOUCH_NOT_OURS, TOUCH_GIVEN };
/* Gives back the page that holds ADDRESS. ACCESS is one of orderfile_page_access, COUNTER the instruction. */
HIDDEN enum touch_result images_touch(uint64_t address, uint32_t access, uint64_t counter);
/* The same for all pages of a range that the kernel is going to use. */
HIDDEN void images_touch_range(uint64_t address, uint64_t size, uint64_t counter);
/* The program has changed the protection of a range, or what is mapped there. */
HIDDEN void images_protected(uint64_t address, uint64_t size, uint32_t protection);
HIDDEN void images_unmapped(uint64_t address, uint64_t size);
/* Gives back everything. */
HIDDEN void images_release(void);
/* Whether COUNTER is where the trace is to stop; then the instruction is back in its place. */
HIDDEN bool images_is_stop(uint64_t counter);

/* signals.c, system_calls.c */
HIDDEN void signals_take(void);
HIDDEN void system_call_stopped(int signal, void *info, void *context);
/* The kernel's struct sigaction. */
struct kernel_action {
  void *handler;
  uint64_t flags;
  void *restorer;
  uint64_t mask;
};
/* What the program wants done at SIGSEGV and SIGSYS. */
HIDDEN struct kernel_action *signals_program_action(int signal);
HIDDEN void signals_forward(int signal, void *info, void *context);
/* SIGSEGV and SIGSYS, as bits of a mask. */
#define OUR_SIGNALS (UINT64_C(1) << 10 | UINT64_C(1) << 30)

/* page_tracer.c */
HIDDEN extern struct orderfile_page_trace *trace; /* NULL: nothing is traced */
/* Claims COUNT records in a row; NULL if there is no room. The first is the caller's to finish. */
HIDDEN struct orderfile_page_record *trace_claim(uint32_t count);
HIDDEN void trace_finish(struct orderfile_page_record *record, uint32_t kind);
/* The number of this process; tells of a fork. */
HIDDEN uint32_t trace_process(void);
HIDDEN void trace_problem(uint32_t problem, long detail);
HIDDEN void trace_stop(void);

#endif

/* Around the functions of a file: an instrumented build passes its flags to this library, too. */
#define TRACER_BEGIN \
  _Pragma("clang attribute push(__attribute__((no_sanitize(\"coverage\"))), apply_to = function)")
#define TRACER_END _Pragma("clang attribute pop")

#endif
