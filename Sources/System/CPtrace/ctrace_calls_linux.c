#if defined(__linux__)
#define _GNU_SOURCE
#include "ctrace_calls.h"

#include <elf.h>
#include <errno.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system_call_memory.h"

/* ctrace_calls.h has these numbers for Swift, and for systems whose headers lack them. */
_Static_assert(CTRACE_READ == PROT_READ && CTRACE_WRITE == PROT_WRITE &&
                   CTRACE_EXECUTE == PROT_EXEC && CTRACE_MAP_FIXED == MAP_FIXED &&
                   CTRACE_MAP_ANONYMOUS == MAP_ANONYMOUS && CTRACE_SET_SECCOMP == PR_SET_SECCOMP &&
                   CTRACE_UNTRACED == CLONE_UNTRACED && CTRACE_MOVE_FIXED == MREMAP_FIXED &&
                   CTRACE_TRACE_ME == PTRACE_TRACEME && CTRACE_ATTACH == PTRACE_ATTACH,
               "as the kernel has them");
_Static_assert(CTRACE_MMAP == SYS_mmap && CTRACE_MPROTECT == SYS_mprotect &&
                   CTRACE_MUNMAP == SYS_munmap && CTRACE_MREMAP == SYS_mremap &&
                   CTRACE_SIGPROCMASK == SYS_rt_sigprocmask &&
                   CTRACE_SIGRETURN == SYS_rt_sigreturn && CTRACE_PRCTL == SYS_prctl &&
                   CTRACE_CLONE_CALL == SYS_clone && CTRACE_CLONE3_CALL == SYS_clone3 &&
                   CTRACE_PTRACE == SYS_ptrace && CTRACE_SIGPENDING == SYS_rt_sigpending &&
                   CTRACE_SECCOMP == SYS_seccomp && CTRACE_PKEY_MPROTECT == SYS_pkey_mprotect,
               "as the kernel has them");

static int request(enum __ptrace_request what, pid_t tid, uintptr_t address, uintptr_t data) {
  return ptrace(what, tid, (void *)address, (void *)data) < 0 ? errno : 0;
}

#if defined(__x86_64__)
enum { NATIVE = 0xc000003e }; /* AUDIT_ARCH_X86_64 of <linux/audit.h> */
#elif defined(__aarch64__)
enum { NATIVE = 0xc00000b7 }; /* AUDIT_ARCH_AARCH64 */
#endif

int ctrace_call_at(pid_t tid, struct ctrace_call *call) {
  struct __ptrace_syscall_info info;
  if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, (void *)sizeof info, &info) < 0) return errno;
  *call = (struct ctrace_call){.is_native = info.arch == (uint32_t)NATIVE,
                               .counter = info.instruction_pointer};
  if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
    call->place = CTRACE_ENTRY;
    call->number = (int64_t)info.entry.nr;
    for (int i = 0; i < 6; i++) call->arguments[i] = info.entry.args[i];
  } else if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
    call->place = CTRACE_EXIT;
    call->result = info.exit.rval;
  }
  return 0;
}

struct collection {
  int memory;
  struct ctrace_range *ranges;
  int count, most;
};

static void use(void *context, uint64_t address, uint64_t size) {
  struct collection *collection = context;
  if (collection->count < collection->most)
    collection->ranges[collection->count] = (struct ctrace_range){address, size};
  collection->count++;
}

static bool read_memory(void *context, uint64_t address, void *to, uint64_t size) {
  const struct collection *collection = context;
  return pread(collection->memory, to, size, (off_t)address) == (ssize_t)size;
}

int ctrace_call_memory(int memory, const struct ctrace_call *call, struct ctrace_range *ranges,
                       int most, enum ctrace_knowledge *knowledge) {
  struct collection collection = {memory, ranges, 0, most};
  struct orderfile_call_memory reader = {&collection, use, read_memory};
  /* A system call of another ABI, such as a 32-bit call, has another number. */
  *knowledge = CTRACE_UNKNOWN;
  if (call->is_native)
    *knowledge =
        (enum ctrace_knowledge)orderfile_call_memory_used(call->number, call->arguments, &reader);
  if (collection.count > most) *knowledge = CTRACE_UNKNOWN;
  return collection.count < most ? collection.count : most;
}

