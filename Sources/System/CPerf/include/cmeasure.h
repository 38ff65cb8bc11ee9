/* Launches a program and stores the figures that the kernel has about the launch. Nothing is added to the program, and
 * as little as possible runs beside it. The only state is the number of the child, which an interrupt kills, and
 * whether an interrupt came. */
#ifndef CMEASURE_H
#define CMEASURE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cfaults.h"

#pragma clang assume_nonnull begin

struct cmeasure_launch {
  /* The time from just before exec to the end of the launch, in nanoseconds of a clock that nobody sets. */
  uint64_t nanoseconds;
  /* When the launch began, and the number of its process. On Linux the clock is CLOCK_MONOTONIC. */
  uint64_t start;
  pid_t pid;
  /* The processor time of the program and of the children that it waited for, from getrusage(2). */
  uint64_t user_microseconds, system_microseconds;
  /* The instructions that all processes of the launch executed in user mode, if the machine counts them. */
  uint64_t instructions;
  bool has_instructions;
  uint64_t minor_faults, major_faults;
  /* The peak resident memory of the largest process of the launch. Unknown if this process has a higher peak, because
   * the kernel counts our memory as the child's until exec. */
  uint64_t peak_bytes;
  bool has_peak_bytes;
  /* The bytes that the processes of the launch read from devices, if the kernel states them. */
  uint64_t read_bytes;
  bool has_read_bytes;
  /* The status of the program, as wait(2) returns it. */
  int status;
  bool timed_out;
  /* Whether the launch became ready and was ended. Processor time, faults, bytes read and instructions then count all
   * processes of the launch until it was ready. If the kernel does not state these figures, they count the whole run.
   * The peak is always of the whole run. STATUS has no meaning, because the launch did not end by itself. */
  bool is_ready;
};

struct cprocess_terminal;

/* The sign that a program is ready, if the program does not end by itself, and the program's terminal. */
struct cmeasure_readiness {
  /* Called every millisecond until the program has ended, and once more. With a terminal, also called when the program
   * has written. */
  bool (*is_ready)(pid_t pid, void *context);
  void *context;
  /* The descriptor that the program's output goes to; -1: it goes where cmeasure_run sends it by SHOWS_OUTPUT. */
  int output;
  /* The terminal of the program's standard streams, which is also its controlling terminal; NULL for none. A program
   * with a terminal leads a session, and gets SIGHUP instead of SIGTERM. */
  struct cprocess_terminal *_Nullable terminal;
};

/* Launches the program at PATH with ARGUMENTS, which end with NULL and begin with the program's name, and waits until
 * it has ended. VARIABLES are as in cprocess_environment. FOLDER is the program's working directory; NULL: as
 * this process. PATH is relative to FOLDER. The program leads its own process group. Processes of this
 * group that the program leaves running are killed; on Linux, so are all other processes that it leaves running.
 *
 * The program's standard input is the file at INPUT, or empty. Its output is discarded or, with SHOWS_OUTPUT, goes to
 * the standard error of this process. TIMEOUT is in milliseconds, negative for no limit. After this time, or when the
 * program is ready, its process group gets SIGTERM, and 2 s later SIGKILL. FAULTS, which must have been opened by this
 * thread, collects the faults of the launch. That takes time, so such a launch should not be timed.
 *
 * Returns 0 with *LAUNCH, or an errno, including that of execve(2). Only one launch at a time, and no other
 * children. */
int cmeasure_run(const char *path, char *_Nullable const *_Nonnull arguments,
                 char *_Nullable const *_Nonnull variables, const char *_Nullable folder,
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
