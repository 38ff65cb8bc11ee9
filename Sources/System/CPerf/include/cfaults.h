/* Page faults of a launch with their times and addresses, and the mappings: perf_event_open(2). */
#ifndef CFAULTS_H
#define CFAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

struct cfaults;

/* Prepares to record the page faults of one launch by the calling thread. It records the faults of the thread's child
 * from exec on, and of the child's threads and descendants: only those in user code, not those in the kernel.
 *
 * Returns 0 or an errno: EACCES or EPERM if the system does not permit it, ENOTSUP if it is not supported. Must be
 * closed. */
int cfaults_open(struct cfaults *_Nullable *_Nonnull faults);
void cfaults_close(struct cfaults *faults);

enum cfaults_kind {
  CFAULTS_BEGIN,    /* THREAD of PROCESS begins to handle a fault at ADDRESS, of the instruction at INSTRUCTION */
  CFAULTS_MINOR,    /* THREAD has handled that fault without waiting for a device */
  CFAULTS_MAJOR,    /* THREAD has handled that fault, and waited for a device */
  CFAULTS_MAPPING,  /* PROCESS mapped LENGTH bytes at ADDRESS, from OFFSET of a file on */
  CFAULTS_FORK,     /* PROCESS was created as a copy of OTHER; both are equal for a new thread */
  CFAULTS_EXEC,     /* PROCESS runs another program: its mappings are gone */
};

/* A fault that fails, for example with SIGSEGV, begins but does not end. A fault that a signal interrupts begins
 * again. */
struct cfaults_event {
  uint64_t time; /* the time in nanoseconds of the clock of cmeasure_launch */
  enum cfaults_kind kind;
  int32_t process, thread, other;
  uint64_t address, instruction, length, offset;
  size_t path; /* the place of the path, for cfaults_path */
  bool is_executable; /* whether a mapping is executable */
};

/* Collects the kernel's new events; cmeasure_run does it. Returns 0 or ENOMEM. */
int cfaults_collect(struct cfaults *faults);

/* The number of collected events, and the number that the kernel dropped because they came too fast. */
size_t cfaults_count(const struct cfaults *faults);
uint64_t cfaults_lost(const struct cfaults *faults);
/* The event at INDEX. Events ascend in time on each CPU, but not across CPUs. */
struct cfaults_event cfaults_at(const struct cfaults *faults, size_t index);
/* The path of the file of a mapping, or the kernel's name of memory without a file ("//anon", "[heap]"): valid until
 * the next call to cfaults_collect. */
const char *cfaults_path(const struct cfaults *faults, struct cfaults_event event);

#pragma clang assume_nonnull end

#endif
