/* Making, joining, growing and inheriting the trace.
 *
 * Creation. The file is made under a name of its own, its blocks are allocated, it is mapped, its
 * header is filled in, and only then it gets its real name by link(2): whoever opens the real name
 * sees a whole header. Nothing is ever truncated: a file that a process has mapped must keep its size.
 *
 * Ownership. A name that exists is taken over only from a dead process. Its header names the owner:
 *
 *   same process, same exec    another copy of the recorder in this process made it: join it
 *   same process, other exec   we made it before exec: take the next name
 *   another living process     take the next name
 *   same session               take the next name, so that one recorded command line that starts
 *                              several programs in turn keeps all their traces
 *   none of these              remove it, holding the folder's lock: else a second process that had
 *                              judged the same dead trace could remove what the first puts there
 *
 * The next name after PATH is PATH.<pid>, then PATH.<pid>.1 and so on. A file that is no trace is not
 * touched: the path was a mistake.
 *
 * Growth. The mapping is made once, far larger than the file: pages behind the end of a file can be
 * mapped, and become usable when the file grows. All copies of the recorder see the growth at once,
 * through `capacity`, which never counts a slot whose block is not allocated. So a full disk costs
 * records, which are counted, and never a SIGBUS.
 *
 * fork. The child sees that it is one when its next first hit finds the page wiped that the kernel
 * wipes on fork, however the fork was made. It makes a file of its own, copies the load records of its
 * own images (the parent may have loaded others since), and goes on there. The parent's mapping stays:
 * a signal handler may have forked in the middle of a hit, whose last stores then still have somewhere
 * to go.
 *
 * Joining. Further copies of the recorder, in plugins linked apart, find the trace among the files that
 * the process has mapped: neither a changed folder nor an environment cleared meanwhile hides it. The
 * header tells them what the first copy was told.
 */
#include <orderfile_runtime.h>

#include "recorder.h"

#define OF_ALLOCATION_UNIT 65536ull /* bytes: a multiple of every page size */
#define OF_SPARE_RECORDS 1024ull    /* for marks, loads and names */
#define OF_NAMES_TRIED 100 /* a program that calls exec over and over needs one each time */

static char of_template[OF_PATH_SIZE]; /* absolute, %p and %n not yet replaced */
static char of_trace_path[OF_PATH_SIZE];
static uint32_t of_parent; /* the process number of the ancestor whose trace we go on with, else 0 */
static uint64_t of_first_standard_error;

/* What identifies this process image. */
typedef struct of_identity {
  uint32_t pid;
  uint64_t start_time;
  uint8_t exec_id[16];
  uint64_t session;
} of_identity;

static of_identity of_self;

OF_LOCAL bool of_is_own_trace(const orderfile_trace_header *header) {
  return header->pid == of_self.pid && header->start_time == of_self.start_time &&
         of_equal(header->exec_id, of_self.exec_id, sizeof of_self.exec_id);
}

OF_LOCAL bool of_is_trace(const orderfile_trace_header *header) {
  static const uint8_t magic[8] = ORDERFILE_TRACE_MAGIC_BYTES;
  return of_equal(header->magic, magic, sizeof magic);
}

OF_INTERNAL void of_calibrate(orderfile_trace_header *trace) {
  of_store_relaxed(&trace->last_pair.ticks, of_ticks()); /* relaxed: about now is good enough */
  of_store_relaxed(&trace->last_pair.nanoseconds, of_clock()); /* relaxed: likewise */
  if (!of_load_relaxed(&of_recorder.lost_records)) return;     /* relaxed: a count */
  uint64_t lost = of_exchange_relaxed(&of_recorder.lost_records, 0); /* relaxed: a count */
  if (lost) of_fetch_add_relaxed(&trace->lost_records, lost);        /* relaxed: a count */
}

