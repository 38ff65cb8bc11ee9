/* ptrace(2) for Swift, which cannot call a variadic function, and what each machine does differently.
 * Thin: no state. A result of int is 0 or an errno, unless it says otherwise. */
#ifndef CTRACE_H
#define CTRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

/* Attaches to the thread TID without stopping it. From then on its forks, clones and execs stop it, its
 * system calls are told from signals, and what it creates is attached, too. */
int ctrace_seize(pid_t tid);
/* Stores the numbers of the threads of process PID, at most MOST, and returns how many; 0 if it is gone. */
int ctrace_threads(pid_t pid, pid_t *tids, int most);
/* Stops the thread; it says so by ctrace_wait. */
int ctrace_interrupt(pid_t tid);

/* Lets a stopped thread go on, with SIGNAL delivered unless that is 0: until it stops for a reason of its
 * own, also at the next system call, or after one instruction. */
int ctrace_continue(pid_t tid, int signal);
int ctrace_continue_to_system_call(pid_t tid, int signal);
int ctrace_step(pid_t tid, int signal);
/* Lets a group-stopped thread wait for SIGCONT. */
int ctrace_listen(pid_t tid);
int ctrace_detach(pid_t tid, int signal);

/* Why a thread has stopped: bits 16 and up of what ctrace_wait stores. PTRACE_EVENT_* of <linux/ptrace.h>,
 * which can't be included beside <sys/ptrace.h>. */
enum {
  CTRACE_FORK = 1,
  CTRACE_VFORK = 2,
  CTRACE_CLONE = 3,
  CTRACE_EXEC = 4,
  CTRACE_VFORK_DONE = 5,
  CTRACE_STOP = 128,
};

/* What goes with the event that a thread has stopped at: a new thread's number, or the old one of a
 * thread that called exec. 0 if there is nothing. */
uint64_t ctrace_event_message(pid_t tid);

/* Where a stopped thread is. */
int ctrace_program_counter(pid_t tid, uint64_t *address);
int ctrace_set_program_counter(pid_t tid, uint64_t address);
/* The address that a function was called with, of a thread that has stopped at the function's first
 * instruction. */
int ctrace_first_argument(pid_t tid, uint64_t *address);

/* Whether a thread that stopped with SIGTRAP has run into a breakpoint: nobody sent the signal. */
bool ctrace_is_at_breakpoint(pid_t tid);

/* Whether a stopped thread has run into a breakpoint or a page that denies access, and has yet to stop for that:
 * it goes on to that stop without executing anything. */
bool ctrace_has_pending_fault(pid_t tid);

/* The signals that a stopped thread blocks, bit N - 1 for signal N. */
int ctrace_blocked_signals(pid_t tid, uint64_t *mask);
int ctrace_block_signals(pid_t tid, uint64_t mask);

/* Whether the thread or process that PARENT has just created uses PARENT's memory. */
bool ctrace_shares_memory(pid_t parent, pid_t created, bool by_vfork);

/* Of the auxiliary vector, <getauxval(3)>. */
enum { CTRACE_AT_BASE = 7, CTRACE_AT_ENTRY = 9, CTRACE_AT_SYSINFO_EHDR = 33 };

/* The instruction that stops a thread, and how far behind its address it stops. */
#if defined(__x86_64__)
enum { CTRACE_BREAKPOINT_SIZE = 1, CTRACE_BREAKPOINT_ADVANCE = 1 };
static const uint32_t ctrace_breakpoint = 0xcc; /* INT3 */
#elif defined(__aarch64__)
enum { CTRACE_BREAKPOINT_SIZE = 4, CTRACE_BREAKPOINT_ADVANCE = 0 };
static const uint32_t ctrace_breakpoint = 0xd4200000; /* BRK #0 */
#endif

#pragma clang assume_nonnull end

#endif
