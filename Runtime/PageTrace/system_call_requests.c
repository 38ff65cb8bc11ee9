/* System calls whose memory depends on a request, or contains addresses. */
#define _GNU_SOURCE
#include "system_call_words.h"

#if defined(__linux__)
#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "system_call_ioctl.h"

/* Numbers of calls that glibc's headers may lack. */
enum { IO_URING_SETUP = 425, IO_URING_ENTER, IO_URING_REGISTER, FSCONFIG = 431, CLONE3 = 435 };
enum { FUTEX_WAITV = 449, FUTEX_REQUEUE_2 = 456, SETXATTRAT = 463, GETXATTRAT = 464 };

OF_LOCAL bool of_use_fcntl(uint64_t request, uint64_t address, const struct orderfile_call_memory *memory) {
  switch ((int)request) {
  case F_GETLK:
  case F_SETLK:
  case F_SETLKW:
  case 36: /* F_OFD_GETLK */
  case 37: /* F_OFD_SETLK */
  case 38: /* F_OFD_SETLKW */
    of_use_object(address, 32, memory);
    return true;
  case 15:   /* F_SETOWN_EX */
  case 16:   /* F_GETOWN_EX */
  case 17:   /* F_GETOWNER_UIDS */
  case 1035: /* F_GET_RW_HINT */
  case 1036: /* F_SET_RW_HINT */
  case 1037: /* F_GET_FILE_RW_HINT */
  case 1038: /* F_SET_FILE_RW_HINT */
    of_use_object(address, 8, memory);
    return true;
  case 1039: /* F_GETDELEG */
  case 1040: /* F_SETDELEG */
    of_use_object(address, 16, memory);
    return true;
  default: return (uint32_t)request <= 1034; /* up to F_GET_SEALS, the arguments of other requests are numbers */
  }
}

/* Reports the memory of <PR_SET_MM(2const)>. The kernel does not access the addresses that other requests pass. */
OF_LOCAL bool of_use_memory_map(const uint64_t *a, const struct orderfile_call_memory *memory) {
  uint64_t map[13];
  switch ((int)a[1]) {
  case 12: /* PR_SET_MM_AUXV */ of_use_object(a[2], a[3], memory); return true;
  case 14: /* PR_SET_MM_MAP: the kernel reads nothing if the size is wrong */
    if (a[3] == sizeof map && of_use_and_read(a[2], map, sizeof map, memory)) of_use_object(map[11], (uint32_t)map[12], memory);
    return true;
  case 15: /* PR_SET_MM_MAP_SIZE */ of_use_object(a[2], 4, memory); return true;
  default: return (uint32_t)a[1] < 14;
  }
}

/* <prctl(2)> */
OF_LOCAL bool of_use_prctl(const uint64_t *a, const struct orderfile_call_memory *memory) {
  switch ((int)a[0]) {
  case 2:  /* PR_GET_PDEATHSIG */
  case 5:  /* PR_GET_UNALIGN */
  case 9:  /* PR_GET_FPEMU */
  case 11: /* PR_GET_FPEXC */
  case 19: /* PR_GET_ENDIAN */
  case 25: /* PR_GET_TSC */
  case 37: /* PR_GET_CHILD_SUBREAPER */ of_use_object(a[1], 4, memory); return true;
  case 40: /* PR_GET_TID_ADDRESS */
  case 74: /* PR_GET_SHADOW_STACK_STATUS */ of_use_object(a[1], 8, memory); return true;
  case 15: /* PR_SET_NAME */ of_use_string(a[1], memory); return true;
  case 16: /* PR_GET_NAME */ of_use_object(a[1], 16, memory); return true;
  case 22: /* PR_SET_SECCOMP */
    if (a[1] == 2) of_use_object(a[2], 16, memory);
    return true;
  case 35: /* PR_SET_MM */ return of_use_memory_map(a, memory);
  case 59: /* PR_SET_SYSCALL_USER_DISPATCH */ of_use_object(a[4], 1, memory); return true;
  case 62: /* PR_SCHED_CORE */ of_use_object(a[4], 8, memory); return true;
  case 0x53564d41: /* PR_SET_VMA, PR_SET_VMA_ANON_NAME */ of_use_string(a[4], memory); return true;
  case 0x41555856: /* PR_GET_AUXV */ of_use_object(a[1], a[2], memory); return true;
  /* The arguments of PR_SET_PTRACER and of the other requests are numbers. */
  default: return (uint32_t)a[0] <= 78 /* PR_FUTEX_HASH */ || (uint32_t)a[0] == 0x59616d61;
  }
}