bool ctrace_denied_access(pid_t tid, uint64_t *address) {
  siginfo_t info;
  if (request(PTRACE_GETSIGINFO, tid, 0, (uintptr_t)&info) || info.si_code != SEGV_ACCERR)
    return false;
  *address = (uint64_t)(uintptr_t)info.si_addr;
  return true;
}

static int get(pid_t tid, struct user_regs_struct *registers) {
  struct iovec buffer = {registers, sizeof *registers};
  return request(PTRACE_GETREGSET, tid, NT_PRSTATUS, (uintptr_t)&buffer);
}

static int set(pid_t tid, struct user_regs_struct *registers) {
  struct iovec buffer = {registers, sizeof *registers};
  return request(PTRACE_SETREGSET, tid, NT_PRSTATUS, (uintptr_t)&buffer);
}

/* A system call that the tracer makes a thread perform. */
struct injected {
  long number;
  uint64_t arguments[3];
};

_Static_assert((int)CTRACE_UNKNOWN == (int)ORDERFILE_CALL_UNKNOWN &&
                   (int)CTRACE_LATER == (int)ORDERFILE_CALL_LATER,
               "as the table of system calls has them");

/* Machine-specific: where a call's number, arguments and result are, and how a thread returns to its
 * present instruction. */
#if defined(__x86_64__)
static void prepare(struct user_regs_struct *registers, uint64_t instruction, bool at_entry,
                    const struct injected *call) {
  if (at_entry) {
    registers->orig_rax = (uint64_t)call->number;
  } else {
    registers->rip = instruction;
    registers->rax = (uint64_t)call->number;
    registers->orig_rax = (uint64_t)-1; /* the kernel must not restart an earlier call */
  }
  registers->rdi = call->arguments[0];
  registers->rsi = call->arguments[1];
  registers->rdx = call->arguments[2];
}

static int replace_call(pid_t tid, long number) { return (void)tid, (void)number, 0; }
static int64_t result_of(const struct user_regs_struct *registers) {
  return (int64_t)registers->rax;
}

/* A system call preserves all vector registers. */
struct vectors {
  size_t size;
};
static void keep_vectors(pid_t tid, struct vectors *vectors) { (void)tid, (void)vectors; }
static int restore_vectors(pid_t tid, struct vectors *vectors) {
  return (void)tid, (void)vectors, 0;
}

/* Makes a call begin again after the injected call, if the thread has stopped at the entry of the call, or if the call
 * was interrupted. The kernel restarts an interrupted call only on the way back to the program, and the injected call
 * has used that way. */
static void begin_again(struct user_regs_struct *registers, bool at_entry) {
  int64_t result = (int64_t)registers->rax;
  bool was_interrupted = (int64_t)registers->orig_rax >= 0 && result <= -512 && result >= -516;
  if (!at_entry && !was_interrupted) return;
  registers->rip -= CTRACE_CALL_SIZE;
  registers->rax = !at_entry && result == -516 ? SYS_restart_syscall : registers->orig_rax;
  registers->orig_rax = (uint64_t)-1;
}
#elif defined(__aarch64__)
static void prepare(struct user_regs_struct *registers, uint64_t instruction, bool at_entry,
                    const struct injected *call) {
  if (!at_entry) registers->pc = instruction;
  registers->regs[8] = (uint64_t)call->number;
  for (int i = 0; i < 3; i++) registers->regs[i] = call->arguments[i];
}

static int replace_call(pid_t tid, long number) {
  int call = (int)number;
  struct iovec buffer = {&call, sizeof call};
  return request(PTRACE_SETREGSET, tid, NT_ARM_SYSTEM_CALL, (uintptr_t)&buffer);
}
static int64_t result_of(const struct user_regs_struct *registers) {
  return (int64_t)registers->regs[0];
}

/* A system call discards the part of the vector registers that SVE adds, and all predicates
 * <Documentation/arm64/sve.rst>. The program's instruction still needs them. */
