/* A file in memory that the kernel reads from this process by the protocol for file systems in user space
 * <linux/fuse.h>. The file is the root of its file system, so there are no folders and no names. */

#ifndef SERVED_FILE_H
#define SERVED_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct served_file {
  char *path;
  /* The descriptor of /dev/fuse; -1 if it is not open. */
  int connection;
  bool is_mounted;
  /* Whether the kernel has ended the connection. Only the thread that serves sets this member. */
  atomic_bool is_gone;
  char *bytes;
  size_t size;
  mode_t mode;
  uid_t owner;
  gid_t group;
  int64_t modified; /* in seconds */
  uint32_t modified_nanoseconds;
  /* The read-ahead and the largest request in bytes, for the first answer. */
  uint32_t read_ahead, largest_request;
};

/* Copies the file at PATH into memory. Returns 0 or an errno; free *FILE in both cases. */
int served_file_copy(struct served_file *file, const char *path);

/* Mounts the copy at its path. The mount answers only when its first request has been answered. Returns 0 or an errno,
 * with *STEP as in struct cdevice_failure. */
int served_file_mount(struct served_file *file, uint64_t read_ahead, uint64_t request, const char **step);

/* Sets the read-ahead of the mounted file, and checks it. Returns 0 or an errno. */
int served_file_set_read_ahead(const struct served_file *file, uint64_t read_ahead);

/* Unmounts and frees what *FILE has. */
void served_file_free(struct served_file *file);

/* A request of the kernel, as read from the connection. */
struct served_request {
  _Alignas(8) char bytes[1 << 14]; /* the kernel refuses less than 8192 <linux/fuse.h, FUSE_MIN_READ_BUFFER> */
};

/* Reads the next request. Returns 1, 0 if no request is waiting, or -1 if the connection has ended. */
int served_file_receive(struct served_file *file, struct served_request *request);

/* Returns the number of bytes that the request reads from the file; -1 if the request does not read the file. */
int64_t served_file_reads(const struct served_file *file, const struct served_request *request);

/* Answers the request. */
void served_file_answer(struct served_file *file, const struct served_request *request);

#endif