/* Maps the trace in DESCRIPTOR with as much room behind it as the address space allows. */
OF_LOCAL orderfile_trace_header *of_map_trace(int descriptor, uint64_t *record_limit) {
  for (size_t size = (size_t)1 << 30; size >= OF_ALLOCATION_UNIT; size >>= 2) {
    if (size > of_address_space() / 16) continue; /* the program's, not ours to use up */
    void *address = of_map(descriptor, size, NULL);
    if (!address) continue;
    *record_limit = (size - ORDERFILE_TRACE_HEADER_SIZE) / sizeof(orderfile_record);
    return address;
  }
  return NULL;
}

OF_LOCAL uint64_t of_records_in(uint64_t file_size) {
  return (file_size - ORDERFILE_TRACE_HEADER_SIZE) / sizeof(orderfile_record);
}

OF_LOCAL uint64_t of_file_size(uint64_t records) {
  uint64_t size = ORDERFILE_TRACE_HEADER_SIZE + records * sizeof(orderfile_record);
  return (size + OF_ALLOCATION_UNIT - 1) / OF_ALLOCATION_UNIT * OF_ALLOCATION_UNIT;
}

OF_LOCAL void of_fill_header(orderfile_trace_header *header, uint64_t capacity) {
  static const uint8_t magic[8] = ORDERFILE_TRACE_MAGIC_BYTES;
  of_copy(header->magic, magic, sizeof magic);
  header->version = ORDERFILE_TRACE_VERSION;
  header->header_size = ORDERFILE_TRACE_HEADER_SIZE;
  header->record_size = sizeof(orderfile_record);
#if defined(__x86_64__)
  header->machine = 62; /* EM_X86_64 */
#elif defined(__aarch64__)
  header->machine = 183; /* EM_AARCH64 */
#endif
  header->flags = of_parent ? ORDERFILE_TRACE_FORKED : 0;
  header->pid = of_self.pid;
  header->parent_pid = of_parent;
  header->start_time = of_self.start_time;
  of_copy(header->exec_id, of_self.exec_id, sizeof of_self.exec_id);
  header->session = of_self.session;
  uint64_t template_size = of_length(of_template);
  if (template_size < sizeof header->path_template)
    of_copy(header->path_template, of_template, template_size);
  header->ticks_per_second = of_ticks_per_second();
  header->first_pair.ticks = of_ticks();
  header->first_pair.nanoseconds = of_clock();
  header->last_pair = header->first_pair;
  header->start_resolution = of_process_start_resolution();
  header->process_start = of_self.start_time * header->start_resolution;
  header->capacity = capacity;
  header->next_image = 1;
  static char program[OF_PATH_SIZE];
  int size = of_executable_path(program);
  if (size > (int)ORDERFILE_TRACE_PROGRAM_SIZE - 1) size = ORDERFILE_TRACE_PROGRAM_SIZE - 1;
  if (size > 0) of_copy(header->program, program, (uint64_t)size);
}

/* Makes the trace PATH; -EEXIST if the name was taken meanwhile. */
OF_LOCAL int of_create_trace(const char *path, orderfile_trace_header **trace, uint64_t *limit) {
  static char new_path[OF_PATH_SIZE];
  of_copy(new_path, path, of_length(path) + 1);
  if (!of_append_number(new_path, of_self.pid)) return -36; /* ENAMETOOLONG */
  uint64_t size = of_length(new_path);
  static const char suffix[] = ".new";
  if (size + sizeof suffix > OF_PATH_SIZE) return -36; /* ENAMETOOLONG */
  of_copy(new_path + size, suffix, sizeof suffix);

  of_remove(new_path); /* left behind by a process of our number that was killed right here */
  int descriptor = of_create(new_path);
  if (descriptor < 0) return descriptor;
  uint64_t file_size = of_file_size(OF_SPARE_RECORDS);
  int result = of_allocate(descriptor, 0, file_size);
  if (result == 0) {
    *trace = of_map_trace(descriptor, limit);
    if (!*trace) result = -12; /* ENOMEM */
  }
  of_close(descriptor);
  if (result == 0) {
    of_fill_header(*trace, of_records_in(file_size));
    (*trace)->demand = OF_SPARE_RECORDS;
    result = of_publish(new_path, path);
  }
  of_remove(new_path);
  return result;
}

