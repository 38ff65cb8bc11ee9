#if defined(__linux__)
#define _GNU_SOURCE
#include "platform.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

int platform_anonymous_file(size_t size) {
  int descriptor = memfd_create("orderfile pages", MFD_CLOEXEC);
  if (descriptor < 0 || ftruncate(descriptor, (off_t)size) == 0)
    return descriptor < 0 ? -errno : descriptor;
  int error = errno;
  close(descriptor);
  return -error;
}

/* Linux lets a program intercept its own system calls since 5.11. The page tracer supports only x86-64. */
bool platform_stops_own_calls(void) {
#if defined(__x86_64__)
  enum { SET_SYSCALL_USER_DISPATCH = 59 }; /* PR_SET_SYSCALL_USER_DISPATCH; 0: off */
  return prctl(SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0) == 0;
#else
  return false;
#endif
}
#endif
