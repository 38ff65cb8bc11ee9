/* other_copies.h for Linux: each copy has the trace mapped. */
#if defined(__linux__)
#include "other_copies.h"

#include "mapped_files.h"

bool of_each_shared_file(bool (*body)(const char *path, const void *address, uint64_t size,
                                      void *context)) {
  return of_each_mapped_file(body, NULL);
}
#endif