struct vectors {
  size_t size; /* the size of the SVE state; 0: the machine has no SVE */
  uint8_t bytes[16 << 10];
};

static void keep_vectors(pid_t tid, struct vectors *vectors) {
  struct iovec buffer = {vectors->bytes, sizeof vectors->bytes};
  bool is_known = request(PTRACE_GETREGSET, tid, NT_ARM_SVE, (uintptr_t)&buffer) == 0;
  vectors->size = is_known ? buffer.iov_len : 0;
}

static int restore_vectors(pid_t tid, struct vectors *vectors) {
  struct iovec buffer = {vectors->bytes, vectors->size};
  return vectors->size ? request(PTRACE_SETREGSET, tid, NT_ARM_SVE, (uintptr_t)&buffer) : 0;
}

/* The kernel has already restored the first argument of an interrupted call. */
static void begin_again(struct user_regs_struct *registers, bool at_entry) {
  if (at_entry) registers->pc -= CTRACE_CALL_SIZE;
}
#endif

int ctrace_call_again(pid_t tid, const struct ctrace_call *call) {
  struct user_regs_struct registers;
  int error = get(tid, &registers);
  if (error) return error;
#if defined(__x86_64__)
  registers.rip -= CTRACE_CALL_SIZE; /* SYSCALL and INT 0x80 have the same size */
  registers.rax = (uint64_t)call->number;
  registers.orig_rax = (uint64_t)-1;
#elif defined(__aarch64__)
  registers.pc -= CTRACE_CALL_SIZE;
  registers.regs[0] = call->arguments[0];
#endif
  return set(tid, &registers);
}

/* Runs the thread to the next entry or exit of a system call. Returns ESRCH if the thread ends, or if another thread of
 * its process calls exec and takes over its number. A stop signal that arrives meanwhile is sent again later. */
static int next_call_stop(pid_t tid, int *status, bool *was_stopped) {
  for (;;) {
    int error = request(PTRACE_SYSCALL, tid, 0, 0);
    if (error) return error;
    while (waitpid(tid, status, __WALL) < 0)
      if (errno != EINTR) return errno;
    if (!WIFSTOPPED(*status) || *status >> 16 == PTRACE_EVENT_EXEC) return ESRCH;
    if (*status >> 16 == 0 && WSTOPSIG(*status) == (SIGTRAP | 0x80)) return 0;
    if (*status >> 16 == 0 && WSTOPSIG(*status) == SIGSTOP) *was_stopped = true;
    if (*status >> 16 == 0 && WSTOPSIG(*status) == SIGSEGV) return EFAULT; /* INSTRUCTION is not in memory */
  }
}

/* A program may handle its own system calls (PR_SET_SYSCALL_USER_DISPATCH). An injected call would raise SIGSYS, so dispatch
 * is off during the call. These requests came with Linux 6.4: older headers lack them. */
struct dispatch {
  uint64_t mode, selector, offset, size;
};
enum { SET_DISPATCH = 0x4210, GET_DISPATCH = 0x4211 };

bool ctrace_can_suspend_dispatch(pid_t tid) {
  struct dispatch dispatch;
  return request(GET_DISPATCH, tid, sizeof dispatch, (uintptr_t)&dispatch) == 0;
}

static int suspend_dispatch(pid_t tid, struct dispatch *dispatch) {
  struct dispatch off = {0, 0, 0, 0};
  if (request(GET_DISPATCH, tid, sizeof *dispatch, (uintptr_t)dispatch)) dispatch->mode = 0;
  return dispatch->mode ? request(SET_DISPATCH, tid, sizeof off, (uintptr_t)&off) : 0;
}

static int resume_dispatch(pid_t tid, struct dispatch *dispatch) {
  if (!dispatch->mode) return 0;
  /* The kernel reports mode 2, PR_SYS_DISPATCH_INCLUSIVE_ON, as mode 1 with the complement of the range, and
   * refuses to set mode 1 with such a range. So this function restores mode 2 and its range. */
  if (dispatch->offset && dispatch->offset + dispatch->size <= dispatch->offset) {
    dispatch->mode = 2;
    dispatch->offset += dispatch->size;
    dispatch->size = -dispatch->size;
  }
  return request(SET_DISPATCH, tid, sizeof *dispatch, (uintptr_t)dispatch);
}

