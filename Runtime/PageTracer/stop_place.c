#define _GNU_SOURCE
#include "stop_place.h"

#if OF_TRACER_IS_SUPPORTED
#include <fcntl.h>
#include <of_bytes.h>
#include <of_process_maps.h>
#include <sys/syscall.h>

#include "page_records.h"

enum { HLT = 0xf4 }; /* this instruction faults in a program, so a handler of SIGSEGV is enough */

static uint64_t of_stop_address; /* 0: nowhere yet */
static uint8_t of_stop_saved;    /* the byte that was at the stop place */

/* Writes one byte of code, whatever its protection, which other threads may be changing. */
OF_LOCAL bool of_write_code(uint64_t address, uint8_t byte) {
  static const char name[] = "/proc/thread-self/mem";
  long descriptor = OF_CALL_4(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC, 0);
  if (descriptor < 0) return false;
  long written = OF_CALL_4(SYS_pwrite64, descriptor, &byte, 1, address);
  OF_CALL_2(SYS_close, descriptor, 0);
  return written == 1;
}

/* Whether BUILD can be the build KNOWN. A file or an ID that is unknown is not compared. */
OF_LOCAL bool of_is_build(const struct orderfile_page_image *build,
                          const struct orderfile_page_image *known) {
  bool is_same_file =
      !known->inode || (build->device == known->device && build->inode == known->inode);
  bool is_same_id = !known->id_size || !build->id_size ||
                    (build->id_size == known->id_size && build->id_is_weak == known->id_is_weak &&
                     of_equal(build->id, known->id, known->id_size));
  return is_same_file && is_same_id;
}

void of_plant_stop(uint64_t start, uint64_t end, const char *path,
                   const struct orderfile_page_image *build) {
  if (!of_page_trace->stop_distance || of_stop_address) return;
  if (!of_is_same_line(path, of_page_trace->stop_path)) return;
  if (!of_is_build(build, &of_page_trace->stop_image)) return;
  uint64_t address = start + of_page_trace->stop_distance;
  if (address >= end) return;
  int byte = of_gate_peek(address);
  if (byte < 0 || !of_write_code(address, HLT)) return;
  of_stop_saved = (uint8_t)byte;
  of_stop_address = address;
}

bool of_is_at_stop(uint64_t counter) {
  if (!of_stop_address || counter != of_stop_address) return false;
  of_write_code(counter, of_stop_saved);
  return true;
}
#endif
