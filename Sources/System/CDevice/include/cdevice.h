/* A storage device in memory, which a process serves and which has copies of a few files. The process mounts the copies
 * at the files' own paths, in mounts that only this process and its children see. So a program that the process
 * launches finds the same paths as before. */

#ifndef CDEVICE_H
#define CDEVICE_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

struct cdevice;

/* The requests of a launch to the device, and the bytes that the requests read. */
struct cdevice_counts {
  uint64_t requests;
  uint64_t bytes;
};

/* The step at which making a device failed. */
struct cdevice_failure {
  /* The step, as a verb with its object: "open /dev/fuse". The text lives as long as the process. */
  const char *_Nullable step;
  /* The index of the file in question, or -1. */
  int file;
};

/* Makes further mounts of this process private: only this process and its children see these mounts, and the kernel
 * unmounts them when the last of these processes has ended. Without the right to private mounts, the process also gets
 * a user namespace, in which it keeps its user and group. Call this function from the only thread. Returns 0 or an
 * errno. */
int cdevice_own_mounts(void);

/* Copies the COUNT files at PATHS into memory, mounts the copies at the same paths, and serves them from a thread of
 * this process. The paths are absolute, distinct, and without symbolic links. The kernel reads READ_AHEAD bytes ahead,
 * and at most REQUEST bytes with one request; both are multiples of the page size, and REQUEST is at most 1 MiB.
 *
 * Returns 0 with *DEVICE, or an errno with *FAILURE; after a failure no copy is left. Needs cdevice_own_mounts. */
int cdevice_serve(char *_Nullable const *_Nonnull paths, int count, uint64_t read_ahead, uint64_t request,
                  struct cdevice *_Nullable *_Nonnull device, struct cdevice_failure *failure);

/* Begins counting: from now on the device counts requests, and serves one request at a time, each after DELAY
 * nanoseconds. Before this call, and after cdevice_end, the device serves requests at once and does not count them. */
void cdevice_begin(struct cdevice *device, uint64_t delay);

/* Serves the requests that are waiting, and returns the counts since cdevice_begin. Returns 0, or ENODEV if a file has
 * left the device meanwhile. */
int cdevice_end(struct cdevice *device, struct cdevice_counts *counts);

/* Unmounts all files, and frees DEVICE. The kernel unmounts a file that is in use when its use ends. */
void cdevice_remove(struct cdevice *device);

#pragma clang assume_nonnull end
#endif
