#if defined(__APPLE__)
#include "ctrace_process.h"

#include <errno.h>

int ctrace_start_process(void (*body)(void *context, int stream), void *context, pid_t *pid,
                         int *stream) {
  (void)body, (void)context;
  *pid = -1;
  *stream = -1;
  return ENOTSUP;
}
bool ctrace_was_told_to_end(void) { return false; }
pid_t ctrace_wait(int stream, int64_t nanoseconds, int *status) {
  return (void)stream, (void)nanoseconds, (void)status, -ENOTSUP;
}
bool ctrace_send(int stream, const void *bytes, size_t size) {
  return (void)stream, (void)bytes, (void)size, false;
}
bool ctrace_receive(int stream, void *bytes, size_t size) {
  return (void)stream, (void)bytes, (void)size, false;
}
int ctrace_poll(int stream, int64_t milliseconds) {
  return (void)stream, (void)milliseconds, -ENOTSUP;
}
void ctrace_end_process(pid_t pid, int stream) { (void)pid, (void)stream; }
#endif
