#if defined(__APPLE__)
#include "ctrace_calls.h"

#include <errno.h>

int ctrace_call_at(pid_t tid, struct ctrace_call *call) { return (void)tid, (void)call, ENOTSUP; }
int ctrace_call_memory(int memory, const struct ctrace_call *call, struct ctrace_range *ranges,
                       int most, enum ctrace_knowledge *knowledge) {
  return (void)memory, (void)call, (void)ranges, (void)most, (void)knowledge, 0;
}
int ctrace_call_again(pid_t tid, const struct ctrace_call *call) {
  return (void)tid, (void)call, ENOTSUP;
}
int ctrace_protect(pid_t tid, uint64_t instruction, uint64_t address, uint64_t size,
                   uint32_t protection, int *error, int *status) {
  (void)tid, (void)instruction, (void)address, (void)size, (void)protection, (void)error;
  *status = -1;
  return ENOTSUP;
}
int ctrace_permit_access(pid_t tid, uint64_t instruction, bool is_permitted, bool *was_permitted,
                         int *error, int *status) {
  (void)tid, (void)instruction, (void)is_permitted, (void)was_permitted, (void)error;
  *status = -1;
  return ENOTSUP;
}
int ctrace_forbids_execution(pid_t tid, uint64_t instruction, bool *is_forbidden, int *status) {
  return (void)tid, (void)instruction, (void)is_forbidden, (void)status, ENOTSUP;
}
bool ctrace_can_suspend_dispatch(pid_t tid) { return (void)tid, false; }

bool ctrace_denied_access(pid_t tid, uint64_t *address) { return (void)tid, (void)address, false; }
#endif
