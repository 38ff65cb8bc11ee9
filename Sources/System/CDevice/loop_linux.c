#if defined(__linux__)
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "cdevice_loop.h"

struct cdevice_loop {
  dev_t device;
  char **paths; /* the mounted files */
  int count;
  struct cdevice_counts before;
};

/* The number of times that a free device is asked for: another process may take the device first. */
enum { MOST_ATTEMPTS = 16 };

int cdevice_loop_file(const char *folder) { return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); }

/* Attaches IMAGE to a free loop device. Returns the descriptor of the device, or -1 with errno and *STEP. */
static int attach(int image, char path[32], const char **step) {
  *step = "open /dev/loop-control";
  int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
  if (control < 0) return -1;
  struct loop_config config = {
      .fd = (uint32_t)image, .block_size = 4096, .info.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO};
  int device = -1, error = EBUSY;
  for (int attempt = 0; attempt < MOST_ATTEMPTS && error == EBUSY; attempt++) {
    *step = "get a free loop device";
    int number = ioctl(control, LOOP_CTL_GET_FREE);
    if (number < 0) {
      error = errno;
      break;
    }
    *step = "open the loop device";
    snprintf(path, 32, "/dev/loop%d", number);
    device = open(path, O_RDWR | O_CLOEXEC);
    if (device < 0) {
      error = errno;
      break;
    }
    *step = "attach a file to the loop device";
    error = ioctl(device, LOOP_CONFIGURE, &config) == 0 ? 0 : errno;
    if (error) {
      close(device);
      device = -1;
    }
  }
  close(control);
  /* A file system that has no direct I/O does not fail, but the kernel would keep the file in memory. */
  struct loop_info64 info;
  if (!error && (ioctl(device, LOOP_GET_STATUS64, &info) != 0 || !(info.lo_flags & LO_FLAGS_DIRECT_IO))) {
    *step = "read the loop device's file with direct I/O";
    error = ENOTSUP;
    close(device);
    device = -1;
  }
  errno = error;
  return device;
}

/* Writes a number to a setting of the device's queue. Returns 0 or an errno. */
static int set_queue(dev_t device, const char *name, uint64_t value) {
  char path[96];
  snprintf(path, sizeof path, "/sys/dev/block/%u:%u/queue/%s", major(device), minor(device), name);
  FILE *setting = fopen(path, "we");
  if (!setting) return errno;
  int error = fprintf(setting, "%" PRIu64 "\n", value) < 0 ? errno : 0;
  if (fclose(setting) != 0 && !error) error = errno;
  return error;
}

/* Sets the device's limits. REQUEST is 0 for the kernel's own limit: the kernel keeps the limit that an earlier user of the
 * device has set. Returns 0 or an errno. */
static int set_limits(dev_t device, uint64_t read_ahead, uint64_t request, const char **step) {
  *step = "limit the requests";
  int error = set_queue(device, "max_sectors_kb", request >> 10);
  if (error == EINVAL && !request) error = 0; /* a kernel that can't return to its own limit */
  if (error) return error;
  /* Linux 6.18 resets the read-ahead when the requests get another limit, so the read-ahead comes last. */
  *step = "set the read-ahead";
  return set_queue(device, "read_ahead_kb", read_ahead >> 10);
}

/* Gives the device back the kernel's own limits, which its next user gets. */
static void reset_limits(dev_t device) { set_queue(device, "max_sectors_kb", 0); }

/* Returns a usual folder that contains no copied file; NULL if every usual folder is missing or contains a copied file.
 * The file system of the device is mounted there while its files are mounted at their paths. */
static const char *mount_folder(char *const *paths, int count) {
  static const char *const folders[] = {"/mnt", "/media", "/srv", "/opt", "/home"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    struct stat status;
    size_t length = strlen(folders[i]);
    bool is_used = stat(folders[i], &status) != 0 || !S_ISDIR(status.st_mode);
    for (int file = 0; file < count && !is_used; file++) is_used = strncmp(paths[file], folders[i], length) == 0;
    if (!is_used) return folders[i];
  }
  return NULL;
}

