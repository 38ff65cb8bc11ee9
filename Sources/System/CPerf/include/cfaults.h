/* Page faults of a launch with their times and addresses, and the mappings: perf_event_open(2). */
#ifndef CFAULTS_H
#define CFAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

struct cfaults;

/* Prepares for one launch by the calling thread: the faults of its child from exec on, of the child's
 * threads and of its descendants, as far as they occur in user code and not in the kernel.
 *
 * Returns 0 or an errno: EACCES or EPERM if the system does not permit it, ENOTSUP if it is not supported.
 * Must be closed. */
int cfaults_open(struct cfaults *_Nullable *_Nonnull faults);
void cfaults_close(struct cfaults *faults);

enum cfaults_kind {
  CFAULTS_BEGIN,    /* THREAD of PROCESS begins to handle a fault at ADDRESS, of the instruction at INSTRUCTION */
  CFAULTS_MINOR,    /* it has handled that fault, and nothing had to be read */
  CFAULTS_MAJOR,    /* it has handled that fault, and waited for a device */
  CFAULTS_MAPPING,  /* PROCESS mapped LENGTH bytes at ADDRESS, those of a file from OFFSET on */
  CFAULTS_FORK,     /* PROCESS was created as a copy of OTHER; equal for a new thread */
  CFAULTS_EXEC,     /* PROCESS runs another program: its mappings are gone */
};

/* A fault that fails, as one that ends in SIGSEGV, only begins; one that a signal interrupts begins again. */
struct cfaults_event {
  uint64_t time; /* of the clock of cmeasure_launch, in nanoseconds */
  enum cfaults_kind kind;
  int32_t process, thread, other;
  uint64_t address, instruction, length, offset;
  size_t path; /* where in the text; for cfaults_path */
  bool is_executable; /* of a mapping */
};

/* Collects the kernel's new events; cmeasure_run does it. Returns 0 or ENOMEM. */
int cfaults_collect(struct cfaults *faults);

/* The number of collected events, and the number that the kernel dropped because they came too fast. */
size_t cfaults_count(const struct cfaults *faults);
uint64_t cfaults_lost(const struct cfaults *faults);
/* The event at INDEX: ascending in time on each CPU, but not over all. */
struct cfaults_event cfaults_at(const struct cfaults *faults, size_t index);
/* The path of the file of a mapping, or the kernel's word for memory without a file ("//anon", "[heap]"): valid until the
 * next call to cfaults_collect. */
const char *cfaults_path(const struct cfaults *faults, struct cfaults_event event);

#pragma clang assume_nonnull end

#endif
