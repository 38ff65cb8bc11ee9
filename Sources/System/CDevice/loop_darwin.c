#if !defined(__linux__)
#include <errno.h>

#include "cdevice_loop.h"

int cdevice_loop_file(const char *folder) {
  (void)folder;
  errno = ENOTSUP;
  return -1;
}

int cdevice_loop_make(int image, char *const *paths, int count, uint64_t read_ahead, uint64_t request,
                      struct cdevice_loop **device, struct cdevice_failure *failure) {
  (void)image, (void)paths, (void)count, (void)read_ahead, (void)request;
  *device = NULL;
  *failure = (struct cdevice_failure){"make a loop device", -1};
  return ENOTSUP;
}

int cdevice_loop_begin(struct cdevice_loop *device) {
  (void)device;
  return ENOTSUP;
}

int cdevice_loop_end(struct cdevice_loop *device, struct cdevice_counts *counts) {
  (void)device;
  *counts = (struct cdevice_counts){0};
  return ENOTSUP;
}

void cdevice_loop_remove(struct cdevice_loop *device) { (void)device; }
#endif