OF_LOCAL bool of_use_ptrace(const uint64_t *a, const struct orderfile_call_memory *memory) {
  uint64_t vector[2], address = a[3], size = 0;
  switch ((int)a[0]) {
  case 1: /* PTRACE_PEEKTEXT to PTRACE_PEEKUSR: the kernel stores the result, <ptrace(2)> */
  case 2:
  case 3: size = 8; break;
  case 12: /* PTRACE_GETREGS, PTRACE_SETREGS */
  case 13: size = 27 * 8; break;
  case 14: /* PTRACE_GETFPREGS, PTRACE_SETFPREGS */
  case 15: size = 512; break;
  case 0x4201: /* PTRACE_GETEVENTMSG */
  case 0x420a: /* PTRACE_GETSIGMASK, PTRACE_SETSIGMASK */
  case 0x420b: size = 8; break;
  case 0x4202: /* PTRACE_GETSIGINFO, PTRACE_SETSIGINFO */
  case 0x4203: size = 128; break;
  case 0x4204: /* PTRACE_GETREGSET, PTRACE_SETREGSET */
  case 0x4205:
    if (of_use_and_read(address, vector, sizeof vector, memory)) of_use_object(vector[0], vector[1], memory);
    return true;
  case 0x420e: size = a[2]; break; /* PTRACE_GET_SYSCALL_INFO */
  case 0: /* Requests whose argument is a number: PTRACE_TRACEME to PTRACE_DETACH, PTRACE_SETOPTIONS, PTRACE_SEIZE to
             PTRACE_LISTEN. */
  case 4:
  case 5:
  case 6:
  case 7:
  case 8:
  case 9:
  case 16:
  case 17:
  case 24:
  case 0x4200:
  case 0x4206:
  case 0x4207:
  case 0x4208: return true;
  default: return false;
  }
  of_use_object(address, size, memory);
  return true;
}

OF_LOCAL bool of_use_futex(const uint64_t *a, const struct orderfile_call_memory *memory) {
  of_use_object(a[0], 4, memory);
  switch ((int)a[1] & FUTEX_CMD_MASK) {
  case FUTEX_WAIT:
  case FUTEX_LOCK_PI:
  case 13: /* FUTEX_LOCK_PI2 */
  case FUTEX_WAIT_BITSET: of_use_object(a[3], 16, memory); return true;
  case FUTEX_WAIT_REQUEUE_PI: of_use_object(a[3], 16, memory); break;
  case FUTEX_REQUEUE:
  case FUTEX_CMP_REQUEUE:
  case FUTEX_CMP_REQUEUE_PI:
  case FUTEX_WAKE_OP: break;
  default: return true;
  }
  of_use_object(a[4], 4, memory);
  return true;
}

/* Reports COUNT structures futex_waitv at ADDRESS, and the futexes that they point to. */
OF_LOCAL void of_use_waiters(uint64_t address, uint64_t count, const struct orderfile_call_memory *memory) {
  uint64_t waiter[3];
  for (uint64_t i = 0; i < count && i < 128; i++) {
    if (!of_use_and_read(address + i * sizeof waiter, waiter, sizeof waiter, memory)) return;
    of_use_object(waiter[1], 4, memory);
  }
}

/* <clone(2)>: the order of the arguments differs between machines. */
OF_LOCAL void of_use_clone(const uint64_t *a, const struct orderfile_call_memory *memory) {
#if defined(__x86_64__)
  uint64_t child = a[3];
#else
  uint64_t child = a[4];
#endif
  if (a[0] & (CLONE_PARENT_SETTID | 0x1000 /* CLONE_PIDFD */)) of_use_object(a[2], 4, memory);
  if (a[0] & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID)) of_use_object(child, 4, memory);
}

