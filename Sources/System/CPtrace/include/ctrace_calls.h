/* System calls of a traced thread: reads the call at which the thread has stopped, and makes the thread perform other
 * calls. The functions keep no state. A result of type int is 0 or an errno, unless stated otherwise. */
#ifndef CTRACE_CALLS_H
#define CTRACE_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

enum { CTRACE_OTHER = 0, CTRACE_ENTRY = 1, CTRACE_EXIT = 2 };

/* A system call that a thread has stopped at. */
struct ctrace_call {
  int place; /* CTRACE_ENTRY, CTRACE_EXIT, or CTRACE_OTHER if the thread is not at a call */
  bool is_native;        /* whether it has this machine's ABI, not that of 32-bit programs */
  int64_t number;        /* set at the entry */
  uint64_t arguments[6]; /* set at the entry */
  int64_t result;        /* set at the exit; -errno if the call failed */
  uint64_t counter;      /* the address after the call's instruction */
};
int ctrace_call_at(pid_t tid, struct ctrace_call *call);

/* How much of the memory that a call uses is known: the values of orderfile_call_knowledge. */
enum ctrace_knowledge { CTRACE_KNOWN, CTRACE_UNKNOWN, CTRACE_LATER };

struct ctrace_range {
  uint64_t address, size;
};
/* Stores the ranges of memory that the kernel will use in a call, at most MOST, and returns their count.
 * MEMORY is an open /proc/PID/mem. Stores in *KNOWLEDGE whether the kernel may use other memory, too. */
int ctrace_call_memory(int memory, const struct ctrace_call *call, struct ctrace_range *ranges,
                       int most, enum ctrace_knowledge *knowledge);

/* Makes a thread that has stopped at the exit of CALL repeat CALL when it continues. */
int ctrace_call_again(pid_t tid, const struct ctrace_call *call);

/* Makes a stopped thread change the protection of SIZE bytes at ADDRESS, and leaves the thread stopped, in its former
 * state. If the thread is at the entry of a system call, that call begins again when the thread continues. INSTRUCTION
 * is the address of a system call instruction in its memory; it is not needed at an entry.
 *
 * *ERROR is set to the result of mprotect(2). If the thread has ended meanwhile, or another thread has called exec and
 * taken over its number, ESRCH is returned and *STATUS is set to that of waitpid(2). */
int ctrace_protect(pid_t tid, uint64_t instruction, uint64_t address, uint64_t size,
                   uint32_t protection, int *error, int *status);

/* Makes a stopped thread permit or forbid access to the memory of its process (prctl(2), PR_SET_DUMPABLE), and restores
 * the state of the thread. Stores in *WAS_PERMITTED whether access was permitted before; WAS_PERMITTED may be NULL.
 * Returns EBUSY if the thread is inside a call that creates a process or executes a program. INSTRUCTION, *ERROR and
 * *STATUS are as in ctrace_protect. */
int ctrace_permit_access(pid_t tid, uint64_t instruction, bool is_permitted,
                         bool *_Nullable was_permitted, int *error, int *status);

/* Makes a stopped thread say whether its process has forbidden itself to make memory executable (prctl(2), PR_SET_MDWE),
 * and restores the state of the thread. INSTRUCTION and *STATUS are as in ctrace_protect. */
int ctrace_forbids_execution(pid_t tid, uint64_t instruction, bool *is_forbidden, int *status);

/* Whether the functions above work for a thread that handles its own system calls (prctl(2),
 * PR_SET_SYSCALL_USER_DISPATCH), as they do since Linux 6.4. */
bool ctrace_can_suspend_dispatch(pid_t tid);

/* For a thread that has stopped at SIGSEGV: whether a mapped page denied it access, and where. */
bool ctrace_denied_access(pid_t tid, uint64_t *address);

/* The numbers of mmap(2) on Linux. */
enum { CTRACE_READ = 1, CTRACE_WRITE = 2, CTRACE_EXECUTE = 4 };
enum { CTRACE_MAP_FIXED = 0x10, CTRACE_MAP_ANONYMOUS = 0x20 };
enum { CTRACE_MOVE_FIXED = 2, CTRACE_MOVE_KEEPS_OLD = 4 }; /* flags of mremap(2): MREMAP_FIXED, MREMAP_DONTUNMAP */
enum { CTRACE_SET_SECCOMP = 22, CTRACE_SET_DISPATCH = 59, CTRACE_SET_MDWE = 65 }; /* of prctl(2) */
enum { CTRACE_TRACE_ME = 0, CTRACE_ATTACH = 16, CTRACE_SEIZE = 0x4206 }; /* of ptrace(2) */
enum { CTRACE_UNTRACED = 0x800000 }; /* of clone(2) */

/* The numbers of the calls that a memory tracer has to follow, and the instruction that makes a call. */
#if defined(__x86_64__)
enum {
  CTRACE_MMAP = 9,
  CTRACE_MPROTECT = 10,
  CTRACE_MUNMAP = 11,
  CTRACE_SIGPROCMASK = 14,
  CTRACE_SIGRETURN = 15,
  CTRACE_SIGPENDING = 127,
  CTRACE_MREMAP = 25,
  CTRACE_CLONE_CALL = 56,
  CTRACE_PTRACE = 101,
  CTRACE_PRCTL = 157,
  CTRACE_SECCOMP = 317,
  CTRACE_PKEY_MPROTECT = 329,
  CTRACE_CLONE3_CALL = 435,
  CTRACE_MSEAL = 462,
};
enum { CTRACE_CALL_SIZE = 2 };
static const uint32_t ctrace_call_instruction = 0x050f; /* SYSCALL */
#elif defined(__aarch64__)
enum {
  CTRACE_MMAP = 222,
  CTRACE_MPROTECT = 226,
  CTRACE_MUNMAP = 215,
  CTRACE_SIGPROCMASK = 135,
  CTRACE_SIGPENDING = 136,
  CTRACE_SIGRETURN = 139,
  CTRACE_MREMAP = 216,
  CTRACE_CLONE_CALL = 220,
  CTRACE_PTRACE = 117,
  CTRACE_PRCTL = 167,
  CTRACE_SECCOMP = 277,
  CTRACE_PKEY_MPROTECT = 288,
  CTRACE_CLONE3_CALL = 435,
  CTRACE_MSEAL = 462,
};
enum { CTRACE_CALL_SIZE = 4 };
static const uint32_t ctrace_call_instruction = 0xd4000001; /* SVC #0 */
#endif

#pragma clang assume_nonnull end

#endif
