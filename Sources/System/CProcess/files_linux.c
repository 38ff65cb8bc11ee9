/* Operations on files that need system calls of Linux. Landlock: a process gives up rights to files, for itself and for
 * all that it starts. The rights to read stay as they are. <landlock(7)> */
#if defined(__linux__)
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/landlock.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "platform.h"

/* Version 2, of Linux 5.19, is the first that permits moving files between folders; version 3 adds truncation. */
enum { OLDEST = 2, REFER = 1 << 13, TRUNCATE = 1 << 14 };

/* All rights to create, change and remove files that VERSION knows. */
static uint64_t rights_to_write(long version) {
  uint64_t rights = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                    LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                    LANDLOCK_ACCESS_FS_MAKE_SYM | REFER;
  return version >= 3 ? rights | TRUNCATE : rights;
}

/* Adds a rule that permits RIGHTS below FOLDER. Returns 0 or an errno. */
static int permit(int rules, const char *folder, uint64_t rights) {
  int descriptor = open(folder, O_PATH | O_CLOEXEC);
  if (descriptor < 0) return errno;
  struct landlock_path_beneath_attr below = {.allowed_access = rights, .parent_fd = descriptor};
  int error = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0) ? errno : 0;
  close(descriptor);
  return error;
}

int platform_confine_writes(const char *folder) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  /* Asking for the version needs no right, so EPERM comes from a filter of system calls that does not know this
   * call. */
  if (version < 0) return errno == EPERM ? EOPNOTSUPP : errno;
  if (version < OLDEST) return EOPNOTSUPP;
  uint64_t rights = rights_to_write(version), to_change = LANDLOCK_ACCESS_FS_WRITE_FILE;
  if (version >= 3) to_change |= TRUNCATE;
  struct landlock_ruleset_attr attributes = {.handled_access_fs = rights};
  int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
  if (rules < 0) return errno;
  int error = permit(rules, folder, rights);
  if (!error) error = permit(rules, "/dev", to_change);
  if (!error) error = permit(rules, "/proc", to_change);
  if (!error && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) error = errno;
  if (!error && syscall(SYS_landlock_restrict_self, rules, 0)) error = errno;
  close(rules);
  return error;
}

int platform_create_memory(const char *name, uint64_t size) {
  int descriptor = memfd_create(name, MFD_CLOEXEC);
  if (descriptor < 0) return -errno;
  if (ftruncate(descriptor, (off_t)size) == 0) return descriptor;
  int error = errno;
  close(descriptor);
  return -error;
}

long platform_read_attribute(const char *path, const char *name, void *bytes, size_t size) {
  ssize_t found = getxattr(path, name, bytes, size);
  return found < 0 ? -errno : found;
}

bool platform_share_blocks(int input, int output) { return ioctl(output, FICLONE, input) == 0; }
#endif
