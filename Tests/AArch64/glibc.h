/* Declares the parts of the C library that LibC and ProcessLaunch use. Swift's own module of the C library needs
 * Swift's standard library, which is missing here for AArch64. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Swift cannot call a variadic function. */
static inline int glibc_open(const char *path, int flags) __attribute__((swift_name("open(_:_:)")));
static inline int glibc_open(const char *path, int flags) { return open(path, flags); }

/* Swift does not import a macro that is an expression. */
static inline int glibc_errno(void) __attribute__((swift_name("getter:errno()")));
static inline int glibc_errno(void) { return errno; }
static inline void glibc_set_errno(int value) __attribute__((swift_name("setter:errno(_:)")));
static inline void glibc_set_errno(int value) { errno = value; }