/* Makes a stopped thread perform a system call, stores the result, and restores the state of the thread. */
static int perform(pid_t tid, uint64_t instruction, const struct injected *injected,
                   int64_t *result, int *status) {
  *status = -1;
  struct ctrace_call call;
  int failure = ctrace_call_at(tid, &call);
  bool at_entry = !failure && call.place == CTRACE_ENTRY;
  struct user_regs_struct saved, registers;
  uint64_t mask, all = ~UINT64_C(0);
  if (failure || (failure = get(tid, &saved)) ||
      (failure = request(PTRACE_GETSIGMASK, tid, sizeof mask, (uintptr_t)&mask)) ||
      (failure = request(PTRACE_SETSIGMASK, tid, sizeof all, (uintptr_t)&all)))
    return failure;
  struct dispatch dispatch = {0, 0, 0, 0}; /* at the entry of a call, the kernel has decided already whether to dispatch it */
  if (!at_entry && (failure = suspend_dispatch(tid, &dispatch))) return failure;
  struct vectors vectors;
  keep_vectors(tid, &vectors);
  registers = saved;
  prepare(&registers, instruction, at_entry, injected);
  bool was_stopped = false;
  failure = set(tid, &registers);
  if (!failure)
    failure = at_entry ? replace_call(tid, injected->number)
                       : next_call_stop(tid, status, &was_stopped);
  if (!failure) failure = next_call_stop(tid, status, &was_stopped);
  if (failure) return failure;
  if (!(failure = get(tid, &registers))) *result = result_of(&registers);
  begin_again(&saved, at_entry);
  if (!failure) failure = set(tid, &saved);
  if (!failure) failure = restore_vectors(tid, &vectors);
  if (!failure) failure = resume_dispatch(tid, &dispatch);
  if (!failure) failure = request(PTRACE_SETSIGMASK, tid, sizeof mask, (uintptr_t)&mask);
  if (was_stopped) syscall(SYS_tkill, tid, SIGSTOP);
  *status = -1;
  return failure;
}

int ctrace_protect(pid_t tid, uint64_t instruction, uint64_t address, uint64_t size,
                   uint32_t protection, int *error, int *status) {
  struct injected call = {SYS_mprotect, {address, size, protection}};
  int64_t result = 0;
  int failure = perform(tid, instruction, &call, &result, status);
  if (!failure) *error = (int)-result;
  return failure;
}

int ctrace_forbids_execution(pid_t tid, uint64_t instruction, bool *is_forbidden, int *status) {
  enum { GET_MDWE = 66 }; /* PR_GET_MDWE, which older headers lack */
  struct injected call = {SYS_prctl, {GET_MDWE}};
  int64_t result = 0;
  int failure = perform(tid, instruction, &call, &result, status);
  *is_forbidden = !failure && result > 0;
  return failure;
}

/* Returns whether a thread has stopped at an event inside a system call. The kernel has not stored the result of the
 * call yet. */
static bool is_inside_call(pid_t tid) {
  siginfo_t info;
  if (request(PTRACE_GETSIGINFO, tid, 0, (uintptr_t)&info) || info.si_signo != SIGTRAP) return false;
  int event = info.si_code >> 8;
  return event > 0 && event < PTRACE_EVENT_STOP;
}

int ctrace_permit_access(pid_t tid, uint64_t instruction, bool is_permitted, bool *was_permitted,
                         int *error, int *status) {
  *status = -1;
  if (is_inside_call(tid)) return EBUSY;
  int64_t result = 0;
  if (was_permitted) {
    struct injected call = {SYS_prctl, {PR_GET_DUMPABLE}};
    int failure = perform(tid, instruction, &call, &result, status);
    if (failure) return failure;
    *was_permitted = result == 1;
  }
  struct injected call = {SYS_prctl, {PR_SET_DUMPABLE, is_permitted}};
  int failure = perform(tid, instruction, &call, &result, status);
  if (!failure) *error = (int)-result;
  return failure;
}
#endif
