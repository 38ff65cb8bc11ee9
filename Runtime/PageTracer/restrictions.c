#define _GNU_SOURCE
#include "restrictions.h"

#if OF_TRACER_IS_SUPPORTED
#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <stddef.h>
#include <sys/syscall.h>

/* Numbers of system calls and of options of prctl(2) that older headers lack. */
enum { MSEAL = 462, SET_MDWE = 65, GET_MDWE = 66 };
enum { TRACEME = 0, ATTACH = 16, SEIZE = 0x4206 }; /* of ptrace(2) */

OF_LOCAL struct of_restriction of_restriction(enum orderfile_page_problem problem, int detail) {
  struct of_restriction restriction;
  restriction.problem = problem;
  restriction.detail = detail;
  return restriction;
}

/* Whether a filter is at ADDRESS. Programs test whether filters are supported with one at address 0, which is
 * refused. */
OF_LOCAL bool of_is_filter(uint64_t address) {
  enum { SIZE = 16 }; /* the size of a struct sock_fprog */
  for (uint64_t i = 0; i < SIZE; i++)
    if (of_gate_peek(address + i) < 0) return false;
  return true;
}

struct of_restriction of_restriction_by(long number, const uint64_t *a) {
  bool is_strict = false, filters = false;
  switch (number) {
  case MSEAL: return of_restriction(ORDERFILE_PAGE_REFUSED, EPERM);
  case SYS_ptrace:
    /* From then on, each of our signals stops the traced process until its debugger continues it. The debugger may be
     * suspended in vfork until that process calls exec. */
    if (a[0] == TRACEME || a[0] == ATTACH || a[0] == SEIZE) return of_restriction(ORDERFILE_PAGE_TRACED, 0);
    break;
  case SYS_seccomp:
    is_strict = a[0] == 0; /* SECCOMP_SET_MODE_STRICT */
    filters = a[0] == 1;   /* SECCOMP_SET_MODE_FILTER */
    break;
  case SYS_prctl:
    if (a[0] == PR_SET_SYSCALL_USER_DISPATCH) return of_restriction(ORDERFILE_PAGE_DISPATCHED, 0);
    /* The kernel would refuse to make pages executable again. */
    if (a[0] == SET_MDWE && a[1] & 1) return of_restriction(ORDERFILE_PAGE_REFUSED, EACCES);
    is_strict = a[0] == PR_SET_SECCOMP && a[1] == 1; /* SECCOMP_MODE_STRICT */
    filters = a[0] == PR_SET_SECCOMP && a[1] == 2;   /* SECCOMP_MODE_FILTER */
    break;
  default: break;
  }
  if (is_strict || (filters && of_is_filter(a[2]))) return of_restriction(ORDERFILE_PAGE_SECCOMP, 0);
  return of_restriction(ORDERFILE_PAGE_NO_PROBLEM, 0);
}

/* Returns the number of seccomp filters of the process whose /proc/PID/status is at PATH; -1 if the number is unknown. */
OF_LOCAL long of_filter_count(const char *path) {
  static const char name[] = "\nSeccomp_filters:\t";
  char text[4096];
  long descriptor = OF_CALL_4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  long size = OF_CALL_3(SYS_read, descriptor, text, sizeof text);
  OF_CALL_2(SYS_close, descriptor, 0);
  long matched = 0, length = sizeof name - 1;
  for (long i = 0; i < size; i++) {
    if (matched == length) {
      long count = 0;
      for (; i < size && text[i] >= '0' && text[i] <= '9'; i++) count = count * 10 + (text[i] - '0');
      return count;
    }
    matched = text[i] == name[matched] ? matched + 1 : text[i] == name[0];
  }
  return -1;
}

struct of_restriction of_inherited_restriction(const char *command) {
  static const char own[] = "/proc/self/status", status[] = "status";
  if (OF_CALL_2(SYS_prctl, GET_MDWE, 0) > 0) return of_restriction(ORDERFILE_PAGE_REFUSED, EACCES);
  if (OF_CALL_2(SYS_prctl, PR_GET_SECCOMP, 0) != 2) return of_restriction(ORDERFILE_PAGE_NO_PROBLEM, 0);
  /* The filters of a container do not count: the command has them, too, and was able to launch the program. */
  char path[128];
  size_t size = 0, slashes = 0;
  for (; command[size] && slashes < 3 && size < sizeof path - sizeof status; size++) {
    path[size] = command[size];
    slashes += command[size] == '/';
  }
  for (size_t i = 0; i < sizeof status; i++) path[size + i] = status[i];
  if (of_filter_count(own) == of_filter_count(path)) return of_restriction(ORDERFILE_PAGE_NO_PROBLEM, 0);
  return of_restriction(ORDERFILE_PAGE_SECCOMP, 0);
}
#endif
