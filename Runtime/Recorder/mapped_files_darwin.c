/* mapped_files.h for macOS, iOS and related systems, which do not list mapped files for an app. */
#if defined(__APPLE__)
#include "mapped_files.h"

bool of_each_mapped_file(bool (*body)(const char *path, const void *address, uint64_t size,
                                      void *context),
                         void *context) {
  (void)body;
  (void)context;
  return false;
}

bool of_present_path(const void *address, char path[OF_PATH_SIZE]) {
  (void)address;
  (void)path;
  return false;
}
#endif
