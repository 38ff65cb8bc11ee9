/* A loop device with copies of a few files, for machines where cdevice_serve does not work. The kernel reads the file
 * that holds the device's contents with direct I/O, and counts the requests to the device. The process mounts the copies
 * as cdevice_serve does. */

#ifndef CDEVICE_LOOP_H
#define CDEVICE_LOOP_H

#include "cdevice.h"

#pragma clang assume_nonnull begin

struct cdevice_loop;

/* Makes a file without a name on the file system of FOLDER. The kernel removes the file when nobody uses it. Returns its
 * descriptor, or -1 with errno. */
int cdevice_loop_file(const char *folder);

/* Attaches the open file IMAGE, which holds an empty ext4 file system, to a loop device, copies the COUNT files at PATHS to
 * the device, and mounts the copies at the same paths. The kernel reads READ_AHEAD bytes ahead, and at most REQUEST bytes
 * with one request; 0 for the usual limit. The device disappears when the copies are unmounted.
 *
 * Returns 0 with *DEVICE, or an errno with *FAILURE; after a failure no copy is left. Needs cdevice_own_mounts and root. */
int cdevice_loop_make(int image, char *_Nullable const *_Nonnull paths, int count, uint64_t read_ahead, uint64_t request,
                      struct cdevice_loop *_Nullable *_Nonnull device, struct cdevice_failure *failure);

/* Begins counting, when no request is under way. Returns 0 or an errno. */
int cdevice_loop_begin(struct cdevice_loop *device);

/* Waits until no request is under way, and returns the counts since cdevice_loop_begin. Returns 0, ENODEV if a file is no
 * longer on the device, or another errno. */
int cdevice_loop_end(struct cdevice_loop *device, struct cdevice_counts *counts);

/* Unmounts all files, and frees DEVICE. The kernel unmounts a file that is in use when its use ends. */
void cdevice_loop_remove(struct cdevice_loop *device);

#pragma clang assume_nonnull end
#endif
