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
 *   none of these              remove it
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
 * wipes on fork, however the fork was made. It makes a file of its own, copies the records that say
 * which images are loaded, and goes on there. The parent's mapping stays: a signal handler may have
 * forked in the middle of a hit, whose last stores then still have somewhere to go.
 */
#include "recorder.h"

#define OF_ALLOCATION_UNIT 65536ull /* bytes: a multiple of every page size */
#define OF_SPARE_RECORDS 1024ull    /* for marks, loads and names */
#define OF_NAMES_TRIED 10

static char of_template[OF_PATH_SIZE]; /* absolute, %p and %n not yet replaced */
static char of_trace_path[OF_PATH_SIZE];
static uint32_t of_parent; /* the process number of who forked us, else 0 */

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
  uint64_t lost = of_exchange_relaxed(&of_recorder.lost_records, 0); /* relaxed: a count */
  if (lost) of_fetch_add_relaxed(&trace->lost_records, lost);        /* relaxed: a count */
}

/* Maps the trace in DESCRIPTOR with as much room behind it as the address space allows. */
OF_LOCAL orderfile_trace_header *of_map_trace(int descriptor, uint64_t *record_limit) {
  for (size_t size = (size_t)1 << 30; size >= OF_ALLOCATION_UNIT; size >>= 2) {
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
#define OF_NOT_A_TRACE (-1000)

/* Whom PATH belongs to: 1 to us, OF_NAME_IS_TAKEN, or 0 after removing what a dead process left. */
OF_LOCAL int of_claim_name(const char *path) {
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
  return of_remove(path);
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

OF_LOCAL bool of_find_mapped_trace(const void *address, const char *path) {
  const orderfile_trace_header *header = address;
  if (!of_is_trace(header) || !of_is_own_trace(header)) return false;
  of_copy(of_trace_path, path, of_length(path) + 1);
  return true;
}

OF_LOCAL void of_complain(int result) {
  static char text[OF_PATH_SIZE + 128];
  uint64_t size = 0;
  const char *reason = result == OF_NOT_A_TRACE ? "the file there is not a trace"
                                                : of_error_name(-result);
  const char *parts[] = {"orderfile: cannot record to '", of_trace_path, "': ", reason,
                         "; the program runs on unrecorded\n"};
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
    uint64_t length = of_length(parts[i]);
    of_copy(text + size, parts[i], length);
    size += length;
  }
  of_write_error(text, size);
}

OF_LOCAL uint64_t of_parse_number(const char *text) {
  uint64_t value = 0;
  for (; text && *text >= '0' && *text <= '9'; text++) value = value * 10 + (uint64_t)(*text - '0');
  return value;
}

/* Stores the template as an absolute path, so that a child finds the folder after a chdir. */
OF_LOCAL bool of_keep_template(const char *template_path) {
  uint64_t size = 0;
  if (template_path[0] != '/') {
    static char folder[OF_PATH_SIZE];
    if (of_current_folder(folder) <= 0) return false;
    for (const char *at = folder; *at; at++) {
      if (size + 3 >= OF_PATH_SIZE) return false;
      of_template[size++] = *at;
      if (*at == '%') of_template[size++] = '%'; /* not a directive */
    }
    of_template[size++] = '/';
  }
  uint64_t length = of_length(template_path);
  if (size + length >= OF_PATH_SIZE) return false;
  of_copy(of_template + size, template_path, length + 1);
  return true;
}

/* Moves the hits that waited for the trace into the first COUNT slots from SLOT. */
OF_LOCAL void of_drain_early_hits(orderfile_trace_header *trace, uint64_t slot, uint64_t count) {
  /* relaxed: closes the buffer: whoever comes now finds no room, looks again and finds the trace,
   * because the pointer was set before and the exchange is one with every fetch_add there */
  uint64_t early = of_exchange_relaxed(&of_early.next, (uint64_t)1 << 62);
  if (early > OF_EARLY_CAPACITY) {
    of_fetch_add_relaxed(&trace->lost_records, early - OF_EARLY_CAPACITY); /* relaxed: a count */
    early = OF_EARLY_CAPACITY;
  }
  for (uint64_t i = 0; i < early || i < count; i++) {
    uint64_t target = i < count ? slot + i : of_claim_slots(trace, 1);
    if (target == UINT64_MAX) continue; /* counted */
    orderfile_record *record = &of_records(trace)[target];
    if (i >= early) {
      of_store_release(&record->kind, ORDERFILE_RECORD_UNUSED); /* release: as every kind */
      continue;
    }
    orderfile_record *waiting = &of_early.records[i];
    /* acquire: pairs with the release in of_fill_function. Its writer is between two instructions. */
    uint32_t kind = of_load_acquire(&waiting->kind);
    for (int patience = 0; !kind && patience < 1000; patience++) kind = of_load_acquire(&waiting->kind);
    if (!kind) continue; /* stays in flight for good; readers count it */
    record->subject = waiting->subject;
    record->return_address = waiting->return_address;
    record->entry = waiting->entry;
    record->ticks = waiting->ticks;
    record->thread = waiting->thread;
    of_store_release(&record->kind, kind); /* release: publishes the fields */
  }
}

/* Makes TRACE the one that hits go to. */
OF_LOCAL void of_use_trace(orderfile_trace_header *trace, uint64_t limit) {
  of_recorder.record_limit = limit;
  of_recorder.ownership = of_page_wiped_on_fork();
  if (of_recorder.ownership) of_store_relaxed(of_recorder.ownership, OF_OWNED); /* relaxed: see below */
  of_recorder.owner = of_self.pid;
  of_store_relaxed(&of_recorder.mode, OF_RECORDING); /* relaxed: published with the pointer */
  /* release: publishes all of the above; pairs with the acquire in of_current_trace */
  of_store_release(&of_recorder.trace, trace);
}

OF_LOCAL void of_identify_self(void) {
  of_self.pid = of_process_number();
  of_self.start_time = of_process_start(of_self.pid);
}

extern const char orderfile_default_trace[] __attribute__((weak));

OF_INTERNAL void of_start_recording(void) {
  of_store_relaxed(&of_recorder.mode, OF_SILENT); /* relaxed: until all below has succeeded */
  bool is_privileged = of_is_privileged();
  const char *path = is_privileged ? NULL : of_environment("ORDERFILE_TRACE");
  if ((!path || !*path) && orderfile_default_trace) path = orderfile_default_trace;
  if (!path || !*path) return;

  of_identify_self();
  of_exec_id(of_self.exec_id);
  uint64_t milliseconds = 0;
  if (!is_privileged) {
    of_self.session = of_parse_number(of_environment("ORDERFILE_SESSION"));
    milliseconds = of_parse_number(of_environment("ORDERFILE_STOP_AFTER_MS"));
    const char *mark = of_environment("ORDERFILE_STOP_AT");
    if (mark && of_length(mark) < sizeof of_recorder.stop_mark)
      of_copy(of_recorder.stop_mark, mark, of_length(mark) + 1);
    const char *names = of_environment("ORDERFILE_NAMES");
    of_recorder.writes_names = names && of_equal(names, "dladdr", sizeof "dladdr");
  }

  orderfile_trace_header *trace = NULL;
  uint64_t limit = 0;
  int result;
  if (path[0] != '/' && of_each_shared_file(of_find_mapped_trace)) {
    /* A copy in another image was here first; the current folder may have changed since. */
    result = of_join_trace(of_trace_path, &trace, &limit);
    if (result > 0 && !of_keep_template(path)) result = -36; /* ENAMETOOLONG */
  } else {
    result = of_keep_template(path) ? of_open_trace(&trace, &limit) : -36; /* ENAMETOOLONG */
  }
  if (result < 0) {
    of_complain(result);
    return;
  }
  if (result == 0 && milliseconds) trace->stop_time = of_clock() + milliseconds * 1000000;

  /* Slots for what waits, and a few for what comes in before the buffer is closed. */
  uint64_t early = of_load_relaxed(&of_early.next) + 16; /* relaxed: a guess */
  if (early > OF_EARLY_CAPACITY) early = OF_EARLY_CAPACITY;
  of_recorder.record_limit = limit;
  of_reserve_records(trace, early);
  uint64_t slot = of_claim_slots(trace, early);
  of_use_trace(trace, limit);
  of_drain_early_hits(trace, slot, slot == UINT64_MAX ? 0 : early);
}

OF_INTERNAL void of_reserve_records(orderfile_trace_header *trace, uint64_t count) {
  /* relaxed: a sum */
  uint64_t demand = of_fetch_add_relaxed(&trace->demand, count) + count;
  if (demand > of_recorder.record_limit) demand = of_recorder.record_limit;
  uint64_t capacity = of_load_relaxed(&trace->capacity); /* relaxed: only growth changes it */
  if (demand <= capacity) return;
  uint64_t old_size = of_file_size(capacity);
  uint64_t size = of_file_size(demand);

  int descriptor = of_open_write(of_trace_path);
  if (descriptor < 0) return; /* removed, or out of reach by now: what finds no room is counted */
  static orderfile_trace_header header;
  bool is_ours = of_read(descriptor, &header, sizeof header, 0) == sizeof header &&
                 of_is_trace(&header) && of_is_own_trace(&header);
  if (is_ours && of_allocate(descriptor, old_size, size) == 0)
    /* release: the blocks are there; pairs with the acquire in of_claim_slots */
    of_store_release(&trace->capacity, of_records_in(size));
  of_close(descriptor);
}

/* Copies the records of loads and unloads, with their payloads, from FROM to TO. */
OF_LOCAL void of_inherit_images(orderfile_trace_header *from, orderfile_trace_header *to) {
  uint64_t count = of_load_relaxed(&from->next_record); /* relaxed: the parent may go on; not ours */
  uint64_t capacity = of_load_acquire(&from->capacity); /* acquire: as in of_claim_slots */
  if (count > capacity) count = capacity;
  uint64_t wanted = 0;
  for (int pass = 0; pass < 2; pass++) {
    uint64_t slot = pass ? of_claim_slots(to, wanted) : 0;
    if (slot == UINT64_MAX || (pass && !wanted)) return;
    for (uint64_t i = 0; i < count; i++) {
      orderfile_record *record = &of_records(from)[i];
      uint32_t kind = of_load_acquire(&record->kind); /* acquire: pairs with of_write_record */
      if (kind != ORDERFILE_RECORD_LOAD && kind != ORDERFILE_RECORD_UNLOAD) continue;
      uint64_t length = 1;
      if (kind == ORDERFILE_RECORD_LOAD)
        length += (record->payload_size + ORDERFILE_PAYLOAD_BYTES - 1) / ORDERFILE_PAYLOAD_BYTES;
      if (length > count - i) break;
      if (!pass) {
        wanted += length;
        continue;
      }
      if (slot + length > of_load_relaxed(&to->next_record)) return; /* a load came in between */
      of_copy(&of_records(to)[slot], record, length * sizeof *record);
      slot += length;
    }
    if (!pass) of_reserve_records(to, wanted);
  }
}

OF_INTERNAL void of_replace_trace_after_fork(void) {
  /* relaxed: picks the one thread of the child that sets up */
  uint32_t free = OF_FORKED;
  uint32_t *claim = of_recorder.ownership ? of_recorder.ownership : &of_recorder.is_set_up_busy;
  if (!of_compare_exchange_relaxed(claim, &free, OF_SETTING_UP)) return;

  orderfile_trace_header *parents = of_recorder.trace;
  orderfile_trace_header *trace = NULL;
  uint64_t limit = 0;
  of_parent = of_self.pid;
  of_identify_self();
  int result = -1;
  bool is_stopped = of_load_relaxed(&parents->state) != ORDERFILE_STATE_RECORDING; /* relaxed: a flag */
  if (!is_stopped) {
    result = of_open_trace(&trace, &limit);
    if (result < 0) of_complain(result);
  }
  if (result < 0) {
    of_store_relaxed(&of_recorder.mode, OF_SILENT); /* relaxed: published with the pointer */
    trace = NULL;
  } else {
    of_recorder.record_limit = limit;
    if (result == 0) {
      /* relaxed: nobody else has mapped it yet */
      trace->next_image = of_load_relaxed(&parents->next_image);
      trace->stop_time = parents->stop_time;
      uint64_t demand = of_load_relaxed(&parents->demand);
      of_reserve_records(trace, demand);
      of_inherit_images(parents, trace);
    }
  }
  of_store_release(&of_recorder.trace, trace); /* release: pairs with of_current_trace */
  of_store_release(&of_recorder.owner, of_self.pid); /* release: likewise */
  if (of_recorder.ownership)
    of_store_release(of_recorder.ownership, OF_OWNED); /* release: likewise */
  else
    of_store_release(&of_recorder.is_set_up_busy, OF_FORKED); /* release: a grandchild needs it */
}
