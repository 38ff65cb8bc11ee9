/* Creating, joining and growing the trace.
 *
 * Creation. The file is created under a temporary name, its blocks are allocated, it is mapped, its header is
 * filled in, and only then it gets its real name, unless that is taken: anyone who opens the real name sees a
 * complete header. Nothing is ever truncated: a file that a process has mapped must keep its size.
 *
 * Growth. The mapping is created once, far larger than the file: pages after the end of a file can be mapped,
 * and become usable when the file grows. All copies of the recorder see the growth at once, through
 * `capacity`, which never counts a slot whose block is not allocated. So a full disk costs records, which are
 * counted, and never causes SIGBUS.
 */
#include "trace_file.h"

#include <errno.h>
#include <of_bytes.h>

#include "trace_location.h"
#include "trace_path.h"

#define OF_ALLOCATION_UNIT 65536ull /* bytes: a multiple of every page size */

OF_INTERNAL void of_calibrate(orderfile_trace_header *trace) {
  of_store_relaxed(&trace->last_pair.ticks, of_ticks()); /* relaxed: about now is good enough */
  of_store_relaxed(&trace->last_pair.nanoseconds, of_clock()); /* relaxed: likewise */
  if (!of_load_relaxed(&of_recorder.lost_records)) return;     /* relaxed: a count */
  uint64_t lost = of_exchange_relaxed(&of_recorder.lost_records, 0); /* relaxed: a count */
  if (lost) of_fetch_add_relaxed(&trace->lost_records, lost);        /* relaxed: a count */
}

#define OF_LARGEST_MAPPING ((uint64_t)1 << 30)

OF_LOCAL uint64_t of_records_in(uint64_t file_size) {
  return (file_size - ORDERFILE_TRACE_HEADER_SIZE) / sizeof(orderfile_record);
}

/* Maps the trace in DESCRIPTOR with as much additional room as the address space allows, and remembers the
 * file. */
OF_LOCAL orderfile_trace_header *of_map_trace(int descriptor, uint64_t *record_limit) {
  for (uint64_t size = OF_LARGEST_MAPPING; size >= OF_ALLOCATION_UNIT; size >>= 2) {
    if (size > of_address_space() / 16) continue; /* the program's, not ours to use up */
    void *address = of_map(descriptor, size);
    if (!address) continue;
    *record_limit = of_records_in(size);
    of_file_number(descriptor, of_location.file);
    return address;
  }
  return NULL;
}

OF_LOCAL void of_unmap_trace(orderfile_trace_header *trace, uint64_t record_limit) {
  of_unmap(trace, ORDERFILE_TRACE_HEADER_SIZE + record_limit * sizeof(orderfile_record));
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
  header->flags = of_location.parent ? ORDERFILE_TRACE_FORKED : 0;
  header->pid = of_location.self.pid;
  header->parent_pid = of_location.parent;
  header->start_time = of_location.self.start_time;
  of_copy(header->exec_id, of_location.self.exec_id, sizeof of_location.self.exec_id);
  header->session = of_location.self.session;
  uint64_t template_size = of_length(of_location.template_path);
  if (template_size < sizeof header->path_template)
    of_copy(header->path_template, of_location.template_path, template_size);
  header->ticks_per_second = of_ticks_per_second();
  header->first_pair.ticks = of_ticks();
  header->first_pair.nanoseconds = of_clock();
  header->last_pair = header->first_pair;
  header->start_resolution = of_process_start_resolution();
  header->process_start = of_process_start_clock(of_location.self.start_time);
  header->capacity = capacity;
  header->next_image = 1;
  static char program[OF_PATH_SIZE];
  int size = of_executable_path(program);
  if (size > (int)ORDERFILE_TRACE_PROGRAM_SIZE - 1) size = ORDERFILE_TRACE_PROGRAM_SIZE - 1;
  if (size > 0) of_copy(header->program, program, (uint64_t)size);
}

OF_INTERNAL int of_create_trace(const char *path, uint64_t expected, orderfile_trace_header **trace,
                                uint64_t *limit) {
  static char new_path[OF_PATH_SIZE];
  of_copy(new_path, path, of_length(path) + 1);
  if (!of_append_number(new_path, of_location.self.pid)) return -ENAMETOOLONG;
  uint64_t size = of_length(new_path);
  static const char suffix[] = ".new";
  if (size + sizeof suffix > OF_PATH_SIZE) return -ENAMETOOLONG;
  of_copy(new_path + size, suffix, sizeof suffix);

  int descriptor = of_create(new_path);
  if (descriptor == -EEXIST) { /* left by a process of our number that was killed right here */
    of_remove(new_path);
    descriptor = of_create(new_path);
  }
  if (descriptor < 0) return descriptor;
  uint64_t most = ((uint64_t)1 << 40) / sizeof(orderfile_record);
  uint64_t file_size = of_file_size(OF_SPARE_RECORDS + (expected < most ? expected : most));
  int result = of_allocate(descriptor, 0, file_size);
  if (result != 0) {
    file_size = of_file_size(OF_SPARE_RECORDS);
    result = of_allocate(descriptor, 0, file_size);
  }
  if (result == 0) {
    *trace = of_map_trace(descriptor, limit);
    if (!*trace) result = -ENOMEM;
  }
  of_close(descriptor);
  if (result == 0) {
    of_fill_header(*trace, of_records_in(file_size));
    (*trace)->demand = OF_SPARE_RECORDS;
    result = of_publish(new_path, path);
    if (result != 0) of_unmap_trace(*trace, *limit);
  }
  if (result != 0) of_remove(new_path);
  return result;
}

/* Whether of_map_trace creates mappings of that many bytes. Recorders never unmap theirs. */
OF_LOCAL bool of_is_mapping_of_ours(uint64_t mapped_size) {
  for (uint64_t size = OF_LARGEST_MAPPING; size >= OF_ALLOCATION_UNIT; size >>= 2)
    if (size == mapped_size) return true;
  return false;
}

OF_INTERNAL int of_join_trace(const char *path, void *mapped, uint64_t size,
                              orderfile_trace_header **trace, uint64_t *limit) {
  int descriptor = of_open_write(path);
  if (descriptor < 0) return descriptor;
  bool is_mapped = mapped && of_is_mapping_of_ours(size) && of_is_own_header(mapped);
  if (is_mapped) {
    *trace = mapped;
    *limit = of_records_in(size);
    of_file_number(descriptor, of_location.file);
  } else {
    *trace = of_map_trace(descriptor, limit);
  }
  of_close(descriptor);
  if (!*trace) return -ENOMEM;
  if (of_is_own_header(*trace)) return 1;
  of_unmap_trace(*trace, *limit);
  return -EEXIST; /* replaced meanwhile */
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

  int descriptor = of_open_write(of_location.path);
  if (descriptor < 0) return; /* removed, or out of reach by now: what finds no room is counted */
  /* By now there may be a copy at the path, with the same header: blocks there would be useless here. */
  OF_RAW uint64_t file[2];
  bool is_ours = of_file_number(descriptor, file) == 0 &&
                 of_equal(file, of_location.file, sizeof file);
  /* If there is not enough room for all, take what there is: the first hits are the most valuable. */
  for (; is_ours && growth; growth = growth / 2 / OF_ALLOCATION_UNIT * OF_ALLOCATION_UNIT) {
    if (of_allocate(descriptor, old_size, old_size + growth) != 0) continue;
    of_raise_capacity(trace, of_records_in(old_size + growth));
    break;
  }
  of_close(descriptor);
}
