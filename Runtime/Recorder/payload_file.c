/* The file gets its name when it is complete. It replaces a payload or an empty file, and nothing else.
 *
 * The token of the day is in a file beside the payload, orderfile.day, which all programs that write payloads in that
 * folder share: so a device has one token for a day. Only a process that has locked the folder makes the file. On a file
 * system without locks, two processes that end at the same moment as the first of a day may have two tokens. A device
 * whose folder can't be written has none, and sends payloads that count as launches, but not as devices. */
#include "payload_file.h"

#include <errno.h>
#include <of_bytes.h>
#include <orderfile_payload_format.h>

#include "complaint.h"
#include "payload.h"
#include "platform.h"
#include "trace_location.h"
#include "trace_path.h"

#define OF_DAY_FILE "orderfile.day"

typedef struct of_day {
  uint64_t day;
  uint64_t token;
} of_day;

enum {
  OF_PAYLOAD_IS_AWAITED = 0,
  OF_PAYLOAD_IS_BEING_MADE, /* by one thread */
  OF_PAYLOAD_IS_ASKED_FOR,  /* as before, and another caller came meanwhile */
  OF_PAYLOAD_IS_DONE,
};

static char of_payload_path[OF_PATH_SIZE]; /* empty: no payload is wanted */
static uint64_t of_payload_limit;          /* bytes */
static uint32_t of_payload_state;          /* atomic; one of the above */
static uint8_t of_payload_bytes[ORDERFILE_FIELD_LARGEST_SIZE];

/* Reads the first SIZE bytes of the file PATH. */
OF_LOCAL bool of_read_start(const char *path, void *bytes, uint64_t size) {
  int descriptor = of_open_read(path);
  if (descriptor < 0) return false;
  int64_t got = of_read(descriptor, bytes, size, 0);
  of_close(descriptor);
  return got == (int64_t)size;
}

/* Whether the trace has the requested name, or has another name because this process had that name before exec. */
OF_LOCAL bool of_has_requested_name(void) {
  static char requested[OF_PATH_SIZE];
  static orderfile_trace_header header;
  if (!of_expand_path(of_location.template_path, requested)) return false;
  uint64_t length = of_length(requested);
  if (of_length(of_location.path) == length && of_equal(of_location.path, requested, length)) return true;
  return of_read_start(requested, &header, sizeof header) && of_is_trace(&header) && of_is_own_number(&header);
}

OF_INTERNAL void of_keep_payload_path(const char *template_path, uint64_t size) {
  if (!template_path || !*template_path) return;
  if (!of_has_process_number(template_path) && !of_has_requested_name()) return;
  static char template[OF_PATH_SIZE];
  int result = of_make_absolute(template_path, template);
  if (result == 0 && !of_expand_path(template, of_payload_path)) result = -ENAMETOOLONG;
  if (result != 0) {
    of_complain("write the payload", template_path, result, "");
    of_payload_path[0] = 0;
  }
  of_payload_limit = size ? size : ORDERFILE_FIELD_USUAL_SIZE;
}

/* Stores in PATH the path of NAME beside the payload, or of the payload with NAME appended. */
OF_LOCAL bool of_path_beside(const char *name, bool is_appended, char path[OF_PATH_SIZE]) {
  uint64_t size = of_length(of_payload_path);
  while (!is_appended && size > 0 && of_payload_path[size - 1] != '/') size--;
  uint64_t length = of_length(name);
  if (size + length >= OF_PATH_SIZE) return false;
  of_copy(path, of_payload_path, size);
  of_copy(path + size, name, length + 1);
  return true;
}

/* Writes SIZE bytes to the new file PATH. Returns 0 or -errno; -EEXIST if there is such a file. */
OF_LOCAL int of_write_new(const char *path, const void *bytes, uint64_t size) {
  int descriptor = of_create(path);
  if (descriptor < 0) return descriptor;
  int result = of_write(descriptor, bytes, size);
  of_close(descriptor);
  if (result != 0) of_remove(path);
  return result;
}

/* Makes the token of TODAY, and the file PATH with it, unless another process has made the file. Returns 0 if that is
 * not possible. With the folder locked, if its file system has locks. */
