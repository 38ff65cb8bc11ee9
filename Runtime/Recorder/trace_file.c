/* Creating, joining and growing the trace.
 *
 * Creation. The file is created as PATH.new and locked, its blocks are allocated, it is mapped, its header is filled
 * in, and only then it gets its real name, unless that is taken: anyone who opens the real name sees a complete header.
 * A PATH.new without a lock was left by a process that was killed meanwhile, and is removed. Nothing is ever truncated:
 * a file that a process has mapped must keep its size.
 *
 * On most file systems of Linux, the lock stays with the mapping. It shows processes of other namespaces, for which the
 * process's number has no meaning, that the trace is still being written.
 *
 * Growth. The mapping is created once, far larger than the file: pages after the end of a file can be mapped,
 * and become usable when the file grows. All copies of the recorder see the growth at once, through
 * `capacity`, which never counts a slot whose block is not allocated. So a full disk costs records, which are
 * counted, and never causes SIGBUS.
 *
 * A program that has given up its rights, or has another root folder, can't open the file again. So the file is
 * OF_ROOM_AHEAD bytes longer than its blocks: that much of the mapping can get blocks without a descriptor. No
 * descriptor is kept open: the program could close it, and get its number for a file of its own.
 */
#include "trace_file.h"

#include <errno.h>
#include <of_bytes.h>

#include "mapped_files.h"
#include "trace_location.h"
#include "trace_path.h"

#define OF_ALLOCATION_UNIT 65536ull /* in bytes: a multiple of every page size */

#define OF_ROOM_AHEAD ((uint64_t)1 << 20) /* bytes */

#define OF_LARGEST_MAPPING ((uint64_t)1 << 30)

OF_LOCAL uint64_t of_records_in(uint64_t file_size) {
  return (file_size - ORDERFILE_TRACE_HEADER_SIZE) / sizeof(orderfile_record);
}

/* Maps the trace in DESCRIPTOR with as much additional room as the address space allows, and remembers the
 * file. */