OF_LOCAL int of_join_trace(const char *path, orderfile_trace_header **trace, uint64_t *limit) {
  int descriptor = of_open_write(path);
  if (descriptor < 0) return descriptor;
  *trace = of_map_trace(descriptor, limit);
  of_close(descriptor);
  if (!*trace) return -12; /* ENOMEM */
  return of_is_own_trace(*trace) ? 1 : -17; /* replaced meanwhile: EEXIST */
}

#define OF_NAME_IS_TAKEN 2
#define OF_NAME_IS_LEFT 3
#define OF_NOT_A_TRACE (-1000)

/* Whom PATH belongs to: 1 to us, OF_NAME_IS_TAKEN, 0 to nobody, or OF_NAME_IS_LEFT behind. */
OF_LOCAL int of_judge_name(const char *path) {
  uint64_t size = 0;
  int kind = of_file_kind(path, &size);
  if (kind == -2) return 0; /* ENOENT */
  if (kind < 0) return kind;
  if (kind == OF_OTHER_FILE) return OF_NOT_A_TRACE;
  if (kind == OF_REGULAR_FILE && size > 0) {
    static orderfile_trace_header header;
    int descriptor = of_open_read(path);
    if (descriptor < 0) return descriptor;
    int64_t got = of_read(descriptor, &header, sizeof header, 0);
    of_close(descriptor);
    if (got != sizeof header || !of_is_trace(&header)) return OF_NOT_A_TRACE;
    if (of_is_own_trace(&header)) return 1;
    if (header.pid == of_self.pid && header.start_time == of_self.start_time)
      return OF_NAME_IS_TAKEN;
    if (header.session && header.session == of_self.session) return OF_NAME_IS_TAKEN;
    uint64_t start = of_process_start(header.pid);
    if (start == header.start_time || start == UINT64_MAX) return OF_NAME_IS_TAKEN;
  }
  return OF_NAME_IS_LEFT;
}

/* Whom PATH belongs to: 1 to us, OF_NAME_IS_TAKEN, or 0 after removing what a dead process left. */
OF_LOCAL int of_claim_name(const char *path) {
  int owner = of_judge_name(path);
  if (owner != OF_NAME_IS_LEFT) return owner;
  int lock = -OF_BUSY;
  for (int patience = 0; lock == -OF_BUSY && patience < 1000; patience++) {
    if (patience) of_yield();
    lock = of_lock_folder(path);
  }
  if (lock == -OF_BUSY) return OF_NAME_IS_TAKEN; /* the holder is stopped, or it isn't one of us */
  owner = of_judge_name(path);
  if (owner == OF_NAME_IS_LEFT) owner = of_remove(path);
  of_unlock_folder(lock);
  return owner;
}

/* Finds the process's trace by the first name that is ours or free. Returns 1 if another copy of the
 * recorder had made it, 0 if it is new, -errno, or OF_NOT_A_TRACE; of_trace_path says where. */
OF_LOCAL int of_open_trace(orderfile_trace_header **trace, uint64_t *limit) {
  bool plain_name_is_parents = of_parent && !of_has_process_number(of_template);
  for (int i = plain_name_is_parents ? 1 : 0; i < OF_NAMES_TRIED; i++) {
    if (!of_expand_path(of_template, of_trace_path)) return -36; /* ENAMETOOLONG */
    if (i >= 1 && !of_append_number(of_trace_path, of_self.pid)) return -36;
    if (i >= 2 && !of_append_number(of_trace_path, (uint64_t)i - 1)) return -36;
    for (int race = 0; race < 10; race++) {
      int owner = of_claim_name(of_trace_path);
      if (owner < 0) return owner;
      if (owner == OF_NAME_IS_TAKEN) break;
      int result = owner == 1 ? of_join_trace(of_trace_path, trace, limit)
                              : of_create_trace(of_trace_path, trace, limit);
      if (result != -17) return result; /* EEXIST: somebody was faster; look again */
    }
  }
  return -17; /* EEXIST */
}