OF_LOCAL void of_use_clone3(const uint64_t *a, const struct orderfile_call_memory *memory) {
  uint64_t fields[11] = {0};
  enum { FLAGS, PIDFD, CHILD, PARENT, TIDS = 8, TID_COUNT = 9 };
  uint64_t size = a[1] < sizeof fields ? a[1] : sizeof fields;
  of_use_object(a[0], a[1], memory);
  if (!a[0] || size < 64 || !memory->read(memory->context, a[0], fields, size)) return;
  if (fields[FLAGS] & 0x1000) of_use_object(fields[PIDFD], 4, memory);
  if (fields[FLAGS] & CLONE_PARENT_SETTID) of_use_object(fields[PARENT], 4, memory);
  if (fields[FLAGS] & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID)) of_use_object(fields[CHILD], 4, memory);
  if (fields[TID_COUNT] <= 32) of_use_object(fields[TIDS], fields[TID_COUNT] * 4, memory);
}

/* Reports the new alternate stack, too: the kernel writes to the stack when it delivers a signal. */
OF_LOCAL void of_use_signal_stack(const uint64_t *a, const struct orderfile_call_memory *memory) {
  uint64_t stack[3];
  of_use_object(a[1], sizeof stack, memory);
  if (!of_use_and_read(a[0], stack, sizeof stack, memory)) return;
  if (!((uint32_t)stack[1] & 2 /* SS_DISABLE */)) of_use_object(stack[0], stack[2], memory);
}

/* Reports an argument of pselect6 or io_pgetevents, the address and the size of a signal mask, and the mask. */
OF_LOCAL void of_use_packed_mask(uint64_t address, const struct orderfile_call_memory *memory) {
  uint64_t mask[2];
  if (of_use_and_read(address, mask, sizeof mask, memory)) of_use_object(mask[0], mask[1], memory);
}

OF_LOCAL void of_use_select(const uint64_t *a, uint64_t time_size, const struct orderfile_call_memory *memory) {
  int count = (int)a[0];
  uint64_t size = count > 0 ? ((uint64_t)count + 63) / 64 * 8 : 0;
  for (int i = 1; i <= 3; i++) of_use_object(a[i], size, memory);
  of_use_object(a[4], time_size, memory);
}

OF_LOCAL void of_use_messages(const uint64_t *a, const struct orderfile_call_memory *memory) {
  enum { SIZE = 64 }; /* the size of a struct mmsghdr */
  uint64_t count = (uint32_t)a[2];
  for (uint64_t i = 0; i < count && i < 1024; i++) { /* UIO_MAXIOV */
    of_use_object(a[1] + i * SIZE, SIZE, memory);
    of_use_message(a[1] + i * SIZE, memory);
  }
}

/* Reports an array of addresses of structures iocb, the structures, and their buffers. <io_submit(2)> */
OF_LOCAL void of_use_blocks(const uint64_t *a, const struct orderfile_call_memory *memory) {
  uint64_t block, fields[8];
  for (uint64_t i = 0; i < a[1] && i < 1024; i++) {
    if (!of_use_and_read(a[2] + i * 8, &block, sizeof block, memory)) return;
    if (!of_use_and_read(block, fields, sizeof fields, memory)) return;
    switch (fields[2] & 0xffff) {
    case 0: /* IOCB_CMD_PREAD, IOCB_CMD_PWRITE */
    case 1: of_use_object(fields[3], fields[4], memory); break;
    case 7: /* IOCB_CMD_PREADV, IOCB_CMD_PWRITEV */
    case 8: of_use_vectors(fields[3], fields[4], memory); break;
    default: break;
    }
  }
}

OF_LOCAL void of_use_handle(uint64_t address, const struct orderfile_call_memory *memory) {
  uint32_t size;
  if (of_use_and_read(address, &size, sizeof size, memory) && size <= 4096)
    of_use_object(address, 8 + (uint64_t)size, memory);
}

OF_LOCAL bool of_use_fsconfig(const uint64_t *a, const struct orderfile_call_memory *memory) {
  of_use_string(a[2], memory);
  switch ((int)a[1]) {
  case 1: /* FSCONFIG_SET_STRING, FSCONFIG_SET_PATH, FSCONFIG_SET_PATH_EMPTY */
  case 3:
  case 4: of_use_string(a[3], memory); return true;
  case 2: /* FSCONFIG_SET_BINARY */ of_use_object(a[3], (uint32_t)a[4], memory); return true;
  default: return (uint32_t)a[1] <= 8;
  }
}

