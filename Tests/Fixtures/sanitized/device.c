/* A device in memory with copies of two files: mounted, read, counted and removed. argv[1] is an empty folder. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cdevice.h"
#include "served_file.h"

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "line %d: not %s (%s)\n", __LINE__, #condition, strerror(errno)); \
      exit(1);                                                                  \
    }                                                                           \
  } while (0)

enum { size = 300000 };
static char expected[size], found[size];

static char *make(const char *folder, const char *name, size_t bytes) {
  char *path = NULL;
  CHECK(asprintf(&path, "%s/%s", folder, name) > 0);
  FILE *file = fopen(path, "we");
  CHECK(file && fwrite(expected, 1, bytes, file) == bytes && fclose(file) == 0);
  return path;
}

static void read_whole(const char *path, size_t bytes) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  CHECK(descriptor >= 0);
  CHECK(posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0);
  size_t done = 0;
  for (ssize_t count; (count = read(descriptor, found + done, size - done)) > 0;) done += (size_t)count;
  CHECK(done == bytes && memcmp(found, expected, bytes) == 0);
  close(descriptor);
}

/* The requests are bytes of the kernel, but the arithmetic with them must hold for all bytes. */
static void read_out_of_bounds(const char *path) {
  struct served_file file = {.connection = -1};
  CHECK(served_file_copy(&file, path) == 0 && file.size == size);
  static struct served_request request;
  uint32_t opcode = 15; /* FUSE_READ <linux/fuse.h>: offset at 48, size at 56 */
  memcpy(request.bytes + 4, &opcode, sizeof opcode);
  const struct {
    uint64_t offset;
    uint32_t size;
    int64_t expected;
  } reads[] = {{0, 4096, 4096}, {size - 1, 4096, 1}, {size, 4096, 0}, {UINT64_MAX, UINT32_MAX, 0}, {0, UINT32_MAX, size}};
  for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++) {
    memcpy(request.bytes + 48, &reads[i].offset, sizeof reads[i].offset);
    memcpy(request.bytes + 56, &reads[i].size, sizeof reads[i].size);
    CHECK(served_file_reads(&file, &request) == reads[i].expected);
  }
  opcode = 1;
  memcpy(request.bytes + 4, &opcode, sizeof opcode);
  CHECK(served_file_reads(&file, &request) == -1);
  served_file_free(&file);
}

int main(int count, char **words) {
  CHECK(count == 2);
  for (size_t i = 0; i < size; i++) expected[i] = (char)(i * 7 >> 3);
  char *paths[] = {make(words[1], "large", size), make(words[1], "small", 5000), NULL};
  read_out_of_bounds(paths[0]);

  CHECK(cdevice_own_mounts() == 0 && cdevice_own_mounts() == 0);
  struct cdevice *device = NULL;
  struct cdevice_failure failure;
  char *missing[] = {paths[0], words[1], NULL};
  CHECK(cdevice_serve(missing, 2, 16384, 1 << 20, &device, &failure) != 0 && failure.file == 1 && failure.step);

  CHECK(cdevice_serve(paths, 2, 16384, 8192, &device, &failure) == 0);
  cdevice_begin(device, 1000);
  read_whole(paths[0], size);
  read_whole(paths[1], 5000);
  struct cdevice_counts counts;
  CHECK(cdevice_end(device, &counts) == 0);
  CHECK(counts.bytes == size + 5000 && counts.requests >= (size + 5000) / 8192);
  cdevice_begin(device, 0);
  CHECK(cdevice_end(device, &counts) == 0 && counts.requests == 0 && counts.bytes == 0);
  cdevice_remove(device);

  /* After the device, the files are the files again. */
  FILE *file = fopen(paths[1], "ae");
  CHECK(file && fputc('x', file) == 'x' && fclose(file) == 0);
  free(paths[0]);
  free(paths[1]);
  return 0;
}
