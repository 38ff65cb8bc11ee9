/* The start of a recording: whether it is requested, the path, and the hits from before.
 *
 * Joining. Further copies of the recorder, in plugins linked separately, find the trace among the files
 * that the process has mapped, even if the folder has changed or the environment was cleared meanwhile.
 * The header contains the first copy's settings. */
#include "trace_start.h"

#include <errno.h>
#include <of_bytes.h>
#include <orderfile_payload_format.h>

#include "complaint.h"
#include "early_records.h"
#include "images.h"
#include "other_copies.h"
#include "payload_file.h"
#include "platform.h"
#include "slots.h"
#include "trace_file.h"
#include "trace_location.h"
#include "trace_name.h"
#include "trace_path.h"

#define OF_LATE_RECORDS 4096u /* room for records that arrive while the early ones are moved */

/* The address of another copy's mapping of the trace that was found. */
static const void *of_found_address;
static uint64_t of_found_size;

/* Reads the header from the file or, if the file is out of reach by now, from its mapping. */
OF_LOCAL bool of_read_header(const char *path, const void *address, orderfile_trace_header *header) {
  uint64_t size = 0;
  int kind = of_file_kind(path, &size);
  bool is_file = kind == OF_REGULAR_FILE && size >= ORDERFILE_TRACE_HEADER_SIZE;
  int descriptor = is_file ? of_open_read(path) : -ENOENT;
  if (kind >= 0 && !is_file) return false;
  if (descriptor < 0) return address && of_read_memory(address, header, sizeof *header);
  int64_t got = of_read(descriptor, header, sizeof *header, 0);
  of_close(descriptor);
  return got == sizeof *header;
}

OF_LOCAL bool of_find_mapped_trace(const char *path, const void *address, uint64_t mapped_size,
                                   void *context) {
  (void)context;
  static orderfile_trace_header header;
  if (!of_read_header(path, address, &header) || !of_is_trace(&header) || !of_is_own_header(&header))
    return false;
  of_copy(of_location.path, path, of_length(path) + 1);
  of_found_address = address;
  of_found_size = mapped_size;
  return true;
}

/* Returns the decimal number at the start of TEXT, at most LIMIT; 0 if there is no number. */
OF_LOCAL uint64_t of_parse_number(const char *text, uint64_t limit) {
  uint64_t value = 0;
  for (; text && *text >= '0' && *text <= '9'; text++) {
    uint64_t digit = (uint64_t)(*text - '0');
    if (value > (limit - digit) / 10) return limit;
    value = value * 10 + digit;
  }
  return value;
}

/* Keeps the template as an absolute one. Returns 0 or -errno; after an error the template itself is the path in the
 * message. */
OF_LOCAL int of_keep_template(const char *template_path) {
  uint64_t length = of_length(template_path);
  of_copy(of_location.path, template_path, length < OF_PATH_SIZE ? length : OF_PATH_SIZE - 1);
  return of_make_absolute(template_path, of_location.template_path);
}

/* Joins a trace that another copy of the recorder has created, and takes over its path and its settings. */
OF_LOCAL int of_join_mapped_trace(orderfile_trace_header **trace, uint64_t *limit) {
  int result =
      of_join_trace(of_location.path, of_found_address, of_found_size, trace, limit);
  if (result < 0) return result;
  const char *told = (const char *)(*trace)->path_template;
  if (*told) of_copy(of_location.template_path, told, of_length(told) + 1);
  else if (!of_escape_path(of_location.path, of_location.template_path)) return -ENAMETOOLONG;
  return result;
}

/* Creates the process's trace, as requested by the environment or the program, or joins it. Returns 1 if
 * another copy had created it, 0 if it is new, -errno, OF_NOT_A_TRACE, or OF_NOT_ASKED. */
