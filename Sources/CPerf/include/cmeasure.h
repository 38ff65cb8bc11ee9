/* One launch with what the kernel counts of it: for measuring, with nothing of ours in the program
 * and as little as can be beside it. Thin: no state but the number of the child that an interrupt
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
  /* Of the program and of those of its children that it waited for, as getrusage(2) has them. */
  uint64_t user_microseconds, system_microseconds;
  uint64_t minor_faults, major_faults;
  /* The most memory that the largest of those processes had resident at once. Not known below what
   * this process has had itself: for the kernel the child begins with our memory, until exec. */
  uint64_t peak_bytes;
  bool has_peak_bytes;
  /* What these processes had the devices read, where the kernel tells. */
  uint64_t read_bytes;
  bool has_read_bytes;
  /* As wait(2) has it. */
  int status;
  bool timed_out;
};

/* Launches the program at PATH with ARGUMENTS, which end with NULL and begin with the program's
 * name, and waits until it has ended. It leads a process group of its own; what it leaves behind
 * there is killed, and on Linux whatever else it leaves behind.
 *
 * Its standard input is the file at INPUT, or empty. Its output is thrown away, or with
 * SHOWS_OUTPUT goes to the standard error of this process. TIMEOUT is in milliseconds, negative for
 * none; when it has passed, the program is killed. With FAULTS, which were opened by this thread,
 * the faults of the launch are collected there: that costs time, so the launch is not to be timed.
 *
 * Returns 0 with *LAUNCH, or an errno: that of execve(2), too. One launch at a time, and no other
 * children. */
int cmeasure_run(const char *path, char *_Nullable const *_Nonnull arguments,
                 const char *_Nullable input, bool shows_output, int64_t timeout,
                 struct cfaults *_Nullable faults, struct cmeasure_launch *launch);

/* From now on SIGINT, SIGTERM and SIGHUP don't end this process. They kill the program that is
 * being measured, and cmeasure_was_interrupted tells. What was ignored stays ignored. */
void cmeasure_catch_interrupts(void);
bool cmeasure_was_interrupted(void);

#pragma clang assume_nonnull end

#endif
