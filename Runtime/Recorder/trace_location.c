#include "trace_location.h"

#include <of_bytes.h>

OF_DATA of_trace_location of_location;

OF_INTERNAL void of_identify_self(void) {
  of_location.self.pid = of_process_number();
  of_location.self.pid_namespace = of_process_namespace();
  of_location.self.start_time = of_process_start(of_location.self.pid);
  of_remember_thread();
}

OF_INTERNAL bool of_is_trace(const orderfile_trace_header *header) {
  static const uint8_t magic[8] = ORDERFILE_TRACE_MAGIC_BYTES;
  return of_equal(header->magic, magic, sizeof magic);
}

OF_INTERNAL bool of_is_own_number(const orderfile_trace_header *header) {
  return header->pid == of_location.self.pid &&
         header->pid_namespace == of_location.self.pid_namespace &&
         header->start_time == of_location.self.start_time;
}

OF_INTERNAL bool of_is_own_header(const orderfile_trace_header *header) {
  return of_is_own_number(header) &&
         of_equal(header->exec_id, of_location.self.exec_id, sizeof of_location.self.exec_id);
}