OF_LOCAL int of_find_trace(uint64_t expected, orderfile_trace_header **trace, uint64_t *limit) {
  bool is_privileged = of_is_privileged();
  const char *path = is_privileged ? NULL : of_environment("ORDERFILE_TRACE");
  if (!path || !*path) path = of_default_trace();
  bool is_asked = path && *path;
  /* The first copy is that of the program, or of a library that it is linked with: only a library's copy
   * can be so late that the environment has changed. */
  bool is_in_program = of_is_in_program(&of_recorder);
  if (!is_asked && (is_privileged || is_in_program)) return OF_NOT_ASKED;

  of_identify_self();
  of_watch_threads();
  of_remember_executable();
  of_exec_id(of_location.self.exec_id);
  of_location.first_standard_error = of_standard_error();
  if (!is_privileged) {
    of_location.self.session = of_parse_number(of_environment("ORDERFILE_SESSION"), UINT64_MAX);
    const char *names = of_environment("ORDERFILE_NAMES");
    of_recorder.writes_names = names && of_equal(names, "dladdr", sizeof "dladdr");
  }
  /* If the program's copy has an absolute path, a library's copy would have written to the same path. */
  bool must_search = !is_in_program || !is_asked || *path != '/';
  if (must_search && of_each_shared_file(of_find_mapped_trace))
    return of_join_mapped_trace(trace, limit);
  if (!is_asked) return OF_NOT_ASKED;

  int result = of_keep_template(path);
  if (result == 0) result = of_open_trace(expected, trace, limit);
  if (result != 0 || is_privileged) return result;
  of_keep_payload_path(of_environment("ORDERFILE_PAYLOAD"),
                       of_parse_number(of_environment("ORDERFILE_PAYLOAD_SIZE"), ORDERFILE_FIELD_LARGEST_SIZE));
  uint64_t milliseconds =
      of_parse_number(of_environment("ORDERFILE_STOP_AFTER_MS"), (uint64_t)1 << 40);
  if (milliseconds) (*trace)->stop_time = of_clock() + milliseconds * 1000000;
  const char *mark = of_environment("ORDERFILE_STOP_AT");
  /* Keeps as many bytes as marks keep of their names; the rest of the field is zero. */
  uint64_t size = mark ? of_length(mark) : 0, most = sizeof (*trace)->stop_mark - 1;
  of_copy((*trace)->stop_mark, mark, size < most ? size : most);
  return result;
}

OF_INTERNAL void of_start_recording(uint64_t guards) {
  orderfile_trace_header *trace = NULL;
  uint64_t limit = 0;
  /* Slots for the waiting records. If there are any, more may arrive until the trace is in place. */
  uint64_t count = of_early_record_count() ? of_early_record_count() + OF_LATE_RECORDS : 16;
  uint64_t expected = count + guards + 16; /* and the first image's load record, of a path that is not long */
  int result = of_find_trace(expected, &trace, &limit);
  if (result < 0) {
    of_store_relaxed(&of_recorder.mode, OF_SILENT); /* relaxed: a flag */
    if (result != OF_NOT_ASKED) of_complain("record to", of_location.path, result, OF_UNRECORDED);
    return;
  }
  of_recorder.record_limit = limit;
  of_recorder.ownership = of_page_wiped_on_fork();
  if (of_recorder.ownership) of_store_relaxed(of_recorder.ownership, OF_OWNED); /* relaxed: see below */
  of_store_relaxed(&of_recorder.owner, of_location.self.pid);                            /* relaxed: see below */

  of_reserve_records(trace, count);
  /* The slots of the waiting records must be before everything that other threads write from now on. */
  while (of_early_record_count() && of_early_record_count() + OF_LATE_RECORDS / 2 > count) {
    uint64_t more = of_early_record_count() + OF_LATE_RECORDS - count;
    of_reserve_records(trace, more);
    count += more;
  }
  uint64_t slot = of_claim_slots(trace, count);
  /* relaxed: published with the pointer */
  if (of_load_relaxed(&of_recorder.is_stopped))
    of_store_relaxed(&trace->state, ORDERFILE_STATE_STOPPED_BY_CALL);
  of_store_relaxed(&of_recorder.mode, OF_RECORDING);
  /* release: publishes all of the above; pairs with the acquire in of_own_trace */
  of_store_release(&of_recorder.trace, trace);
  of_drain_early_records(trace, slot, slot == UINT64_MAX ? 0 : count);
}
