#if defined(__linux__)
#define _GNU_SOURCE
#include "served_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

/* Returns whether SIZE bytes of memory are available: a copy must not make the system end other programs. */
static bool is_available(size_t size) {
  FILE *file = fopen("/proc/meminfo", "re");
  if (!file) return true;
  char line[128];
  unsigned long long kibibytes = 0;
  bool has_line = false;
  while (!has_line && fgets(line, sizeof line, file)) has_line = sscanf(line, "MemAvailable: %llu", &kibibytes) == 1;
  fclose(file);
  return !has_line || size / 1024 < kibibytes - kibibytes / 8;
}

static int read_whole(int descriptor, char *bytes, size_t size) {
  for (size_t position = 0; position < size;) {
    ssize_t count = pread(descriptor, bytes + position, size - position, (off_t)position);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : ESTALE; /* the file has become shorter meanwhile */
    position += (size_t)count;
  }
  return 0;
}

int served_file_copy(struct served_file *file, const char *path) {
  *file = (struct served_file){.connection = -1, .path = strdup(path)};
  if (!file->path) return ENOMEM;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);  /* A FIFO is refused, not waited for. */
  if (descriptor < 0) return errno;
  struct stat status;
  int error = fstat(descriptor, &status) != 0 ? errno : !S_ISREG(status.st_mode) ? EINVAL : 0;
  if (!error && !is_available((size_t)status.st_size)) error = ENOMEM;
  if (!error && status.st_size > 0) {
    /* The memory is not from malloc, because the thread that serves must never wait for a page that this process is
     * mapping. */
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED) {
      error = errno;
    } else {
      file->bytes = bytes;
      file->size = (size_t)status.st_size;
      error = read_whole(descriptor, file->bytes, file->size);
    }
  }
  close(descriptor);
  file->mode = S_IFREG | (status.st_mode & 0777);
  /* The copy belongs to the user who makes it. A copy of root keeps the file's owner, because the program may give up
   * root's rights. */
  file->owner = geteuid() == 0 ? status.st_uid : geteuid();
  file->group = geteuid() == 0 ? status.st_gid : getegid();
  file->modified = status.st_mtim.tv_sec;
  file->modified_nanoseconds = (uint32_t)status.st_mtim.tv_nsec;
  return error;
}

int served_file_mount(struct served_file *file, uint64_t read_ahead, uint64_t request, const char **step) {
  *step = "open /dev/fuse";
  file->connection = open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (file->connection < 0) return errno;
  *step = "mount a copy of the file";
  char options[160];
  snprintf(options, sizeof options, "fd=%d,rootmode=%o,user_id=%u,group_id=%u,allow_other,default_permissions",
           file->connection, (unsigned)file->mode, geteuid(), getegid());
  if (mount("orderfile", file->path, "fuse.orderfile", MS_NOSUID | MS_NODEV | MS_RDONLY, options) != 0) return errno;
  file->is_mounted = true;
  file->read_ahead = read_ahead > UINT32_MAX ? UINT32_MAX : (uint32_t)read_ahead;
  file->largest_request = request > 1 << 20 ? 1 << 20 : (uint32_t)request;
  return 0;
}

int served_file_set_read_ahead(const struct served_file *file, uint64_t read_ahead) {
  struct stat status;
  if (stat(file->path, &status) != 0) return errno;
  char path[80], text[32];
  snprintf(path, sizeof path, "/sys/class/bdi/%u:%u/read_ahead_kb", major(status.st_dev), minor(status.st_dev));
  FILE *setting = fopen(path, "re");
  if (!setting) return errno;
  unsigned long long found = 0;
  bool has_number = fgets(text, sizeof text, setting) && sscanf(text, "%llu", &found) == 1;
  fclose(setting);
  if (has_number && found << 10 == read_ahead) return 0;
  /* The kernel limits the read-ahead in the first answer to its default; root may set more. */
  setting = fopen(path, "we");
  if (!setting) return errno;
  int error = fprintf(setting, "%llu\n", (unsigned long long)(read_ahead >> 10)) < 0 ? errno : 0;
  if (fclose(setting) != 0 && !error) error = errno;
  return error;
}

void served_file_free(struct served_file *file) {
  if (file->is_mounted) umount2(file->path, MNT_DETACH);
  if (file->connection >= 0) close(file->connection);
  if (file->bytes) munmap(file->bytes, file->size);
  free(file->path);
  *file = (struct served_file){.connection = -1};
}

/* MARK: Requests */

