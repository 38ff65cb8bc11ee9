#define _GNU_SOURCE
#include "programs.h"

#if OF_TRACER_IS_SUPPORTED
#include <fcntl.h>
#include <of_atomics.h>
#include <sys/syscall.h>

#include "page_records.h"

/* The number of the thread that was the last to call exec; 0 for none. */
static uint32_t of_thread_in_exec; /* atomic */

/* Stores the path, without links, of the file that DESCRIPTOR refers to, and returns its length or -errno. */
OF_LOCAL long of_path_of(long descriptor, char *path, long size) {
  static const char folder[] = "/proc/thread-self/fd/";
  char name[sizeof folder + 10];
  int length = 0, digits = 1;
  for (; folder[length]; length++) name[length] = folder[length];
  for (long rest = descriptor; rest >= 10; rest /= 10) digits++;
  name[length + digits] = 0;
  for (int i = digits; i-- > 0; descriptor /= 10) name[length + i] = (char)('0' + descriptor % 10);
  return OF_CALL_4(SYS_readlinkat, AT_FDCWD, name, path, size);
}

OF_LOCAL void of_record_program(const char *path, uint32_t size) {
  uint32_t slot = sizeof(struct orderfile_page_record);
  struct orderfile_page_record *record = of_claim_page_records(1 + (size + slot) / slot); /* with a null */
  if (!record) return;
  record->detail = size + 1;
  char *text = (char *)(record + 1);
  for (uint32_t i = 0; i < size; i++) *(volatile char *)&text[i] = path[i];
  of_finish_page_record(record, ORDERFILE_PAGE_EXEC);
}

void of_note_program(long number, const uint64_t *arguments) {
  char path[2048];
  bool is_at = number == SYS_execveat;
  long folder = is_at ? (int)arguments[0] : AT_FDCWD;
  long flags = O_PATH | O_CLOEXEC;
  if (is_at && arguments[4] & AT_SYMLINK_NOFOLLOW) flags |= O_NOFOLLOW;
  long descriptor = OF_CALL_4(SYS_openat, folder, arguments[is_at ? 1 : 0], flags, 0);
  bool is_folder = descriptor < 0 && is_at && arguments[4] & AT_EMPTY_PATH;
  long size = of_path_of(is_folder ? folder : descriptor, path, sizeof path);
  if (descriptor >= 0) OF_CALL_2(SYS_close, descriptor, 0);
  if (descriptor < 0 && !is_folder) return; /* exec will not find the program either, so no path is recorded */
  if (size < 0) size = 0;
  of_record_program(path, (uint32_t)size);
  /* relaxed: only this thread compares it with its own number */
  of_store_relaxed(&of_thread_in_exec, (uint32_t)OF_CALL_0(SYS_gettid));
}

void of_note_return_from_exec(void) {
  uint32_t thread = of_load_relaxed(&of_thread_in_exec); /* relaxed: as above */
  if (!thread || thread != (uint32_t)OF_CALL_0(SYS_gettid)) return;
  of_store_relaxed(&of_thread_in_exec, 0); /* relaxed: as above */
  struct orderfile_page_record *record = of_claim_page_records(1);
  if (record) of_finish_page_record(record, ORDERFILE_PAGE_EXEC_FAILED);
}
#endif
