/* The processes of a launch. */
#ifndef CPROCESS_LAUNCH_H
#define CPROCESS_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

/* Calls BODY for each process of a launch: process PID, its process group, its session, their descendants, and orphans
 * that this process has adopted since it called cprocess_adopt_orphans. This includes processes that have ended and
 * wait for their parent, but not TRACER, unless TRACER is 0. Returns false, without calling BODY, if the system does
 * not list its processes: on macOS, and where /proc can't be read. O(n log n) for n processes of the machine. */
bool cprocess_each_of_launch(pid_t pid, pid_t tracer, void (*body)(pid_t pid, void *context), void *context);

#pragma clang assume_nonnull end

#endif
