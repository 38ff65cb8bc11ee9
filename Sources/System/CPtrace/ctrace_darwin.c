#if defined(__APPLE__)
/* Darwin's ptrace(2) can neither follow children nor write registers: breakpoints there would go through
 * Mach exceptions, and are not supported. */
#include "ctrace.h"

#include <errno.h>

int ctrace_seize(pid_t tid) { return (void)tid, ENOTSUP; }
int ctrace_seize_to_end(pid_t tid) { return (void)tid, ENOTSUP; }
int ctrace_threads(pid_t pid, pid_t *tids, int most) {
  (void)most;
  tids[0] = pid; /* the caller then attaches, and the error says why that fails */
  return 1;
}
int ctrace_interrupt(pid_t tid) { return (void)tid, ENOTSUP; }
int ctrace_continue(pid_t tid, int signal) { return (void)tid, (void)signal, ENOTSUP; }
int ctrace_continue_to_system_call(pid_t tid, int signal) {
  return (void)tid, (void)signal, ENOTSUP;
}
int ctrace_step(pid_t tid, int signal) { return (void)tid, (void)signal, ENOTSUP; }
int ctrace_listen(pid_t tid) { return (void)tid, ENOTSUP; }
int ctrace_detach(pid_t tid, int signal) { return (void)tid, (void)signal, ENOTSUP; }
uint64_t ctrace_event_message(pid_t tid) { return (void)tid, 0; }
int ctrace_program_counter(pid_t tid, uint64_t *address) {
  return (void)tid, (void)address, ENOTSUP;
}
int ctrace_set_program_counter(pid_t tid, uint64_t address) {
  return (void)tid, (void)address, ENOTSUP;
}
int ctrace_argument(pid_t tid, int index, uint64_t *value) {
  return (void)tid, (void)index, (void)value, ENOTSUP;
}
int ctrace_set_argument(pid_t tid, int index, uint64_t value) {
  return (void)tid, (void)index, (void)value, ENOTSUP;
}
size_t ctrace_read(pid_t tid, uint64_t address, void *bytes, size_t size) {
  return (void)tid, (void)address, (void)bytes, (void)size, 0;
}
size_t ctrace_write(pid_t tid, uint64_t address, const void *bytes, size_t size) {
  return (void)tid, (void)address, (void)bytes, (void)size, 0;
}
int ctrace_mapped_file(const char *path, char *text, size_t size) {
  return (void)path, (void)text, (void)size, ENOTSUP;
}
bool ctrace_is_at_breakpoint(pid_t tid) { return (void)tid, false; }
bool ctrace_is_fault(pid_t tid) { return (void)tid, false; }
int ctrace_signal(pid_t tid, struct ctrace_signal *signal) { return (void)tid, (void)signal, ENOTSUP; }
int ctrace_set_signal(pid_t tid, const struct ctrace_signal *signal) {
  return (void)tid, (void)signal, ENOTSUP;
}
bool ctrace_is_of_timer(const struct ctrace_signal *signal) { return (void)signal, false; }
int ctrace_send_signal(pid_t tid, int signal) { return (void)tid, (void)signal, ENOTSUP; }
bool ctrace_has_pending_fault(pid_t tid) { return (void)tid, false; }
int ctrace_blocked_signals(pid_t tid, uint64_t *mask) { return (void)tid, (void)mask, ENOTSUP; }
int ctrace_block_signals(pid_t tid, uint64_t mask) { return (void)tid, (void)mask, ENOTSUP; }
bool ctrace_shares_memory(pid_t parent, pid_t created, bool by_vfork) {
  return (void)parent, (void)created, (void)by_vfork, false;
}
#endif