int served_file_receive(struct served_file *file, struct served_request *request) {
  ssize_t count = read(file->connection, request->bytes, sizeof request->bytes);
  if (count >= (ssize_t)sizeof(struct fuse_in_header)) return 1;
  /* ENOENT: the request was interrupted before it was read. */
  if (count >= 0 || errno == EAGAIN || errno == EINTR || errno == ENOENT) return 0;
  return -1;
}

static const struct fuse_in_header *header_of(const struct served_request *request) {
  return (const struct fuse_in_header *)(const void *)request->bytes;
}

static const void *body_of(const struct served_request *request) {
  return request->bytes + sizeof(struct fuse_in_header);
}

int64_t served_file_reads(const struct served_file *file, const struct served_request *request) {
  if (header_of(request)->opcode != FUSE_READ) return -1;
  const struct fuse_read_in *read = body_of(request);
  if (read->offset >= file->size) return 0;
  size_t rest = file->size - read->offset;
  return (int64_t)(read->size < rest ? read->size : rest);
}

/* Sends an answer. Errors are ignored: if the request was interrupted, nobody waits for the answer. */
static void answer(const struct served_file *file, const struct served_request *request, int error, const void *bytes,
                   size_t size) {
  if (error) size = 0;
  struct fuse_out_header header = {
      .len = (uint32_t)(sizeof header + size), .error = -error, .unique = header_of(request)->unique};
  struct iovec parts[2] = {{&header, sizeof header}, {(void *)(uintptr_t)bytes, size}};
  ssize_t written = writev(file->connection, parts, size ? 2 : 1);
  (void)written;
}

static void answer_first(const struct served_file *file, const struct served_request *request) {
  const struct fuse_init_in *in = body_of(request);
  /* Read-ahead of several pages that nobody waits for needs FUSE_ASYNC_READ. The limits
   * of requests in flight are higher than usual, because the kernel drops read-ahead beyond them. */
  struct fuse_init_out out = {
      .major = FUSE_KERNEL_VERSION,
      .minor = in->minor < FUSE_KERNEL_MINOR_VERSION ? in->minor : FUSE_KERNEL_MINOR_VERSION,
      .max_readahead = file->read_ahead,
      .flags = in->flags & (FUSE_ASYNC_READ | FUSE_MAX_PAGES),
      .max_background = 1024,
      .congestion_threshold = 1024,
      .max_write = 4096,
      .time_gran = 1,
      .max_pages = (uint16_t)(file->largest_request / (uint32_t)sysconf(_SC_PAGESIZE)),
  };
  answer(file, request, 0, &out, sizeof out);
}

static void answer_attributes(const struct served_file *file, const struct served_request *request) {
  struct fuse_attr_out out = {
      .attr_valid = 1u << 30, /* the attributes stay valid for this number of seconds: they never change */
      .attr =
          {
              .ino = FUSE_ROOT_ID,
              .size = file->size,
              .blocks = (file->size + 511) / 512,
              .atime = (uint64_t)file->modified,
              .mtime = (uint64_t)file->modified,
              .ctime = (uint64_t)file->modified,
              .atimensec = file->modified_nanoseconds,
              .mtimensec = file->modified_nanoseconds,
              .ctimensec = file->modified_nanoseconds,
              .mode = file->mode,
              .nlink = 1,
              .uid = file->owner,
              .gid = file->group,
              .blksize = 4096,
          },
  };
  answer(file, request, 0, &out, sizeof out);
}

void served_file_answer(struct served_file *file, const struct served_request *request) {
  switch (header_of(request)->opcode) {
    case FUSE_INIT: return answer_first(file, request);
    case FUSE_GETATTR: return answer_attributes(file, request);
    case FUSE_READ: {
      const struct fuse_read_in *read = body_of(request);
      size_t size = (size_t)served_file_reads(file, request);
      return answer(file, request, 0, size ? file->bytes + read->offset : NULL, size);
    }
    case FUSE_STATFS: {
      struct fuse_statfs_out out = {.st = {.bsize = 4096, .frsize = 4096, .namelen = 255}};
      return answer(file, request, 0, &out, sizeof out);
    }
    case FUSE_FSYNC:
    case FUSE_DESTROY: return answer(file, request, 0, NULL, 0);
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT: return; /* the kernel expects no answer to this request */
    case FUSE_SETATTR: return answer(file, request, EROFS, NULL, 0);
    /* After ENOSYS the kernel does not send the request again. After ENOSYS for FUSE_OPEN, the kernel opens the file
     * without a request, and keeps the file's pages in memory. */
    default: return answer(file, request, ENOSYS, NULL, 0);
  }
}
#endif
