/* Errors in words, the same on all systems: strerror may allocate and look for a catalogue. */
#include <errno.h>

#include "platform.h"

const char *of_error_name(int error) {
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
