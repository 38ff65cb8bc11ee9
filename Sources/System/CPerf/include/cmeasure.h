/* A launch with the figures that the kernel has about it, for measuring: nothing is added to the program,
 * and as little as possible runs beside it. The only state is the number of the child that an interrupt
 * ends. */
#ifndef CMEASURE_H
#define CMEASURE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cfaults.h"

#pragma clang assume_nonnull begin

struct cmeasure_launch {
  /* From just before exec to the end, in nanoseconds of a clock that nobody sets. */
  uint64_t nanoseconds;
  /* When that began, and the number that the process had. On Linux the clock is CLOCK_MONOTONIC. */
  uint64_t start;
  pid_t pid;
  /* Of the program and of the children that it waited for, from getrusage(2). */
  uint64_t user_microseconds, system_microseconds;
  /* Executed in user mode by all processes of the launch, if the machine counts them. */
  uint64_t instructions;
  bool has_instructions;
  uint64_t minor_faults, major_faults;
  /* The peak resident memory of the largest of these processes. Unknown if it is below that of this
   * process, because the kernel counts our memory as the child's until exec. */
  uint64_t peak_bytes;
  bool has_peak_bytes;
  /* The bytes that these processes read from devices, if the kernel tells. */
  uint64_t read_bytes;
  bool has_read_bytes;
  /* The status of wait(2). */
  int status;
  bool timed_out;
  /* Whether the launch became ready and was ended. Processor time, faults, bytes read and instructions are then those of
   * all processes of the launch until it was ready. If the kernel does not state them, they are those of the whole run. The
   * peak is always that of the whole run. STATUS has no meaning, because the launch did not end by itself. */
  bool is_ready;
};

/* How to tell that a program is ready that does not end by itself. */
struct cmeasure_readiness {
  /* Asked every millisecond until the program has ended, and once more. */
  bool (*is_ready)(pid_t pid, void *context);
  void *context;
  /* Where the program's output goes; -1 for where it goes otherwise. */
  int output;
};

/* Launches the program at PATH with ARGUMENTS, which end with NULL and begin with the program's name, and
 * waits until it has ended. VARIABLES are for cprocess_environment. It leads its own process group; processes that it leaves running there are
 * killed and, on Linux, all others that it leaves running too.
 *
 * Its standard input is the file at INPUT, or empty. Its output is discarded or, with SHOWS_OUTPUT, goes
 * to the standard error of this process. TIMEOUT is in milliseconds, negative for none; after it, and when
 * the program is ready, its process group gets SIGTERM, and 2 s later SIGKILL. FAULTS, which must have been
 * opened by this thread, collects the faults of the launch; that takes time, so such a launch should not be timed.
 *
 * Returns 0 with *LAUNCH, or an errno, including that of execve(2). One launch at a time, and no other
 * children. */
int cmeasure_run(const char *path, char *_Nullable const *_Nonnull arguments,
                 char *_Nullable const *_Nonnull variables,
                 const char *_Nullable input, bool shows_output, int64_t timeout,
                 struct cfaults *_Nullable faults,
                 const struct cmeasure_readiness *_Nullable readiness,
                 struct cmeasure_launch *launch);

/* From now on SIGINT, SIGTERM and SIGHUP don't end this process. They kill the measured program, and
 * cmeasure_was_interrupted returns true. Ignored signals stay ignored. */
void cmeasure_catch_interrupts(void);
bool cmeasure_was_interrupted(void);

#pragma clang assume_nonnull end

#endif