/* Reports the memory of shmctl, msgctl and semctl. SIZE is the size of shmid_ds, msqid_ds or semid_ds. */
OF_LOCAL bool of_use_control(uint64_t request, uint64_t address, uint64_t size,
                             const struct orderfile_call_memory *memory) {
  switch ((int)request & ~0x100) { /* IPC_64 */
  case IPC_RMID: return true;
  case IPC_SET:
  case IPC_STAT:
  case 11: /* MSG_STAT */
  case 13: /* SHM_STAT, MSG_STAT_ANY */
  case 15: /* SHM_STAT_ANY */
  case 18: /* SEM_STAT, SEM_STAT_ANY */
  case 20: of_use_object(address, size, memory); return true;
  case IPC_INFO:
  case 12: /* MSG_INFO; SHM_UNLOCK has no address */
  case 14: /* SHM_INFO */
  case 19: /* SEM_INFO */ of_use_object(address, 72, memory); return true;
  default: return false;
  }
}

OF_LOCAL bool of_use_semctl(const uint64_t *a, const struct orderfile_call_memory *memory) {
  switch ((int)a[2] & ~0x100) {
  case GETPID:
  case GETVAL:
  case GETNCNT:
  case GETZCNT:
  case SETVAL: return true;
  case GETALL: /* a number for each semaphore of the set, 32,000 at most */
  case SETALL: of_use_object(a[3], 2, memory); return false;
  default: return of_use_control(a[2], a[3], 104, memory);
  }
}

/* setxattrat and getxattrat: an argument points to the address, the size and the flags of a value. */
OF_LOCAL void of_use_attribute(const uint64_t *a, const struct orderfile_call_memory *memory) {
  uint64_t value[2];
  of_use_words(". s . s 1@6", a, memory);
  if (a[5] >= sizeof value && of_use_and_read(a[4], value, sizeof value, memory))
    of_use_object(value[0], value[1] & 0xffffffff, memory);
}

OF_LOCAL void of_use_option(const uint64_t *a, const struct orderfile_call_memory *memory) {
  uint64_t filter[2];
  enum { ATTACH_FILTER = 26, ATTACH_REUSEPORT_CBPF = 51 };
  of_use_object(a[3], (uint32_t)a[4], memory);
  bool is_filter = (int)a[1] == SOL_SOCKET &&
                   ((int)a[2] == ATTACH_FILTER || (int)a[2] == ATTACH_REUSEPORT_CBPF);
  if (is_filter && of_use_and_read(a[3], filter, sizeof filter, memory))
    of_use_object(filter[1], (filter[0] & 0xffff) * 8, memory);
}

/* Reports the addresses in the other process, too. If they are in a watched image, the other process usually is this
 * process. */
OF_LOCAL void of_use_other_process(const uint64_t *a, const struct orderfile_call_memory *memory) {
  of_use_vectors(a[1], a[2], memory);
  of_use_vectors(a[3], a[4], memory);
}

