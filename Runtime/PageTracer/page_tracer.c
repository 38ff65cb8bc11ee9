/* The page tracer: a library that `orderfile pages` loads into a program (LD_PRELOAD).
 *
 * Idea. Access to the pages of the program's images is removed (mprotect). The first touch of a page is a
 * fault; the handler of SIGSEGV notes the page, the kind of access and the instruction, and restores the
 * access; then the instruction runs again. So each page costs one fault for each kind of access, and nothing
 * afterwards.
 *
 * What is withheld. Execution of a watched image is withheld as soon as it is mapped, or, if it is mapped already, when
 * this library is initialized. All other access is withheld when the image's first instruction runs. Before that, the
 * loader reads the tables and writes the relocated pages, in the same way for every image, and this does not count.
 * Read, write and execute access are restored separately, but on x86-64 an executable or writable page is also
 * readable, so a later read is not seen.
 *
 * System calls. The kernel does not fault on a page without access: the call fails (EFAULT), or part of it is not done,
 * and data taken from a pipe are lost. So the memory that a call uses must be accessible before the call. Therefore
 * each system call of the program is intercepted (PR_SET_SYSCALL_USER_DISPATCH: SIGSYS), access to the pages that its
 * arguments refer to is restored and recorded as the kernel's, and the call is made from a stub: `syscall`, and a jump
 * back to the instruction after the program's own. Each call site has its own stub, so that no register is needed, and
 * a new thread or process returns to the right place. The kernel does not intercept calls from one range of addresses:
 * the stubs, and the calls of this library itself (gate_x86_64.c). A new thread's calls are not intercepted unless the
 * thread enables that, as the stubs of clone and fork do.
 *
 * Signals. Both handlers must be able to run at any time: no system call may block SIGSEGV or SIGSYS, and the
 * program's own actions for the two are kept here, and called for signals that are not ours. The handlers run on their
 * own stacks, because a thread's stack may be small (signal_stacks.c).
 *
 * Nothing here allocates or needs another library: libc may be watched, and is initialized later. The library
 * has no C runtime either, because its exit code would look up a symbol in the program's tables.
 *
 * What it leaves out: reads and writes after a system call whose memory is unknown (most ioctl calls, io_uring), and
 * touches of pages whose protection an mprotect(2) of the program is changing at that time. */
#define _GNU_SOURCE
#include "orderfile_page_tracer.h"

#include "faults.h"
#include "memory_owner.h"
#include "gate.h"
#include "page_records.h"
#include "restrictions.h"
#include "signal_stacks.h"
#include "signals.h"
#include "system_calls.h"
#include "trace_end.h"
#include "watched_images.h"

#if OF_TRACER_IS_SUPPORTED
#include <fcntl.h>
#include <of_atomics.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* Functions that compilers call to copy a structure: libc's may be watched. */
#define OWN OF_INTERNAL __attribute__((no_builtin, used))
OWN void *memcpy(void *restrict to, const void *restrict from, size_t size) {
  for (size_t i = 0; i < size; i++) ((char *)to)[i] = ((const char *)from)[i];
  return to;
}
OWN void *memset(void *to, int byte, size_t size) {
  for (size_t i = 0; i < size; i++) ((char *)to)[i] = (char)byte;
  return to;
}

/* The first process stores the path of the launched program, which is watched in all processes. */
OF_LOCAL void of_tell_program(void) {
  static const char name[] = "/proc/self/exe";
  uint32_t state = 0;
  if (of_compare_exchange_relaxed(&of_page_trace->program_state, &state, 1)) { /* relaxed: picks one process */
    OF_CALL_4(SYS_readlinkat, AT_FDCWD, name, of_page_trace->program,
              sizeof of_page_trace->program - 1);
    /* release: publishes the path; pairs with the acquire below, in another process */
    of_store_release(&of_page_trace->program_state, 2);
  }
  while (of_load_acquire(&of_page_trace->program_state) != 2) OF_CALL_0(SYS_sched_yield);
}

