#if !defined(__linux__)
#include <errno.h>

#include "cdevice.h"

int cdevice_own_mounts(void) { return ENOTSUP; }

int cdevice_serve(char *const *paths, int count, uint64_t read_ahead, uint64_t request, struct cdevice **device,
                  struct cdevice_failure *failure) {
  (void)paths, (void)count, (void)read_ahead, (void)request;
  *device = NULL;
  *failure = (struct cdevice_failure){"make a device", -1};
  return ENOTSUP;
}

void cdevice_begin(struct cdevice *device, uint64_t delay) { (void)device, (void)delay; }

int cdevice_end(struct cdevice *device, struct cdevice_counts *counts) {
  (void)device;
  *counts = (struct cdevice_counts){0};
  return ENOTSUP;
}

void cdevice_remove(struct cdevice *device) { (void)device; }
#endif
