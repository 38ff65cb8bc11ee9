/* other_copies.h for macOS, iOS and related systems: the copies find each other by name. */
#if defined(__APPLE__)
#include "other_copies.h"

#include <dlfcn.h>
#include <stddef.h>

#include "current_trace.h"
#include "trace_location.h"

OF_RUNTIME const char *orderfile_rt_trace_path(void);

/* The path of this copy's trace, or NULL. For other copies, which find this function by name. */
const char *orderfile_rt_trace_path(void) {
  return of_own_trace() ? of_location.path : NULL;
}

/* There is no list of mapped files that an app may read. dlsym finds the first image that exports a recorder: the
 * program, or else the library loaded first. Either this image has created the trace, or it has none yet because the
 * program is only starting; then the environment is the same for all copies. */
bool of_each_shared_file(bool (*body)(const char *path, const void *address, uint64_t size,
                                      void *context)) {
  const char *(*path_of_first)(void) =
      (const char *(*)(void))dlsym(RTLD_DEFAULT, "orderfile_rt_trace_path");
  const char *path = path_of_first ? path_of_first() : NULL;
  return path && body(path, NULL, 0, NULL);
}
#endif