/* Stores the value of the variable NAME in this program's environment, at most SIZE bytes with the null; false if there
 * is no such variable. Reads /proc, because this library is initialized before libc. */
OF_LOCAL bool of_read_variable(const char *name, char *value, size_t size) {
  static const char environment[] = "/proc/self/environ";
  char text[1024];
  long descriptor = OF_CALL_4(SYS_openat, AT_FDCWD, environment, O_RDONLY | O_CLOEXEC, 0);
  if (descriptor < 0) return false;
  size_t matched = 0, length = 0;
  bool is_found = false, is_other = false;
  for (long got; !is_found && (got = OF_CALL_3(SYS_read, descriptor, text, sizeof text)) > 0;) {
    for (long i = 0; i < got && !is_found; i++) {
      char c = text[i];
      bool is_value = !is_other && name[matched] == 0;
      if (is_value && length < size) value[length++] = c;
      if (c == 0) {
        is_found = is_value && length < size;
        matched = length = 0;
        is_other = false;
      } else if (!is_value && !is_other) {
        if (c == name[matched]) matched++;
        else is_other = true;
      }
    }
  }
  OF_CALL_2(SYS_close, descriptor, 0);
  return is_found;
}

/* Runs before the initializers of all other libraries, including libc: the linker's `-z initfirst`. */
OF_LOCAL __attribute__((constructor, used)) void of_begin(void) {
  char path[128];
  if (!of_read_variable(ORDERFILE_PAGES_VARIABLE "=", path, sizeof path)) return;
  /* valgrind translates the program and this library. This library would stop the system calls of valgrind itself. */
  char launcher[4096];
  if (of_read_variable("VALGRIND_LAUNCHER=", launcher, sizeof launcher)) return;
  long descriptor = OF_CALL_4(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  if (descriptor < 0) return;
  long size = OF_CALL_3(SYS_lseek, descriptor, 0, 2 /* SEEK_END */);
  long memory =
      OF_CALL_6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  OF_CALL_2(SYS_close, descriptor, 0);
  if (memory < 0 && memory > -4096) return;
  of_page_trace = (struct orderfile_page_trace *)memory;
  if (of_page_trace->stopped) return;
  struct orderfile_page_record *record = of_claim_page_records(1);
  if (!record) return;
  of_finish_page_record(record, ORDERFILE_PAGE_BEGIN);
  of_tell_program();
  struct of_restriction restriction = of_inherited_restriction(path);
  if (restriction.problem) {
    of_note_problem(restriction.problem, restriction.detail);
    return;
  }
  of_own_memory();
  of_take_signal(SIGSEGV, of_fault);
  of_take_signal(SIGSYS, of_system_call_stopped);
  of_give_stack();
  of_gate_task_began = of_task_began;
  long error = of_gate_begin();
  if (error) {
    of_note_problem(ORDERFILE_PAGE_NO_DISPATCH, -error);
    return;
  }
  of_find_images();
}

/* Reads a byte of the program's memory without touching its page. */
static char byte_at(long memory, const char *address) {
  char byte = 0;
  OF_CALL_4(SYS_pread64, memory, &byte, 1, address);
  return byte;
}

void orderfile_rt_mark(const char *name) {
  static const char own_memory[] = "/proc/thread-self/mem";
  if (!of_page_trace || !of_page_trace->stop_mark[0]) return;
  long memory = OF_CALL_4(SYS_openat, AT_FDCWD, own_memory, O_RDONLY | O_CLOEXEC, 0);
  if (memory < 0) return;
  const char *wanted = of_page_trace->stop_mark;
  while (*wanted && byte_at(memory, name) == *wanted) name++, wanted++;
  bool is_same = !*wanted && !byte_at(memory, name);
  OF_CALL_2(SYS_close, memory, 0);
  if (is_same) of_stop_at_mark();
}

void orderfile_rt_stop(void) {
  if (of_page_trace) of_stop_tracing();
}

#else
/* Without support for intercepting system calls, `orderfile pages` traces from outside. */
void orderfile_rt_mark(const char *name) { (void)name; }
void orderfile_rt_stop(void) {}
#endif
