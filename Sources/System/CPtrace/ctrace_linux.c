#if defined(__linux__)
#define _GNU_SOURCE
#include "ctrace.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

static int request(enum __ptrace_request what, pid_t tid, uintptr_t address, uintptr_t data) {
  return ptrace(what, tid, (void *)address, (void *)data) < 0 ? errno : 0;
}

static int seize(pid_t tid, uintptr_t others) {
  uintptr_t options = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEVFORKDONE |
                      PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD;
  return request(PTRACE_SEIZE, tid, 0, options | others);
}

int ctrace_seize(pid_t tid) { return seize(tid, 0); }
int ctrace_seize_to_end(pid_t tid) { return seize(tid, PTRACE_O_TRACEEXIT); }

int ctrace_threads(pid_t pid, pid_t *tids, int most) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
  DIR *folder = opendir(path);
  if (!folder) return 0;
  int count = 0;
  for (struct dirent *entry; count < most && (entry = readdir(folder));)
    if (entry->d_name[0] != '.') tids[count++] = (pid_t)atoi(entry->d_name);
  closedir(folder);
  return count;
}

int ctrace_interrupt(pid_t tid) { return request(PTRACE_INTERRUPT, tid, 0, 0); }

int ctrace_continue(pid_t tid, int signal) {
  return request(PTRACE_CONT, tid, 0, (uintptr_t)signal);
}

int ctrace_continue_to_system_call(pid_t tid, int signal) {
  return request(PTRACE_SYSCALL, tid, 0, (uintptr_t)signal);
}

int ctrace_step(pid_t tid, int signal) {
  return request(PTRACE_SINGLESTEP, tid, 0, (uintptr_t)signal);
}

int ctrace_listen(pid_t tid) { return request(PTRACE_LISTEN, tid, 0, 0); }

int ctrace_detach(pid_t tid, int signal) {
  return request(PTRACE_DETACH, tid, 0, (uintptr_t)signal);
}

uint64_t ctrace_event_message(pid_t tid) {
  unsigned long message = 0;
  return request(PTRACE_GETEVENTMSG, tid, 0, (uintptr_t)&message) ? 0 : message;
}

#if defined(__x86_64__)
/* Reads one register by its place in struct user. */
static int read_register(pid_t tid, size_t place, uint64_t *value) {
  errno = 0;
  long found = ptrace(PTRACE_PEEKUSER, tid, (void *)place, NULL);
  if (errno) return errno;
  *value = (uint64_t)found;
  return 0;
}

int ctrace_program_counter(pid_t tid, uint64_t *address) {
  return read_register(tid, offsetof(struct user_regs_struct, rip), address);
}

int ctrace_set_program_counter(pid_t tid, uint64_t address) {
  return request(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, rip), address);
}

static size_t place_of_argument(int index) {
  static const size_t places[3] = {offsetof(struct user_regs_struct, rdi),
                                   offsetof(struct user_regs_struct, rsi),
                                   offsetof(struct user_regs_struct, rdx)};
  return places[index];
}

int ctrace_argument(pid_t tid, int index, uint64_t *value) {
  return read_register(tid, place_of_argument(index), value);
}

int ctrace_set_argument(pid_t tid, int index, uint64_t value) {
  return request(PTRACE_POKEUSER, tid, place_of_argument(index), value);
}
#elif defined(__aarch64__)
static int transfer(enum __ptrace_request what, pid_t tid, struct user_regs_struct *registers) {
  struct iovec buffer = {registers, sizeof *registers};
  return request(what, tid, NT_PRSTATUS, (uintptr_t)&buffer);
}

int ctrace_program_counter(pid_t tid, uint64_t *address) {
  struct user_regs_struct registers;
  int error = transfer(PTRACE_GETREGSET, tid, &registers);
  if (!error) *address = registers.pc;
  return error;
}

int ctrace_set_program_counter(pid_t tid, uint64_t address) {
  struct user_regs_struct registers;
  int error = transfer(PTRACE_GETREGSET, tid, &registers);
  if (error) return error;
  if (registers.pc == address) return 0;
  registers.pc = address;
  return transfer(PTRACE_SETREGSET, tid, &registers);
}

int ctrace_argument(pid_t tid, int index, uint64_t *value) {
  struct user_regs_struct registers;
  int error = transfer(PTRACE_GETREGSET, tid, &registers);
  if (!error) *value = registers.regs[index];
  return error;
}

int ctrace_set_argument(pid_t tid, int index, uint64_t value) {
  struct user_regs_struct registers;
  int error = transfer(PTRACE_GETREGSET, tid, &registers);
  if (error) return error;
  registers.regs[index] = value;
  return transfer(PTRACE_SETREGSET, tid, &registers);
}
#endif

/* Reads the word of memory that holds the byte at ADDRESS. */
static bool peek(pid_t tid, uint64_t address, uint64_t *word) {
  errno = 0;
  *word = (uint64_t)ptrace(PTRACE_PEEKDATA, tid, (void *)(address & ~UINT64_C(7)), NULL);
  return errno == 0;
}

