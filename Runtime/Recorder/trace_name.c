/* The name of the trace: the requested path, if it is free, and alternatives if it is not.
 *
 * An existing name is taken over only from a dead process. Its header identifies the owner:
 *
 *   same process, same exec    another copy of the recorder in this process made it: join it. If the file's
 *                              lock is gone, it was a process of this launch that had our number before us:
 *                              take the next name
 *   same process, other exec   we made it before exec: take the next name
 *   same session               take the next name, so that one recorded command line that starts
 *                              several programs in turn keeps all their traces
 *   another living process     take the next name. In our namespace its number and start time show that it
 *                              lives, elsewhere the file's lock
 *   none of these              remove it, holding the folder's lock: else a second process that had
 *                              judged the same dead trace could remove the new trace of the first
 *
 * The next name after PATH is PATH.<pid>, then PATH.<pid>.1 and so on. A file that is no trace is not
 * touched: the path was a mistake.
 */
#include "trace_name.h"

#include <errno.h>
#include <stddef.h>

#include "complaint.h"
#include "trace_file.h"
#include "trace_location.h"
#include "trace_path.h"

#define OF_NAMES_TRIED 100 /* a program that calls exec over and over needs one each time */

#define OF_NAME_IS_TAKEN 2
#define OF_NAME_IS_LEFT 3

/* Whether the process of HEADER, the trace at PATH, may be alive. */
OF_LOCAL bool of_may_live(const orderfile_trace_header *header, const char *path) {
  if (header->flags & ORDERFILE_TRACE_SEALED) return false; /* complete; an imported one may have no process */
  uint64_t own = of_location.self.pid_namespace, its = header->pid_namespace;
  if (!own || own != its) {
    if (header->flags & ORDERFILE_TRACE_LOCKED) return of_is_locked(path);
    if (own && its) return true; /* the process number has no meaning in this namespace */
  }
  uint64_t start = of_process_start(header->pid);
  if (start == 0) return false;
  return start == header->start_time || start == UINT64_MAX || header->start_time == UINT64_MAX;
}

/* The owner of PATH: 1 for us, OF_NAME_IS_TAKEN, 0 for nobody, or OF_NAME_IS_LEFT for a dead process. */
OF_LOCAL int of_judge_name(const char *path) {
  uint64_t size = 0;
  int kind = of_file_kind(path, &size);
  if (kind == -ENOENT) return 0;
  if (kind < 0) return kind;
  if (kind == OF_OTHER_FILE) return OF_NOT_A_TRACE;
  if (kind == OF_REGULAR_FILE && size > 0) {
    static orderfile_trace_header header;
    int descriptor = of_open_read(path);
    if (descriptor == -ENOENT) return 0; /* another process that judged the same trace has removed it */
    if (descriptor < 0) return descriptor;
    int64_t got = of_read(descriptor, &header, sizeof header, 0);
    of_close(descriptor);
    if (got != sizeof header || !of_is_trace(&header)) return OF_NOT_A_TRACE;
    if (of_is_own_header(&header)) {
      bool is_namesakes = header.flags & ORDERFILE_TRACE_LOCKED && !of_is_locked(path);
      return is_namesakes ? OF_NAME_IS_TAKEN : 1;
    }
    if (of_is_own_number(&header)) return OF_NAME_IS_TAKEN;
    if (header.session && header.session == of_location.self.session) return OF_NAME_IS_TAKEN;
    if (of_may_live(&header, path)) return OF_NAME_IS_TAKEN;
  }
  return OF_NAME_IS_LEFT;
}

/* The owner of PATH: 1 for us, OF_NAME_IS_TAKEN, or 0 after removing the trace of a dead process. */
OF_LOCAL int of_claim_name(const char *path) {
  int owner = of_judge_name(path);
  if (owner != OF_NAME_IS_LEFT) return owner;
  int lock = -OF_BUSY;
  for (int patience = 0; lock == -OF_BUSY && patience < 1000; patience++) {
    if (patience) of_pause();
    lock = of_lock_folder(path);
  }
  if (lock == -OF_BUSY) return OF_NAME_IS_TAKEN; /* the process that holds the lock is stopped, or is no recorder */
  owner = of_judge_name(path);
  if (owner == OF_NAME_IS_LEFT) {
    owner = of_remove(path);
    if (owner == -ENOENT) owner = 0; /* another process removed the file, because the folder can't be locked */
  }
  of_unlock_folder(lock);
  return owner;
}

OF_INTERNAL int of_open_trace(uint64_t expected, orderfile_trace_header **trace, uint64_t *limit) {
  bool plain_name_is_parents = of_location.parent && !of_has_process_number(of_location.template_path);
  for (int i = plain_name_is_parents ? 1 : 0; i < OF_NAMES_TRIED; i++) {
    if (!of_expand_path(of_location.template_path, of_location.path)) return -ENAMETOOLONG;
    if (i >= 1 && !of_append_number(of_location.path, of_location.self.pid)) return -ENAMETOOLONG;
    if (i >= 2 && !of_append_number(of_location.path, (uint64_t)i - 1)) return -ENAMETOOLONG;
    for (int race = 0; race < 10; race++) {
      int owner = of_claim_name(of_location.path);
      if (owner < 0) return owner;
      if (owner == OF_NAME_IS_TAKEN) break;
      int result = owner == 1 ? of_join_trace(of_location.path, NULL, 0, trace, limit)
                              : of_create_trace(of_location.path, expected, trace, limit);
      if (result == -OF_BUSY) break;
      if (result != -EEXIST) return result; /* otherwise another process was faster: look again */
    }
  }
  return -EEXIST;
}