OF_LOCAL uint64_t of_make_token(const char *path, uint64_t today) {
  static char new_path[OF_PATH_SIZE];
  OF_RAW of_day day;
  uint64_t length = of_length(path);
  of_copy(new_path, path, length + 1);
  if (!of_append_number(new_path, of_process_number())) return 0;
  for (int race = 0; race < 3; race++) {
    if (of_read_start(path, &day, sizeof day) && day.day == today) return day.token;
    of_remove(path);
    of_remove(new_path); /* of a process of this number that was killed */
    day.day = today;
    day.token = of_random();
    if (!day.token || of_write_new(new_path, &day, sizeof day) != 0) return 0;
    /* The file gets its name when it is complete, because others read it without the lock. */
    if (of_publish(new_path, path) == 0) return day.token;
    of_remove(new_path);
  }
  return 0;
}

/* The device's token for today, which the first launch of the day makes; 0 if there is none. */
OF_LOCAL uint64_t of_token_of_today(void) {
  static char path[OF_PATH_SIZE];
  OF_RAW of_day known;
  uint64_t today = of_today();
  if (!today || !of_path_beside(OF_DAY_FILE, false, path)) return 0;
  for (int patience = 0; patience < OF_PATIENCE; patience++) {
    if (of_read_start(path, &known, sizeof known) && known.day == today) return known.token;
    int lock = of_lock_folder(path);
    if (lock != -OF_BUSY) {
      uint64_t token = of_make_token(path, today);
      of_unlock_folder(lock);
      return token;
    }
    of_pause(); /* another process is making the token */
  }
  return 0;
}

/* Removes the file PATH if it is a payload or empty. Returns 0 if there is no file PATH after the call. */
OF_LOCAL int of_clear_payload(const char *path) {
  static const uint8_t magic[8] = ORDERFILE_FIELD_MAGIC_BYTES;
  OF_RAW uint8_t start[sizeof magic];
  uint64_t size = 0;
  int kind = of_file_kind(path, &size);
  if (kind == -ENOENT) return 0;
  if (kind < 0) return kind;
  bool is_payload = kind == OF_REGULAR_FILE && of_read_start(path, start, sizeof start) &&
                    of_equal(start, magic, sizeof magic);
  return is_payload || (kind == OF_REGULAR_FILE && size == 0) ? of_remove(path) : OF_NOT_A_PAYLOAD;
}

OF_INTERNAL void of_write_payload(orderfile_trace_header *trace) {
  if (!of_payload_path[0] || trace->flags & ORDERFILE_TRACE_FORKED) return;
  for (;;) {
    uint32_t state = OF_PAYLOAD_IS_AWAITED;
    /* acquire: pairs with the release of the thread that could not make the payload before */
    if (of_compare_exchange_acquire(&of_payload_state, &state, OF_PAYLOAD_IS_BEING_MADE)) break;
    if (state == OF_PAYLOAD_IS_DONE) return;
    /* The thread that makes the payload may have failed because this thread was registering an image.
     * release: the end of the registration; pairs with the acquire below */
    if (of_compare_exchange_release(&of_payload_state, &state, OF_PAYLOAD_IS_ASKED_FOR)) return;
  }
  static char new_path[OF_PATH_SIZE]; /* static because large; used by one thread at a time */
  uint64_t largest = sizeof of_payload_bytes;
  uint64_t limit = of_payload_limit < largest ? of_payload_limit : largest, size;
  while (!(size = of_make_payload(trace, of_token_of_today(), of_payload_bytes, limit))) {
    uint32_t state = OF_PAYLOAD_IS_BEING_MADE;
    /* release: the static memory of this call. Later the payload is tried again. */
    if (of_compare_exchange_release(&of_payload_state, &state, OF_PAYLOAD_IS_AWAITED)) return;
    /* acquire: pairs with the release above */
    of_compare_exchange_acquire(&of_payload_state, &state, OF_PAYLOAD_IS_BEING_MADE);
  }
  of_store_relaxed(&of_payload_state, OF_PAYLOAD_IS_DONE); /* relaxed: a flag */
  int result = -ENAMETOOLONG;
  if (of_path_beside(".new", true, new_path) && of_append_number(new_path, of_process_number()))
    result = of_clear_payload(new_path); /* of a process of this number that was killed */
  if (result == 0) result = of_write_new(new_path, of_payload_bytes, size);
  if (result == 0) {
    result = of_clear_payload(of_payload_path);
    if (result == 0) result = of_publish(new_path, of_payload_path);
    if (result == 0) return;
    of_remove(new_path);
  }
  of_complain("write the payload", of_payload_path, result, "");
}