OF_INTERNAL bool of_use_request(int64_t number, const uint64_t *a,
                                const struct orderfile_call_memory *memory) {
  uint64_t word;
  uint32_t size[2];
  switch (number) {
  case SYS_ioctl: return of_use_ioctl(a[1], a[2], memory);
  case SYS_fcntl: return of_use_fcntl(a[1], a[2], memory);
  case SYS_prctl: return of_use_prctl(a, memory);
  case SYS_ptrace: return of_use_ptrace(a, memory);
  case SYS_futex: return of_use_futex(a, memory);
  case FUTEX_WAITV:
    of_use_waiters(a[0], (uint32_t)a[1], memory);
    of_use_object(a[3], 16, memory);
    return true;
  case FUTEX_REQUEUE_2: of_use_waiters(a[0], 2, memory); return true;
  case SYS_clone: of_use_clone(a, memory); return true;
  case CLONE3: of_use_clone3(a, memory); return true;
  case SYS_sigaltstack: of_use_signal_stack(a, memory); return true;
  case SYS_pselect6:
    of_use_select(a, 16, memory);
    of_use_packed_mask(a[5], memory);
    return true;
  case SYS_io_pgetevents:
    of_use_words(". . . 32@3 16", a, memory);
    of_use_packed_mask(a[5], memory);
    return true;
  case SYS_epoll_ctl:
    if ((int)a[1] != EPOLL_CTL_DEL) of_use_object(a[3], sizeof(struct epoll_event), memory);
    return true;
  case SYS_sendmmsg: of_use_messages(a, memory); return true;
  case SYS_recvmmsg:
    of_use_messages(a, memory);
    of_use_object(a[4], 16, memory);
    return true;
  case SYS_setsockopt: of_use_option(a, memory); return true;
  case SYS_io_submit: of_use_blocks(a, memory); return true;
  case SYS_name_to_handle_at:
    of_use_string(a[1], memory);
    of_use_handle(a[2], memory);
    of_use_object(a[3], (int)a[4] & 1 ? 8 : 4, memory); /* AT_HANDLE_MNT_ID_UNIQUE */
    return true;
  case SYS_open_by_handle_at: of_use_handle(a[1], memory); return true;
  case FSCONFIG: return of_use_fsconfig(a, memory);
  case SETXATTRAT:
  case GETXATTRAT: of_use_attribute(a, memory); return true;
  case SYS_process_vm_readv:
  case SYS_process_vm_writev: of_use_other_process(a, memory); return true;
  case SYS_mincore: of_use_object(a[2], a[1] / 4096 + (a[1] % 4096 != 0), memory); return true;
  case SYS_shmctl: return (int)a[1] == SHM_LOCK || (int)a[1] == SHM_UNLOCK || of_use_control(a[1], a[2], 112, memory);
  case SYS_msgctl: return of_use_control(a[1], a[2], 120, memory);
  case SYS_semctl: return of_use_semctl(a, memory);
  case SYS_msgsnd:
  case SYS_msgrcv: of_use_object(a[1], a[2] < UINT64_MAX - 8 ? a[2] + 8 : a[2], memory); return true;
  case SYS_mq_notify:
    of_use_object(a[1], 64, memory);
    /* SIGEV_THREAD: the first field is the address of a cookie of 32 bytes. */
    if (a[1] && memory->read(memory->context, a[1], &word, 8) &&
        memory->read(memory->context, a[1] + 8, size, sizeof size) && size[1] == 2)
      of_use_object(word, 32, memory);
    return true;
  case SYS_perf_event_open:
    if (of_use_and_read(a[0], size, sizeof size, memory)) of_use_object(a[0], size[1] ? size[1] : 64, memory);
    return true;
  case SYS_seccomp:
    of_use_object(a[2], a[0] == 2 ? 4 : a[0] == 3 ? 6 : a[0] == 1 ? 16 : 0, memory);
    return a[0] <= 3;
#if defined(__x86_64__)
  case SYS_select: of_use_select(a, 16, memory); return true;
  case SYS_arch_prctl: /* ARCH_GET_FS, ARCH_GET_GS, ARCH_GET_XCOMP_SUPP to ARCH_GET_XCOMP_GUEST_PERM */
    of_use_object(a[1], a[0] == 0x1003 || a[0] == 0x1004 || (a[0] >= 0x1021 && a[0] <= 0x1024) ? 8 : 0,
                  memory);
    return true;
#endif
  case IO_URING_SETUP: of_use_object(a[1], 120, memory); return true;
  case IO_URING_ENTER: of_use_object(a[4], a[5], memory); return true;
  case IO_URING_REGISTER: return true; /* after io_uring_setup, reads and writes are not watched */
  default: return false;
  }
}

OF_INTERNAL bool of_is_for_later(int64_t number) { return number == IO_URING_SETUP; }
#else
OF_INTERNAL bool of_is_for_later(int64_t number) { return (void)number, false; }
OF_INTERNAL bool of_use_request(int64_t number, const uint64_t *arguments,
                                const struct orderfile_call_memory *memory) {
  return (void)number, (void)arguments, (void)memory, true;
}
#endif
