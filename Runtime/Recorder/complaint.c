#include "complaint.h"

#include <errno.h>
#include <of_bytes.h>

#include "trace_location.h"

/* The meaning of a positive errno, the same on all systems: strerror may allocate and look for a catalog. */
OF_LOCAL const char *of_error_name(int error) {
  switch (error) {
    case EACCES: return "permission denied";
    case EEXIST: return "all names tried are taken";
    case EFBIG: return "file size limit reached";
    case EDQUOT: return "disk quota exceeded";
    case EISDIR: return "is a directory";
    case ELOOP: return "too many symbolic links";
    case EMFILE: return "too many open files";
    case ENFILE: return "too many open files";
    case ENAMETOOLONG: return "file name too long";
    case ENOENT: return "no such directory";
    case ENOMEM: return "no address space left";
    case ENOSPC: return "no space left on device";
    case ENOTDIR: return "not a directory";
    case EPERM: return "operation not permitted";
    case EROFS: return "read-only file system";
    default: return "input/output error";
  }
}

/* Appends PART to TEXT, which has *SIZE bytes and room for PART. */
OF_LOCAL void of_append(char *text, uint64_t *size, const char *part) {
  uint64_t length = of_length(part);
  of_copy(text + *size, part, length);
  *size += length;
}

OF_INTERNAL void of_complain(const char *task, const char *path, int result, const char *consequence) {
  /* A child may have closed its standard streams and be using the descriptor for a file of its own. */
  if (of_standard_error() != of_location.first_standard_error) return;
  static char text[OF_PATH_SIZE + 128];
  uint64_t size = 0;
  const char *reason = result == OF_NOT_A_TRACE     ? "the file there is not a trace"
                       : result == OF_NOT_A_PAYLOAD ? "the file there is not a payload"
                                                    : of_error_name(-result);
  of_append(text, &size, "orderfile: cannot ");
  of_append(text, &size, task);
  of_append(text, &size, " '");
  if (of_length(path) < OF_PATH_SIZE) of_append(text, &size, path);
  of_append(text, &size, "': ");
  of_append(text, &size, reason);
  of_append(text, &size, consequence);
  of_append(text, &size, "\n");
  of_write_error(text, size);
}