size_t ctrace_read(pid_t tid, uint64_t address, void *bytes, size_t size) {
  size_t done = 0;
  for (uint64_t word; done < size && peek(tid, address + done, &word);) {
    size_t from = (address + done) % 8;
    size_t count = 8 - from < size - done ? 8 - from : size - done;
    memcpy((char *)bytes + done, (char *)&word + from, count);
    done += count;
  }
  return done;
}

size_t ctrace_write(pid_t tid, uint64_t address, const void *bytes, size_t size) {
  size_t done = 0;
  for (uint64_t word; done < size && peek(tid, address + done, &word);) {
    size_t from = (address + done) % 8;
    size_t count = 8 - from < size - done ? 8 - from : size - done;
    memcpy((char *)&word + from, (const char *)bytes + done, count);
    if (request(PTRACE_POKEDATA, tid, (address + done) & ~UINT64_C(7), word)) break;
    done += count;
  }
  return done;
}

bool ctrace_is_at_breakpoint(pid_t tid) {
  siginfo_t info;
  if (request(PTRACE_GETSIGINFO, tid, 0, (uintptr_t)&info)) return false;
  return info.si_code == SI_KERNEL || info.si_code == TRAP_BRKPT;
}

bool ctrace_is_fault(pid_t tid) {
  siginfo_t info;
  return !request(PTRACE_GETSIGINFO, tid, 0, (uintptr_t)&info) && info.si_code > 0;
}

_Static_assert(sizeof(struct ctrace_signal) == sizeof(siginfo_t), "as the kernel has it");

int ctrace_signal(pid_t tid, struct ctrace_signal *signal) {
  return request(PTRACE_GETSIGINFO, tid, 0, (uintptr_t)signal);
}

int ctrace_set_signal(pid_t tid, const struct ctrace_signal *signal) {
  return request(PTRACE_SETSIGINFO, tid, 0, (uintptr_t)signal);
}

/* setitimer(2) sends signals as SI_KERNEL. */
bool ctrace_is_of_timer(const struct ctrace_signal *signal) {
  siginfo_t info;
  memcpy(&info, signal, sizeof info);
  bool is_fault = info.si_signo == SIGSEGV || info.si_signo == SIGBUS || info.si_signo == SIGTRAP ||
                  info.si_signo == SIGILL || info.si_signo == SIGFPE;
  return !is_fault && (info.si_code == SI_KERNEL || info.si_code == SI_TIMER);
}

int ctrace_send_signal(pid_t tid, int signal) { return syscall(SYS_tkill, tid, signal) < 0 ? errno : 0; }

bool ctrace_has_pending_fault(pid_t tid) {
  uint64_t blocked;
  if (ctrace_blocked_signals(tid, &blocked)) return false;
  siginfo_t signals[16];
  struct __ptrace_peeksiginfo_args range = {0, 0, 16};
  for (long count;
       (count = ptrace(PTRACE_PEEKSIGINFO, tid, &range, signals)) > 0; range.off += (uint64_t)count)
    for (long i = 0; i < count; i++) {
      int signal = signals[i].si_signo;
      bool is_blocked = blocked >> (signal - 1) & 1;
      if ((signal == SIGTRAP || signal == SIGSEGV) && signals[i].si_code > 0 && !is_blocked)
        return true;
    }
  return false;
}

int ctrace_blocked_signals(pid_t tid, uint64_t *mask) {
  return request(PTRACE_GETSIGMASK, tid, sizeof *mask, (uintptr_t)mask);
}

int ctrace_block_signals(pid_t tid, uint64_t mask) {
  return request(PTRACE_SETSIGMASK, tid, sizeof mask, (uintptr_t)&mask);
}

int ctrace_mapped_file(const char *path, char *text, size_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, file, 0);
  int refusal = errno;
  close(file);
  if (page == MAP_FAILED) return refusal;
  FILE *maps = fopen("/proc/thread-self/maps", "re");
  int error = maps ? ENOENT : errno;
  char line[256]; /* the rest of a longer line is part of a path, and has no such fields */
  while (maps && error && fgets(line, sizeof line, maps)) {
    char device[32], inode[32];
    unsigned long start;
    if (sscanf(line, "%lx-%*x %*4s %*x %31s %31s", &start, device, inode) != 3 ||
        start != (unsigned long)page)
      continue;
    int count = snprintf(text, size, "%s %s", device, inode);
    error = count > 0 && (size_t)count < size ? 0 : ENAMETOOLONG;
  }
  if (maps) fclose(maps);
  munmap(page, 1);
  return error;
}

bool ctrace_shares_memory(pid_t parent, pid_t created, bool by_vfork) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task/%d", (int)parent, (int)created);
  if (access(path, F_OK) == 0) return true; /* a thread */
  long comparison = syscall(SYS_kcmp, parent, created, KCMP_VM, 0, 0);
  return comparison < 0 ? by_vfork : comparison == 0; /* containers may refuse kcmp */
}
#endif