/* Copies the file at PATH to a new file at COPY, with its rights and time, and waits until the copy is on the device. */
static int copy_file(const char *path, const char *copy) {
  int source = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* A FIFO is refused, not waited for. */
  if (source < 0) return errno;
  struct stat status;
  int error = fstat(source, &status) != 0 ? errno : !S_ISREG(status.st_mode) ? EINVAL : 0;
  int target = error ? -1 : open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (!error && target < 0) error = errno;
  for (off_t done = 0; !error && done < status.st_size;) {
    ssize_t count = sendfile(target, source, NULL, (size_t)(status.st_size - done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) error = count < 0 ? errno : ESTALE; /* the file has become shorter meanwhile */
    else done += count;
  }
  struct timespec times[2] = {status.st_mtim, status.st_mtim};
  if (!error && (fchown(target, status.st_uid, status.st_gid) != 0 || fchmod(target, status.st_mode & 0777) != 0 ||
                 futimens(target, times) != 0 || fsync(target) != 0))
    error = errno;
  close(source);
  if (target >= 0) close(target);
  return error;
}

/* Copies the files to the file system at FOLDER, and mounts the copies at the files' paths. */
static int mount_copies(struct cdevice_loop *device, char *const *paths, int count, const char *folder,
                        struct cdevice_failure *failure) {
  char copy[64];
  for (int i = 0; i < count; i++) {
    *failure = (struct cdevice_failure){"copy the file", i};
    snprintf(copy, sizeof copy, "%s/%d", folder, i);
    int error = copy_file(paths[i], copy);
    if (error) return error;
  }
  for (int i = 0; i < count; i++) {
    *failure = (struct cdevice_failure){"mount a copy of the file", i};
    snprintf(copy, sizeof copy, "%s/%d", folder, i);
    char *path = strdup(paths[i]);
    if (!path) return ENOMEM;
    if (mount(copy, path, NULL, MS_BIND, NULL) != 0) {
      int error = errno;
      free(path);
      return error;
    }
    device->paths[device->count++] = path;
    if (mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) != 0) return errno;
  }
  return 0;
}

int cdevice_loop_make(int image, char *const *paths, int count, uint64_t read_ahead, uint64_t request,
                      struct cdevice_loop **result, struct cdevice_failure *failure) {
  *failure = (struct cdevice_failure){"make a loop device", -1};
  struct cdevice_loop *device = calloc(1, sizeof *device);
  char **mounted = calloc((size_t)count + 1, sizeof *mounted);
  if (!device || !mounted) {
    free(device);
    free(mounted);
    return ENOMEM;
  }
  device->paths = mounted;
  char path[32] = "";
  int descriptor = attach(image, path, &failure->step);
  int error = descriptor < 0 ? errno : 0;
  struct stat status;
  if (!error && fstat(descriptor, &status) != 0) error = errno;
  if (!error) {
    device->device = status.st_rdev;
    error = set_limits(device->device, read_ahead, request, &failure->step);
  }
  if (!error) {
    failure->step = "mount the loop device";
    const char *folder = mount_folder(paths, count);
    if (!folder || mount(path, folder, "ext4", MS_NOSUID | MS_NODEV | MS_NOATIME, NULL) != 0) {
      error = folder ? errno : ENOENT;
    } else {
      error = mount_copies(device, paths, count, folder, failure);
      umount2(folder, MNT_DETACH);
    }
  }
  if (error && device->device) reset_limits(device->device);
  /* The kernel detaches the image when the last mount has ended. */
  if (descriptor >= 0) close(descriptor);
  if (error) {
    cdevice_loop_remove(device);
    return error;
  }
  *result = device;
  return 0;
}

/* Reads the counters of the device since it was attached, when no request is under way. Returns 0 or an errno.
 * <linux/Documentation/block/stat.rst> */
static int read_counters(const struct cdevice_loop *device, struct cdevice_counts *counts) {
  char path[64];
  snprintf(path, sizeof path, "/sys/dev/block/%u:%u/stat", major(device->device), minor(device->device));
  for (int attempt = 0; attempt < 10000; attempt++) {
    FILE *file = fopen(path, "re");
    if (!file) return errno;
    uint64_t reads, sectors, waiting;
    int found = fscanf(file, "%" SCNu64 " %*u %" SCNu64 " %*u %*u %*u %*u %*u %" SCNu64, &reads, &sectors, &waiting);
    fclose(file);
    if (found != 3) return EIO;
    *counts = (struct cdevice_counts){.requests = reads, .bytes = sectors * 512};
    if (waiting == 0) return 0;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  return ETIMEDOUT;
}

int cdevice_loop_begin(struct cdevice_loop *device) { return read_counters(device, &device->before); }

int cdevice_loop_end(struct cdevice_loop *device, struct cdevice_counts *counts) {
  for (int i = 0; i < device->count; i++) {
    struct stat status;
    if (stat(device->paths[i], &status) != 0 || status.st_dev != device->device) return ENODEV;
  }
  struct cdevice_counts now;
  int error = read_counters(device, &now);
  if (error) return error;
  *counts = (struct cdevice_counts){
      .requests = now.requests - device->before.requests, .bytes = now.bytes - device->before.bytes};
  return 0;
}

void cdevice_loop_remove(struct cdevice_loop *device) {
  bool is_reset = false;
  for (int i = 0; i < device->count; i++) {
    struct stat status;
    /* A path that is no longer on the device has no mount of this device. */
    if (stat(device->paths[i], &status) == 0 && status.st_dev == device->device) {
      if (!is_reset) reset_limits(device->device);
      is_reset = true;
      umount2(device->paths[i], MNT_DETACH);
    }
    free(device->paths[i]);
  }
  free(device->paths);
  free(device);
}
#endif