OF_LOCAL orderfile_trace_header *of_map_trace(int descriptor, uint64_t *record_limit) {
  for (uint64_t size = OF_LARGEST_MAPPING; size >= OF_ALLOCATION_UNIT; size >>= 2) {
    if (size > of_address_space() / 16) continue; /* the program needs the rest of the address space */
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
  header->pid_namespace = of_location.self.pid_namespace;
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

OF_LOCAL bool of_is_file_at(const char *path, int descriptor) {
  OF_RAW uint64_t open_file[2], file_at_path[2];
  return of_file_number(descriptor, open_file) == 0 && of_file_number_at(path, file_at_path) == 0 &&
         of_equal(open_file, file_at_path, sizeof open_file);
}

/* Removes the file at PATH unless the process that makes it is still working; then waits for a while. That process
 * locks its file, and then makes sure that the file was not removed before. */
OF_LOCAL void of_clear_leftover(const char *path, bool is_patient) {
  int descriptor = of_open_write(path);
  if (descriptor < 0) return;
  int lock = of_lock_file(descriptor);
  /* If files can't be locked, only the time that has passed shows that a file is a leftover. */
  bool is_leftover = lock == 0 || (lock != -OF_BUSY && !is_patient);
  if (is_leftover && of_is_file_at(path, descriptor)) of_remove(path);
  else of_pause();
  of_close(descriptor);
}

/* Creates NEW_PATH, which is to be renamed to PATH, and locks it. Returns its descriptor, -EEXIST if PATH is there by
 * now, -OF_BUSY if the process that is making NEW_PATH does not go on, or another -errno. */
OF_LOCAL int of_create_locked(const char *new_path, const char *path) {
  for (int patience = OF_PATIENCE; patience > 0; patience--) {
    int descriptor = of_create(new_path);
    if (descriptor >= 0) {
      int lock = of_lock_file(descriptor);
      if (lock != -OF_BUSY && (lock != 0 || of_is_file_at(new_path, descriptor))) return descriptor;
      of_close(descriptor); /* another process took the file for a leftover, and removed it */
      continue;
    }
    uint64_t size = 0;
    if (descriptor != -EEXIST || of_file_kind(path, &size) >= 0) return descriptor;
    of_clear_leftover(new_path, patience > 1);
  }
  return -OF_BUSY;
}

OF_INTERNAL int of_create_trace(const char *path, uint64_t expected, orderfile_trace_header **trace,
                                uint64_t *limit) {
  static char new_path[OF_PATH_SIZE];
  static const char suffix[] = ".new";
  uint64_t size = of_length(path);
  if (size + sizeof suffix > OF_PATH_SIZE) return -ENAMETOOLONG;
  of_copy(new_path, path, size);
  of_copy(new_path + size, suffix, sizeof suffix);

  int descriptor = of_create_locked(new_path, path);
  if (descriptor < 0) return descriptor;
  uint64_t most = ((uint64_t)1 << 40) / sizeof(orderfile_record);
  uint64_t file_size = of_file_size(OF_SPARE_RECORDS + (expected < most ? expected : most));
  int result = of_allocate(descriptor, 0, file_size);
  if (result != 0) {
    file_size = of_file_size(OF_SPARE_RECORDS);
    result = of_allocate(descriptor, 0, file_size);
  }
  of_lengthen(descriptor, file_size + OF_ROOM_AHEAD);
  bool is_mapped = false;
  if (result == 0) {
    *trace = of_map_trace(descriptor, limit);
    is_mapped = *trace != NULL;
    if (!is_mapped) result = -ENOMEM;
  }
  if (is_mapped) {
    of_fill_header(*trace, of_records_in(file_size));
    (*trace)->demand = OF_SPARE_RECORDS;
    /* If the mapping does not keep the lock (Darwin, NFS), another descriptor takes the lock: without a lock, others
     * would take the file for a leftover. */
    int other_descriptor = of_open_write(new_path);
    of_close(descriptor);
    descriptor = other_descriptor;
    if (descriptor >= 0 && of_lock_file(descriptor) == -OF_BUSY)
      (*trace)->flags |= ORDERFILE_TRACE_LOCKED;
    result = of_publish(new_path, path);
    if (result == -ENOENT) result = -EEXIST; /* removed as a leftover between the two locks: begin again */
  }
  if (result != 0 && descriptor >= 0 && of_is_file_at(new_path, descriptor)) of_remove(new_path);
  if (result != 0 && is_mapped) of_unmap_trace(*trace, *limit);
  if (descriptor >= 0) of_close(descriptor);
  return result;
}

/* Whether of_map_trace creates mappings of that many bytes. Recorders never unmap theirs. */
OF_LOCAL bool of_is_mapping_of_ours(uint64_t mapped_size) {
  for (uint64_t size = OF_LARGEST_MAPPING; size >= OF_ALLOCATION_UNIT; size >>= 2)
    if (size == mapped_size) return true;
  return false;
}

OF_INTERNAL int of_join_trace(const char *path, const void *mapped, uint64_t size,
                              orderfile_trace_header **trace, uint64_t *limit) {
  int descriptor = of_open_write(path);
  bool is_mapped = mapped && of_is_mapping_of_ours(size) && of_is_own_header(mapped);
  if (is_mapped) {
    *trace = (orderfile_trace_header *)mapped;
    *limit = of_records_in(size);
    if (descriptor >= 0) of_file_number(descriptor, of_location.file);
  } else {
    if (descriptor < 0) return descriptor;
    *trace = of_map_trace(descriptor, limit);
  }
  if (descriptor >= 0) of_close(descriptor);
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

/* Allocates the blocks from OLD_SIZE to SIZE of the file that is mapped as TRACE; returns 0 or -errno. DESCRIPTOR is
 * negative if the file can't be opened. */
OF_LOCAL int of_grow_trace(orderfile_trace_header *trace, int descriptor, uint64_t old_size, uint64_t size) {
  if (descriptor < 0) return of_allocate_mapped((char *)trace + old_size, size - old_size);
  int result = of_allocate(descriptor, old_size, size);
  if (result == 0) of_lengthen(descriptor, size + OF_ROOM_AHEAD);
  return result;
}

/* Opens the file that is mapped as TRACE; returns a negative number if it can't be opened any more. The file may have
 * another name: `orderfile record` gives the trace of a program that lives on its final name. At the old path there may
 * even be a copy with the same header, for which blocks would be useless. */
OF_LOCAL int of_open_mapped_trace(const orderfile_trace_header *trace) {
  for (int attempt = 0; attempt < 2; attempt++) {
    if (attempt == 1 && !of_present_path(trace, of_location.path)) break;
    int descriptor = of_open_write(of_location.path);
    if (descriptor < 0) continue;
    OF_RAW uint64_t file[2];
    if (of_file_number(descriptor, file) == 0 && of_equal(file, of_location.file, sizeof file))
      return descriptor;
    of_close(descriptor);
  }
  return -ENOENT;
}

OF_INTERNAL void of_reserve_records(orderfile_trace_header *trace, uint64_t count) {
  /* relaxed: a sum */
  uint64_t demand = of_fetch_add_relaxed(&trace->demand, count) + count;
  if (demand > of_recorder.record_limit) demand = of_recorder.record_limit;
  uint64_t capacity = of_load_relaxed(&trace->capacity); /* relaxed: only growth changes it */
  if (demand <= capacity) return;
  uint64_t old_size = of_file_size(capacity);
  uint64_t growth = of_file_size(demand) - old_size;

  int descriptor = of_open_mapped_trace(trace);
  /* Records without room are counted. If there is not enough room for all, take what there is: the first hits are the
   * most valuable. */
  for (; growth; growth = growth / 2 / OF_ALLOCATION_UNIT * OF_ALLOCATION_UNIT) {
    if (of_grow_trace(trace, descriptor, old_size, old_size + growth) != 0) continue;
    of_raise_capacity(trace, of_records_in(old_size + growth));
    break;
  }
  if (descriptor >= 0) of_close(descriptor);
}
