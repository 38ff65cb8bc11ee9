/* ptrace(2) for Swift, which cannot call a variadic function, with the machine-specific parts. The functions keep no
 * state. A result of type int is 0 or an errno, unless stated otherwise. */
#ifndef CTRACE_H
#define CTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

/* Attaches to the thread TID without stopping it. From then on the thread stops at its forks, clones and execs, its
 * system calls can be distinguished from signals, and threads and processes that it creates are attached, too. */
int ctrace_seize(pid_t tid);
/* Attaches to the thread as ctrace_seize does. From then on each attached thread also stops at its end, with
 * CTRACE_END, while it still has its memory. */
int ctrace_seize_to_end(pid_t tid);
/* Stores the numbers of the threads of process PID, at most MOST, and returns their count; 0 if the process is gone. */
int ctrace_threads(pid_t pid, pid_t *tids, int most);
/* Stops the thread; ctrace_wait reports the stop. */
int ctrace_interrupt(pid_t tid);

/* Continue a stopped thread, and deliver SIGNAL unless it is 0. The thread runs until it stops for a reason of its own:
 * ctrace_continue_to_system_call also stops it at the next system call, and ctrace_step after one instruction. */
int ctrace_continue(pid_t tid, int signal);
int ctrace_continue_to_system_call(pid_t tid, int signal);
int ctrace_step(pid_t tid, int signal);
/* Lets a group-stopped thread wait for SIGCONT. */
int ctrace_listen(pid_t tid);
int ctrace_detach(pid_t tid, int signal);

/* The reason of a stop: bits 16 and up of the status that ctrace_wait stores. These are PTRACE_EVENT_* of
 * <linux/ptrace.h>, which can't be included together with <sys/ptrace.h>. */
enum {
  CTRACE_FORK = 1,
  CTRACE_VFORK = 2,
  CTRACE_CLONE = 3,
  CTRACE_EXEC = 4,
  CTRACE_VFORK_DONE = 5,
  CTRACE_END = 6,
  CTRACE_STOP = 128,
};

/* The message of the event at which a thread has stopped: the number of a new thread, or the former number
 * of a thread that called exec. 0 if there is none. */
uint64_t ctrace_event_message(pid_t tid);

/* The program counter of a stopped thread. */
int ctrace_program_counter(pid_t tid, uint64_t *address);
int ctrace_set_program_counter(pid_t tid, uint64_t address);
/* The argument INDEX, 0 to 2, of a function, for a thread that has stopped at the first instruction of the function. */
int ctrace_argument(pid_t tid, int index, uint64_t *value);
int ctrace_set_argument(pid_t tid, int index, uint64_t value);

/* Copy bytes from and to the memory of a stopped thread, whatever the protection of the memory. Return the number of
 * bytes that were copied. Each word takes a request: use them only if /proc/PID/mem can't be opened. */
size_t ctrace_read(pid_t tid, uint64_t address, void *bytes, size_t size);
size_t ctrace_write(pid_t tid, uint64_t address, const void *bytes, size_t size);

/* Whether a thread that stopped with SIGTRAP has hit a breakpoint, so that nobody sent the signal. */
bool ctrace_is_at_breakpoint(pid_t tid);

/* Whether an instruction of a stopped thread caused the signal that stopped it, so that nobody sent the signal. */
bool ctrace_is_fault(pid_t tid);

/* The information that comes with a signal, a siginfo_t. */
struct ctrace_signal {
  uint64_t words[16];
};
int ctrace_signal(pid_t tid, struct ctrace_signal *signal);
int ctrace_set_signal(pid_t tid, const struct ctrace_signal *signal);
/* Whether a timer has sent the signal. */
bool ctrace_is_of_timer(const struct ctrace_signal *signal);
/* Sends SIGNAL to a thread. */
int ctrace_send_signal(pid_t tid, int signal);

/* Whether a stopped thread has hit a breakpoint or a page that denies access, but has not stopped for that
 * yet: when continued, it stops without executing anything. */
bool ctrace_has_pending_fault(pid_t tid);

/* The signals that a stopped thread blocks, bit N - 1 for signal N. */
int ctrace_blocked_signals(pid_t tid, uint64_t *mask);
int ctrace_block_signals(pid_t tid, uint64_t mask);

/* Whether the thread or process that PARENT has just created uses PARENT's memory. */
bool ctrace_shares_memory(pid_t parent, pid_t created, bool by_vfork);

/* Stores the device and the inode of the file at PATH as in /proc/PID/maps: `fe:00 1234`. On btrfs and overlayfs they
 * may differ from those of stat(2). Fails for a file that can't be mapped, such as an empty one. */
int ctrace_mapped_file(const char *path, char *text, size_t size);

/* Types of entries in the auxiliary vector <getauxval(3)>. */
enum { CTRACE_AT_BASE = 7, CTRACE_AT_ENTRY = 9, CTRACE_AT_SYSINFO_EHDR = 33 };

/* The instruction that stops a thread, and the distance after its address at which the thread stops. */
#if defined(__x86_64__)
enum { CTRACE_BREAKPOINT_SIZE = 1, CTRACE_BREAKPOINT_ADVANCE = 1 };
static const uint32_t ctrace_breakpoint = 0xcc; /* INT3 */
#elif defined(__aarch64__)
enum { CTRACE_BREAKPOINT_SIZE = 4, CTRACE_BREAKPOINT_ADVANCE = 0 };
static const uint32_t ctrace_breakpoint = 0xd4200000; /* BRK #0 */
#endif

/* Reads the ID of the 64-bit ELF image whose file begins at START in the memory of a process: its build ID, or a weak
 * ID of its program headers. READ reads that memory. ID has room for CTRACE_MOST_ID_BYTES. Returns the size of the ID;
 * 0 if there are no headers at START. */
enum { CTRACE_MOST_ID_BYTES = 64 };
uint32_t ctrace_image_id(uint64_t start,
                         bool (*read)(void *_Nullable context, uint64_t address, void *_Nonnull to,
                                      uint64_t size),
                         void *_Nullable context, uint8_t *id, bool *is_weak);

#pragma clang assume_nonnull end

#endif