/* Reads the file rather than the mapping: a program's own mapping may reach past the end of its file. */
OF_LOCAL bool of_find_mapped_trace(const char *path) {
  uint64_t size = 0;
  static orderfile_trace_header header;
  if (of_file_kind(path, &size) != OF_REGULAR_FILE || size < ORDERFILE_TRACE_HEADER_SIZE) return false;
  int descriptor = of_open_read(path);
  if (descriptor < 0) return false;
  int64_t got = of_read(descriptor, &header, sizeof header, 0);
  of_close(descriptor);
  if (got != sizeof header || !of_is_trace(&header) || !of_is_own_trace(&header)) return false;
  of_copy(of_trace_path, path, of_length(path) + 1);
  return true;
}

OF_LOCAL void of_append(char *text, uint64_t *size, const char *part) {
  uint64_t length = of_length(part);
  of_copy(text + *size, part, length);
  *size += length;
}

OF_LOCAL void of_complain(int result) {
  /* A child may have closed its standard streams and be using the number for a file of its own. */
  if (of_standard_error() != of_first_standard_error) return;
  static char text[OF_PATH_SIZE + 128];
  uint64_t size = 0;
  const char *reason = result == OF_NOT_A_TRACE ? "the file there is not a trace"
                                                : of_error_name(-result);
  of_append(text, &size, "orderfile: cannot record to '");
  of_append(text, &size, of_trace_path);
  of_append(text, &size, "': ");
  of_append(text, &size, reason);
  of_append(text, &size, "; the program runs on unrecorded\n");
  of_write_error(text, size);
}

/* The decimal number that TEXT begins with, at most LIMIT; 0 without one. */
OF_LOCAL uint64_t of_parse_number(const char *text, uint64_t limit) {
  uint64_t value = 0;
  for (; text && *text >= '0' && *text <= '9'; text++) {
    uint64_t digit = (uint64_t)(*text - '0');
    if (value > (limit - digit) / 10) return limit;
    value = value * 10 + digit;
  }
  return value;
}

/* Stores the template as an absolute path, so that a child finds the folder after a chdir. */
OF_LOCAL bool of_keep_template(const char *template_path) {
  uint64_t size = 0;
  if (template_path[0] != '/') {
    static char folder[OF_PATH_SIZE];
    if (of_current_folder(folder) <= 0 || !of_escape_path(folder, of_template)) return false;
    size = of_length(of_template);
    if (size + 1 >= OF_PATH_SIZE) return false;
    of_template[size++] = '/';
  }
  uint64_t length = of_length(template_path);
  if (size + length >= OF_PATH_SIZE) return false;
  of_copy(of_template + size, template_path, length + 1);
  return true;
}

/* Copies LENGTH records that are complete, the head last: a reader takes its kind for all of them. */
OF_LOCAL void of_copy_records(orderfile_record *to, const orderfile_record *from, uint64_t length) {
  while (length-- > 0) {
    of_copy(&to[length], &from[length], offsetof(orderfile_record, kind));
    of_store_release(&to[length].kind, from[length].kind); /* release: publishes the fields */
  }
}

