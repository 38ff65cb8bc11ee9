#if defined(__APPLE__)
#include "platform.h"

#include <errno.h>
#include <fcntl.h>
#include <mach/mach_time.h>
#include <sys/event.h>
#include <sys/sysctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

uint64_t platform_now(void) { return clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW); }

uint64_t platform_ticks(void) { return mach_absolute_time(); }

/* Stores the start time in microseconds since 1970, as the recorder does. <sysctl(3)> */
enum platform_process platform_process(pid_t pid, uint64_t *start_time) {
  struct kinfo_proc process;
  int name[4] = {CTL_KERN, KERN_PROC, KERN_PROC_PID, pid};
  size_t size = sizeof process;
  if (sysctl(name, 4, &process, &size, NULL, 0) != 0 || size < sizeof process)
    return PLATFORM_GONE;
  *start_time = (uint64_t)process.kp_proc.p_starttime.tv_sec * 1000000u +
                (uint64_t)process.kp_proc.p_starttime.tv_usec;
  return process.kp_proc.p_stat == SZOMB ? PLATFORM_ENDED : PLATFORM_RUNNING;
}

int platform_wait_for_end(pid_t pid, int64_t milliseconds) {
  uint64_t end = platform_now() + (uint64_t)milliseconds * 1000000u;
  int queue = kqueue();
  if (queue < 0) return -errno;
  struct kevent event;
  EV_SET(&event, (uintptr_t)pid, EVFILT_PROC, EV_ADD, NOTE_EXIT, 0, NULL);
  int result = -EINTR;
  if (kevent(queue, &event, 1, NULL, 0, NULL) < 0)
    result = errno == ESRCH ? 1 : -errno; /* the child has ended already, and waits for waitpid */
  while (result == -EINTR) {
    uint64_t present = platform_now(), left = present < end ? end - present : 0;
    struct timespec patience = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
    int ready = kevent(queue, NULL, 0, &event, 1, &patience);
    if (ready > 0) result = 1;
    else if (ready < 0 && errno != EINTR) result = -errno;
    else if (platform_now() >= end) result = 0;
  }
  close(queue);
  return result;
}

void platform_wait_for_end_or_input(pid_t pid, int input, int64_t milliseconds) {
  int queue = kqueue();
  if (queue < 0) return;
  struct kevent events[2];
  EV_SET(&events[0], (uintptr_t)pid, EVFILT_PROC, EV_ADD, NOTE_EXIT, 0, NULL);
  if (input >= 0) EV_SET(&events[1], (uintptr_t)input, EVFILT_READ, EV_ADD, 0, 0, NULL);
  struct timespec patience = {(time_t)(milliseconds / 1000), (long)(milliseconds % 1000 * 1000000)};
  struct kevent event;
  kevent(queue, events, input >= 0 ? 2 : 1, &event, 1, &patience);
  close(queue);
}

int platform_pipe(int ends[2]) {
  if (pipe(ends) != 0) return errno;
  for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
  return 0;
}

void platform_give_terminal(posix_spawn_file_actions_t *actions) { (void)actions; }

void platform_open_terminal(posix_spawn_file_actions_t *actions, int descriptor) {
  posix_spawn_file_actions_addopen(actions, STDIN_FILENO, ttyname(descriptor), O_RDWR, 0);
}

int platform_start_held(char *const *arguments, char **environment, const char *folder, const int streams[3],
                        enum platform_leader leader, bool takes_terminal, const sigset_t *defaults, const sigset_t *mask,
                        pid_t tracer, struct platform_held *held) {
  (void)arguments, (void)environment, (void)folder, (void)streams, (void)leader, (void)takes_terminal, (void)defaults;
  (void)mask, (void)tracer, (void)held;
  return ENOTSUP;
}

int platform_let_go(const struct platform_held *held, bool may_begin) {
  return (void)held, (void)may_begin, ENOTSUP;
}

bool cprocess_each_of_launch(pid_t pid, pid_t tracer, void (*body)(pid_t pid, void *context), void *context) {
  return (void)pid, (void)tracer, (void)body, (void)context, false;
}
bool cprocess_launch_sleeps(pid_t pid, pid_t tracer, uint64_t *switches) {
  return (void)pid, (void)tracer, *switches = 0, true;
}

bool platform_port_listens(pid_t pid, uint16_t port) { return (void)pid, (void)port, false; }

void platform_adopt_orphans(void) {}
int platform_end_orphans(void) { return 0; }
bool platform_has_adopted(pid_t pid) { return (void)pid, false; }
int platform_create_memory(const char *name, uint64_t size) { return (void)name, (void)size, -ENOTSUP; }
long platform_read_attribute(const char *path, const char *name, void *bytes, size_t size) {
  return (void)path, (void)name, (void)bytes, (void)size, -ENOTSUP;
}
bool platform_share_blocks(int input, int output) { return (void)input, (void)output, false; }

int platform_confine_writes(const char *folder) { return (void)folder, ENOSYS; }
#endif
