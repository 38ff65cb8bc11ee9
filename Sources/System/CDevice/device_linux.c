#if defined(__linux__)
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "cdevice.h"
#include "served_file.h"

static bool write_text(const char *path, const char *text) {
  int descriptor = open(path, O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  bool is_written = write(descriptor, text, strlen(text)) == (ssize_t)strlen(text);
  close(descriptor);
  return is_written;
}

int cdevice_own_mounts(void) {
  static bool has_own;
  if (has_own) return 0;
  if (unshare(CLONE_NEWNS) != 0) {
    if (errno != EPERM) return errno;
    char users[64], groups[64];
    snprintf(users, sizeof users, "%u %u 1\n", geteuid(), geteuid());
    snprintf(groups, sizeof groups, "%u %u 1\n", getegid(), getegid());
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return EPERM;
    /* A process may name its own group only if it can't drop groups. <user_namespaces(7)> */
    if (!write_text("/proc/self/setgroups", "deny") || !write_text("/proc/self/uid_map", users) ||
        !write_text("/proc/self/gid_map", groups))
      return EPERM;
  }
  /* Mounts and unmounts by other processes still take effect here, so this process keeps no file system mounted. */
  if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) return errno;
  has_own = true;
  return 0;
}

struct cdevice {
  struct served_file *files;
  int count;
  struct pollfd *waits; /* one entry for each file, and one for `wake` */
  pthread_t thread;
  bool has_thread;
  /* An eventfd that wakes the thread. The thread reads the eventfd only when no request is waiting. */
  int wake;
  sem_t is_idle;
  atomic_bool ends;
  atomic_bool counts_requests;
  atomic_ullong delay;
  struct cdevice_counts counts;
  /* The request that the thread serves. The thread itself allocates no memory. */
  struct served_request request;
};

static void wait_for(uint64_t nanoseconds) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  nanoseconds += (uint64_t)until.tv_nsec;
  until.tv_sec += (time_t)(nanoseconds / 1000000000u);
  until.tv_nsec = (long)(nanoseconds % 1000000000u);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
  }
}

/* Serves one request of the file, if a request is waiting. */
static void serve_one(struct cdevice *device, struct served_file *file) {
  int received = served_file_receive(file, &device->request);
  if (received < 0) {
    file->is_gone = true;
    return;
  }
  if (received == 0) return;
  int64_t size = served_file_reads(file, &device->request);
  if (size >= 0 && device->counts_requests) {
    uint64_t delay = device->delay;
    if (delay) wait_for(delay);
    device->counts.requests++;
    device->counts.bytes += (uint64_t)size;
  }
  served_file_answer(file, &device->request);
}

static void *serve(void *context) {
  struct cdevice *device = context;
  prctl(PR_SET_TIMERSLACK, 1ul);
  /* With real-time priority, a request takes the delay, and not also the time until a processor is free. Without the
   * right to this priority, a request takes both. */
  struct sched_param priority = {.sched_priority = 1};
  (void)sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority);
  struct pollfd *waits = device->waits;
  while (!device->ends) {
    waits[device->count] = (struct pollfd){.fd = device->wake, .events = POLLIN};
    for (int i = 0; i < device->count; i++) {
      waits[i] = (struct pollfd){.fd = device->files[i].is_gone ? -1 : device->files[i].connection, .events = POLLIN};
    }
    if (poll(waits, (nfds_t)device->count + 1, -1) <= 0) continue;
    bool is_idle = true;
    for (int i = 0; i < device->count; i++) {
      if (!waits[i].revents) continue;
      is_idle = false;
      serve_one(device, &device->files[i]);
    }
    if (!is_idle || !waits[device->count].revents) continue;
    uint64_t unused;
    if (read(device->wake, &unused, sizeof unused) > 0) sem_post(&device->is_idle);
  }
  return NULL;
}

/* Waits until the thread has served all requests. */
static void wait_until_idle(struct cdevice *device) {
  uint64_t one = 1;
  while (write(device->wake, &one, sizeof one) < 0 && errno == EINTR) {
  }
  while (sem_wait(&device->is_idle) != 0 && errno == EINTR) {
  }
}

/* Starts the thread with all signals blocked: the handlers of this process belong to the thread that launches. */
static int start_thread(struct cdevice *device) {
  sigset_t all, mask;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &mask);
  int error = pthread_create(&device->thread, NULL, serve, device);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  device->has_thread = !error;
  return error;
}

int cdevice_serve(char *const *paths, int count, uint64_t read_ahead, uint64_t request, struct cdevice **result,
                  struct cdevice_failure *failure) {
  *failure = (struct cdevice_failure){"make a device", -1};
  struct cdevice *device = calloc(1, sizeof *device);
  struct served_file *files = calloc((size_t)count + 1, sizeof *files);
  struct pollfd *waits = calloc((size_t)count + 1, sizeof *waits);
  if (!device || !files || !waits) {
    free(device);
    free(files);
    free(waits);
    return ENOMEM;
  }
  device->files = files;
  device->waits = waits;
  device->wake = eventfd(0, EFD_CLOEXEC);
  int error = device->wake < 0 || sem_init(&device->is_idle, 0, 0) != 0 ? errno : 0;
  /* All files are copied before the first is mounted: a mounted file answers only when the thread serves. */
  for (int i = 0; i < count && !error; i++) {
    *failure = (struct cdevice_failure){"copy the file", i};
    error = served_file_copy(&files[device->count++], paths[i]);
  }
  for (int i = 0; i < count && !error; i++) {
    failure->file = i;
    error = served_file_mount(&files[i], read_ahead, request, &failure->step);
  }
  if (!error) {
    *failure = (struct cdevice_failure){"start a thread", -1};
    error = start_thread(device);
  }
  for (int i = 0; i < count && !error; i++) {
    *failure = (struct cdevice_failure){"set the read-ahead", i};
    error = served_file_set_read_ahead(&files[i], read_ahead);
  }
  if (error) {
    cdevice_remove(device);
    return error;
  }
  *result = device;
  return 0;
}

void cdevice_begin(struct cdevice *device, uint64_t delay) {
  wait_until_idle(device);
  device->counts = (struct cdevice_counts){0};
  device->delay = delay;
  device->counts_requests = true;
}

int cdevice_end(struct cdevice *device, struct cdevice_counts *counts) {
  device->delay = 0; /* requests that wait now are the launch's, which did not wait for them */
  wait_until_idle(device);
  device->counts_requests = false;
  wait_until_idle(device); /* a request may have come meanwhile, so wait until it is counted */
  *counts = device->counts;
  for (int i = 0; i < device->count; i++) {
    if (device->files[i].is_gone) return ENODEV;
  }
  return 0;
}

void cdevice_remove(struct cdevice *device) {
  /* The files are unmounted first, while the thread still answers requests. */
  for (int i = 0; i < device->count; i++) {
    struct served_file *file = &device->files[i];
    if (file->is_mounted) umount2(file->path, MNT_DETACH);
    file->is_mounted = false;
  }
  if (device->has_thread) {
    device->ends = true;
    uint64_t one = 1;
    while (write(device->wake, &one, sizeof one) < 0 && errno == EINTR) {
    }
    pthread_join(device->thread, NULL);
  }
  for (int i = 0; i < device->count; i++) served_file_free(&device->files[i]);
  if (device->wake >= 0) close(device->wake);
  free(device->files);
  free(device->waits);
  free(device);
}
#endif