/* Moves what waited for the trace into the COUNT slots from SLOT. */
OF_LOCAL void of_drain_early_records(orderfile_trace_header *trace, uint64_t slot, uint64_t count) {
  /* release: closes the buffer behind the trace's pointer; whoever finds it closed finds the trace.
   * Pairs with the acquire in of_claim_early_records. */
  uint64_t early = of_exchange_release(&of_early.next, (uint64_t)1 << 62);
  if (early > OF_EARLY_CAPACITY) early = OF_EARLY_CAPACITY; /* the others were counted as they came */
  uint64_t used = 0, length;
  for (uint64_t i = 0; i < early; i += length) {
    orderfile_record *waiting = &of_early.records[i];
    length = 1;
    /* acquire: pairs with the release that every kind is stored with. Its writer is between two
     * instructions, or another thread that has to be given the processor. */
    uint32_t kind = of_load_acquire(&waiting->kind);
    for (int patience = 0; !kind && patience < 1000; patience++) {
      of_yield();
      kind = of_load_acquire(&waiting->kind); /* acquire: likewise */
    }
    if (kind == ORDERFILE_RECORD_MARK) length = of_records_for(waiting->payload_size);
    uint64_t target = slot + i;
    if (i + length <= count) used = i + length;
    else target = of_claim_slots(trace, length);
    if (target == UINT64_MAX || !kind) continue; /* lost, or in flight for good: both are counted */
    of_copy_records(&of_records(trace)[target], waiting, length);
    if (kind != ORDERFILE_RECORD_MARK) continue;
    of_stop_at_mark(trace, waiting);
    if (of_load_relaxed(&trace->state) != ORDERFILE_STATE_RECORDING) break; /* relaxed: a flag */
  }
  if (used == count) return;
  orderfile_record *rest = &of_records(trace)[slot + used];
  rest->subject = count - used;
  of_store_release(&rest->kind, ORDERFILE_RECORD_UNUSED); /* release: as every kind */
}

OF_LOCAL void of_identify_self(void) {
  of_self.pid = of_process_number();
  of_self.start_time = of_process_start(of_self.pid);
}

/* Of a trace that another copy of the recorder has made: where it is and what its maker was told. */
OF_LOCAL int of_join_mapped_trace(orderfile_trace_header **trace, uint64_t *limit) {
  int result = of_join_trace(of_trace_path, trace, limit);
  if (result < 0) return result;
  const char *told = (const char *)(*trace)->path_template;
  if (*told) of_copy(of_template, told, of_length(told) + 1);
  else if (!of_escape_path(of_trace_path, of_template)) return -36; /* ENAMETOOLONG */
  return result;
}

/* Makes the process's trace, as the environment or the program asks for it, or joins it. Returns 1 if
 * another copy had made it, 0 if it is new, -errno, OF_NOT_A_TRACE, or OF_NOT_ASKED. */
#define OF_NOT_ASKED (-1001)
OF_LOCAL int of_find_trace(orderfile_trace_header **trace, uint64_t *limit) {
  bool is_privileged = of_is_privileged();
  const char *path = is_privileged ? NULL : of_environment("ORDERFILE_TRACE");
  if ((!path || !*path) && orderfile_default_trace) path = orderfile_default_trace;
  bool is_asked = path && *path;
  /* The first copy is the program's, or that of a library that it is linked with: only a library's can
   * come so late that the environment has changed. */
  if (!is_asked && (is_privileged || of_is_in_program(&of_recorder))) return OF_NOT_ASKED;

  of_identify_self();
  of_exec_id(of_self.exec_id);
  of_first_standard_error = of_standard_error();
  if (!is_privileged) {
    of_self.session = of_parse_number(of_environment("ORDERFILE_SESSION"), UINT64_MAX);
    const char *names = of_environment("ORDERFILE_NAMES");
    of_recorder.writes_names = names && of_equal(names, "dladdr", sizeof "dladdr");
  }
  if (of_each_shared_file(of_find_mapped_trace)) return of_join_mapped_trace(trace, limit);
  if (!is_asked) return OF_NOT_ASKED;

  int result = of_keep_template(path) ? of_open_trace(trace, limit) : -36; /* ENAMETOOLONG */
  if (result != 0 || is_privileged) return result;
  uint64_t milliseconds =
      of_parse_number(of_environment("ORDERFILE_STOP_AFTER_MS"), (uint64_t)1 << 40);
  if (milliseconds) (*trace)->stop_time = of_clock() + milliseconds * 1000000;
  const char *mark = of_environment("ORDERFILE_STOP_AT");
  if (mark && of_length(mark) < sizeof (*trace)->stop_mark)
    of_copy((*trace)->stop_mark, mark, of_length(mark) + 1);
  return result;
}

OF_INTERNAL void of_start_recording(void) {
  orderfile_trace_header *trace = NULL;
  uint64_t limit = 0;
  int result = of_find_trace(&trace, &limit);
  if (result < 0) {
    of_store_relaxed(&of_recorder.mode, OF_SILENT); /* relaxed: a flag */
    if (result != OF_NOT_ASKED) of_complain(result);
    return;
  }
  of_recorder.record_limit = limit;
  of_recorder.ownership = of_page_wiped_on_fork();
  if (of_recorder.ownership) of_store_relaxed(of_recorder.ownership, OF_OWNED); /* relaxed: see below */
  of_store_relaxed(&of_recorder.owner, of_self.pid);                            /* relaxed: see below */

  /* Slots for what waits. If something does, more may come in until the trace is in its place, and its
   * place in the order is before all that other threads write there: set aside all it can need. */
  uint64_t count = of_load_relaxed(&of_early.next) ? OF_EARLY_CAPACITY : 16; /* relaxed: a guess */
  of_reserve_records(trace, count);
  uint64_t slot = of_claim_slots(trace, count);
  /* relaxed: published with the pointer */
  if (of_load_relaxed(&of_recorder.is_stopped))
    of_store_relaxed(&trace->state, ORDERFILE_STATE_STOPPED_BY_CALL);
  of_store_relaxed(&of_recorder.mode, OF_RECORDING);
  /* release: publishes all of the above; pairs with the acquire in of_own_trace */
  of_store_release(&of_recorder.trace, trace);
  of_drain_early_records(trace, slot, slot == UINT64_MAX ? 0 : count);
}

/* Raises the capacity to COUNT records, never lowers it. */
OF_LOCAL void of_raise_capacity(orderfile_trace_header *trace, uint64_t count) {
  uint64_t capacity = of_load_relaxed(&trace->capacity); /* relaxed: the exchange decides */
  /* release: the blocks are there; pairs with the acquire in of_claim_slots */
  while (capacity < count && !of_compare_exchange_release(&trace->capacity, &capacity, count)) {
  }
}

OF_INTERNAL void of_reserve_records(orderfile_trace_header *trace, uint64_t count) {
  /* relaxed: a sum */
  uint64_t demand = of_fetch_add_relaxed(&trace->demand, count) + count;
  if (demand > of_recorder.record_limit) demand = of_recorder.record_limit;
  uint64_t capacity = of_load_relaxed(&trace->capacity); /* relaxed: only growth changes it */
  if (demand <= capacity) return;
  uint64_t old_size = of_file_size(capacity);
  uint64_t growth = of_file_size(demand) - old_size;

  int descriptor = of_open_write(of_trace_path);
  if (descriptor < 0) return; /* removed, or out of reach by now: what finds no room is counted */
  static orderfile_trace_header header;
  bool is_ours = of_read(descriptor, &header, sizeof header, 0) == sizeof header &&
                 of_is_trace(&header) && of_is_own_trace(&header);
  /* Where there is no room for all, take what there is: the first hits are worth the most. */
  for (; is_ours && growth; growth = growth / 2 / OF_ALLOCATION_UNIT * OF_ALLOCATION_UNIT) {
    if (of_allocate(descriptor, old_size, old_size + growth) != 0) continue;
    of_raise_capacity(trace, of_records_in(old_size + growth));
    break;
  }
  of_close(descriptor);
}

/* Copies the load records of this copy's images, with their payloads, from FROM to TO. */
OF_LOCAL void of_inherit_images(orderfile_trace_header *from, orderfile_trace_header *to) {
  uint64_t count = of_load_relaxed(&from->next_record); /* relaxed: the parent may go on; not ours */
  uint64_t capacity = of_load_acquire(&from->capacity); /* acquire: as in of_claim_slots */
  if (count > capacity) count = capacity;
  for (uint64_t i = 0; i < count; i++) {
    orderfile_record *record = &of_records(from)[i];
    uint32_t kind = of_load_acquire(&record->kind); /* acquire: pairs with of_fill_record */
    if (kind != ORDERFILE_RECORD_LOAD || !of_is_loaded(record->subject)) continue;
    uint64_t length = of_records_for(record->payload_size);
    if (length > count - i) return;
    of_reserve_records(to, length);
    uint64_t slot = of_claim_slots(to, length);
    if (slot == UINT64_MAX) return;
    orderfile_record *copy = &of_records(to)[slot];
    of_copy_records(copy + 1, record + 1, length - 1);
    of_copy(copy, record, offsetof(orderfile_record, kind));
    copy->entry = 0; /* the slot of a hit in the parent's trace */
    of_store_release(&copy->kind, kind); /* release: publishes the fields and the payload */
  }
}

OF_INTERNAL void of_replace_trace_after_fork(void) {
  /* Picks the one thread of the child that sets up. Without the page, a claim of another process was
   * made by a thread of the parent, and copied. */
  uint32_t *claim = of_recorder.ownership ? of_recorder.ownership : &of_recorder.setting_up;
  uint32_t mine = of_recorder.ownership ? OF_SETTING_UP : of_process_number();
  uint32_t found = of_recorder.ownership ? OF_FORKED : of_load_relaxed(claim); /* relaxed: likewise */
  if (found == mine || !of_compare_exchange_relaxed(claim, &found, mine)) return; /* relaxed: a pick */

  if (!of_recorder.ownership && of_load_acquire(&of_recorder.owner) == mine) { /* acquire: as above */
    of_store_release(claim, 0); /* release: as below. Another thread finished between our two looks. */
    return;
  }
  orderfile_trace_header *parents = of_recorder.trace;
  orderfile_trace_header *trace = NULL;
  uint64_t limit = 0;
  of_parent = of_self.pid;
  of_identify_self();
  of_store_relaxed(&of_recorder.lost_records, 0); /* relaxed: the parent's, if any */
  bool is_stopped = of_load_relaxed(&parents->state) != ORDERFILE_STATE_RECORDING || /* relaxed: a flag */
                    (parents->stop_time && of_clock() >= parents->stop_time);
  int result = is_stopped ? OF_NOT_ASKED : of_open_trace(&trace, &limit);
  if (result < 0) {
    if (!is_stopped) of_complain(result);
    of_store_relaxed(&of_recorder.mode, OF_SILENT); /* relaxed: published with the pointer */
    trace = NULL;
  } else {
    of_recorder.record_limit = limit;
    if (result == 0) {
      trace->stop_time = parents->stop_time;
      of_copy(trace->stop_mark, parents->stop_mark, sizeof trace->stop_mark);
      /* relaxed: only another copy of this process could have it mapped by now */
      of_store_relaxed(&trace->next_image, of_load_relaxed(&parents->next_image));
      of_reserve_records(trace, of_load_relaxed(&parents->demand));
    }
    of_inherit_images(parents, trace);
  }
  of_store_release(&of_recorder.trace, trace);       /* release: pairs with of_own_trace */
  of_store_release(&of_recorder.owner, of_self.pid); /* release: pairs with of_owns_trace */
  if (of_recorder.ownership)
    of_store_release(of_recorder.ownership, OF_OWNED); /* release: likewise */
  else
    of_store_release(&of_recorder.setting_up, 0); /* release: a child of ours needs it */
}
